package builtin

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/program"
	"github.com/assetcook/assetcook/internal/sandbox"
)

// newTrace returns an empty trace for a program that sees the asset directory.
func (c *Command) newTrace(p *call) *sandbox.Trace {
	t := &sandbox.Trace{Folder: p.assets, Seen: map[string]sandbox.Access{}}
	for _, tool := range c.programFiles() {
		if file, err := program.Find(p.assets, tool); err == nil { // else it cannot be executed
			t.Programs = append(t.Programs, file)
		}
	}
	return t
}

// mayReadMore reports whether the program of a call may read files of the asset directory that
// are neither declared nor recorded. Reads of a server that it talks to cannot be seen.
func (c *Command) mayReadMore(p *call) bool {
	return p.trace == nil && !c.Daemons && (p.cell == nil || p.cell.assets == "")
}

// openPolicy returns the rights of a traced program without a cell: to read everything, and to write
// in the directories of its outputs.
func (p *call) openPolicy() *sandbox.Policy {
	policy := &sandbox.Policy{Read: []string{"/"}, Write: []string{p.scratch}}
	for _, file := range p.outputs {
		policy.Write = append(policy.Write, filepath.Dir(file))
	}
	if home := p.vars["HOME"]; home != "" {
		policy.Write = append(policy.Write, home)
	}
	return policy
}

// dependInVain records dependencies of a failed program: directories that it listed, and files that it
// did not find.
func dependInVain(p *call, job *recipe.Job, tools []string) {
	if p.trace == nil {
		return
	}
	some := sandbox.Trace{Seen: map[string]sandbox.Access{}}
	for name, access := range p.trace.Seen {
		if access == sandbox.Missing || access == sandbox.List {
			some.Seen[name] = access
		}
	}
	dependOnTrace(&some, newPlaces(p, tools), job) // the failure of the program says more than this error
}

// dependOnTrace makes everything in a trace a dependency: the content or the absence of files, the
// names in directories or the presence of directories, and the texts of links.
func dependOnTrace(t *sandbox.Trace, places *places, job *recipe.Job) error {
	found := map[recipe.Dependency]bool{} // whether the program found it
	depend := func(on recipe.Dependency, is bool) error {
		if err := job.Depend(on); err != nil {
			return fmt.Errorf("input %s: %w", pathname.Show(on.String()), err)
		}
		found[on] = is
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(t.Seen)) {
		rooted, known, err := places.findPlace(name)
		if err != nil {
			return fmt.Errorf("inputs: %w", err)
		}
		if known {
			continue
		}
		on := dependency.OfFile(rooted)
		switch t.Seen[name] {
		case sandbox.List:
			on.Kind = dependency.Entries
		case sandbox.Exists:
			on.Kind = dependency.Folder
		}
		if err := depend(on, t.Seen[name] != sandbox.Missing); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.Links)) {
		if how, seen := t.Seen[filepath.Dir(name)]; t.Links[name] == "" && seen && how == sandbox.List {
			continue // a listing says of each name whether it is a link
		}
		rooted, _, err := places.findPlace(name)
		if err != nil {
			return fmt.Errorf("inputs: %w", err)
		}
		if err := depend(recipe.Dependency{Kind: dependency.Link, Path: rooted}, t.Links[name] != ""); err != nil {
			return err
		}
	}
	for _, d := range jobs.Deps(job) { // the run may have looked earlier, with another result
		if is, seen := found[d.On.Named(d.Name)]; seen && is != d.Found {
			return fmt.Errorf("input %s %w", pathname.Show(d.On.Named(d.Name).String()), recipe.ErrChanged)
		}
	}
	return nil
}

// depend reads the depfile and records the files that it names.
func (c *Command) depend(p *call, job *recipe.Job) error {
	text, err := readDepfile(p.depfile)
	if err != nil {
		return err
	}
	names, err := parseDepfile(text)
	if err != nil {
		return err
	}
	places := newPlaces(p, c.programFiles())
	recorded := map[recipe.Dependency]string{} // dependency to its name in the depfile
	for _, prerequisite := range names {
		file, known, err := places.findPlace(prerequisite)
		if err != nil {
			return err
		}
		if known {
			continue
		}
		on := recipe.Dependency{Path: file}
		if err := job.Depend(on); err != nil {
			return fmt.Errorf("names %.200q: %w", prerequisite, err)
		}
		recorded[on] = prerequisite
	}
	warnOfAbsent(job, recorded)
	return nil
}

// warnOfAbsent warns once if a depfile names files that do not exist: the program may
// write names in a way that parseDepfile does not know.
func warnOfAbsent(job *recipe.Job, recorded map[recipe.Dependency]string) {
	absent, first := 0, ""
	for _, d := range jobs.Deps(job) {
		if name, ok := recorded[d.On.Named(d.Name)]; ok && !d.Found {
			if absent++; first == "" {
				first = name
			}
		}
	}
	if absent > 0 {
		job.Warn("the depfile names files that do not exist (%d, such as %.200q); if they exist under other names, edits of them are not noticed", absent, first)
	}
}

func readDepfile(name string) ([]byte, error) {
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("was not written; drop {depfile} if the program knows nothing of it")
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // a pipe could make us wait for ever
		return nil, fmt.Errorf("is a %s", fileKind(info.Mode()))
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxDepfile+1))
}

// places are the directories and files with which a prerequisite is compared. Each has its own name and,
// if links lead to it, its real one.
type places struct {
	assets  []string // the asset directory; the first is where programs run
	scratch []string
	files   []string // outputs, tools, and a source that was made: identified otherwise
}

func newPlaces(p *call, tools []string) *places {
	var l places
	l.assets = namesOf(p.assets)
	l.scratch = namesOf(p.scratch)
	for _, file := range p.outputs {
		l.files = append(l.files, namesOf(file)...)
	}
	if p.made != "" {
		l.files = append(l.files, namesOf(p.made)...)
	}
	for _, tool := range tools {
		// A tool that cannot be found cannot be named by the depfile either.
		if file, err := program.Find(p.assets, tool); err == nil {
			l.files = append(l.files, namesOf(file)...)
		}
	}
	return &l
}

// namesOf returns a file's absolute name, the one with the links in its directory
// resolved, and the one with all links resolved.
func namesOf(file string) []string {
	list := []string{filepath.Clean(file)}
	if real, err := resolveDirectory(file); err == nil {
		list = append(list, real)
	}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		list = append(list, real)
	}
	return list
}

// resolveDirectory resolves the links on the way to a file, but not the file's own.
// The file need not exist. A ".." leads where the system would go.
func resolveDirectory(file string) (string, error) {
	folder, base := filepath.Split(file)
	if base == ".." {
		return filepath.EvalSymlinks(file)
	}
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return "", err
	}
	return filepath.Join(real, base), nil
}

// findPlace returns a prerequisite's name as recipe.Job.Depend takes it, from the
// asset tree's root. Known is true for files that need no recording.
//
// A name with links is recorded unresolved, so that a changed link is noticed. But ".." after a link
// leads to another file than the name suggests, so such names are resolved first.
func (l *places) findPlace(prerequisite string) (name string, known bool, err error) {
	file := filepath.FromSlash(prerequisite)
	if !filepath.IsAbs(file) {
		// Not filepath.Join, which would take ".." out before links are seen.
		file = l.assets[0] + string(filepath.Separator) + file
	}
	found := false
	if !strings.Contains(file, "..") {
		name, known, found = l.matchPlace(filepath.Clean(file))
	}
	if !found {
		if real, err := resolveDirectory(file); err == nil {
			name, known, found = l.matchPlace(real)
		} else {
			name, known, found = l.matchPlace(filepath.Clean(file))
		}
	}
	if !found {
		return "", false, fmt.Errorf("names %.200q, which is outside the asset tree; list it under tools = [...] so that its content counts", prerequisite)
	}
	return name, known, nil
}

func (l *places) matchPlace(file string) (name string, known, found bool) {
	for _, f := range l.files {
		if rel, ok := pathname.Below(f, file); ok && rel == "." {
			return "", true, true
		}
	}
	for _, folder := range l.scratch {
		if _, ok := pathname.Below(folder, file); ok {
			return "", true, true
		}
	}
	for _, folder := range l.assets {
		if rel, ok := pathname.Below(folder, file); ok {
			return "/" + rel, false, true
		}
	}
	return "", false, false
}
