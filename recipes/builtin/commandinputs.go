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

// newTrace returns an empty trace for a program that can access the asset directory.
func (c *commandOptions) newTrace(p *call) *sandbox.Trace {
	t := &sandbox.Trace{Folder: p.assets, Seen: map[string]sandbox.Access{}}
	for _, tool := range c.programFiles() {
		if file, err := program.Find(p.assets, tool); err == nil { // a tool that is not found cannot run
			t.Programs = append(t.Programs, file)
		}
	}
	return t
}

// mayReadMore reports whether a traced run could find asset files that the program reads without
// declaring them. It reports false with option daemons, because the reads of a server cannot be
// traced.
func (c *commandOptions) mayReadMore(p *call) bool {
	return p.trace == nil && !c.Daemons && (p.cell == nil || p.cell.assets == "")
}

// openPolicy returns the rights of a traced program without a cell. It may read everything, and
// write to the directories of its outputs.
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

// dependInVain records the dependencies of a failed program: the directories that it listed, and
// the files that it did not find.
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
	dependOnTrace(&some, newPlaces(p, tools), job) // the error of the program itself is more useful than this error
}

// dependOnTrace records everything in a trace as dependencies: the content or absence of files,
// the entries or presence of directories, and the targets of links.
func dependOnTrace(t *sandbox.Trace, places *places, job *recipe.Job) error {
	found := map[recipe.Dependency]bool{} // whether the trace has a file, a directory or a link at the path
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
			continue // the listing of a directory already records which names are links
		}
		rooted, _, err := places.findPlace(name)
		if err != nil {
			return fmt.Errorf("inputs: %w", err)
		}
		if err := depend(recipe.Dependency{Kind: dependency.Link, Path: rooted}, t.Links[name] != ""); err != nil {
			return err
		}
	}
	for _, d := range jobs.Deps(job) { // a file may have changed between the job's read and the program's
		if is, seen := found[d.On.Named(d.Name)]; seen && is != d.Found {
			return fmt.Errorf("input %s: %w", pathname.Show(d.On.Named(d.Name).String()), recipe.ErrChanged)
		}
	}
	return nil
}

// depend reads the depfile and records the files that it names as dependencies.
func (c *commandOptions) depend(p *call, job *recipe.Job) error {
	text, err := readDepfile(p.depfile)
	if err != nil {
		return err
	}
	names, err := parseDepfile(text)
	if err != nil {
		return err
	}
	places := newPlaces(p, c.programFiles())
	recorded := map[recipe.Dependency]string{} // maps each dependency to its name in the depfile
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
			return fmt.Errorf("name %.200q: %w", prerequisite, err)
		}
		recorded[on] = prerequisite
	}
	warnOfAbsent(job, recorded)
	return nil
}

// warnOfAbsent warns once if a depfile names files that do not exist. The program may escape names
// in a way that parseDepfile does not support.
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
		job.Warn("the depfile names %d files that do not exist, such as %.200q; if the program read them by other names, cook does not notice edits", absent, first)
	}
}

func readDepfile(name string) ([]byte, error) {
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("the program wrote no depfile; remove {depfile} if the program does not support it")
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // reading a pipe could block forever
		return nil, fmt.Errorf("the program made a %s instead of the depfile; let the program write a file", fileKind(info.Mode()))
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxDepfile+1))
}

// places are the directories and files that a prerequisite in a depfile may name. If links lead to
// a file, both its name and its real name are listed.
type places struct {
	assets  []string // names of the asset directory; programs run in the first one
	scratch []string
	files   []string // outputs, tools and a generated source, which need no record here
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
		// The depfile cannot name a tool that cannot be found.
		if file, err := program.Find(p.assets, tool); err == nil {
			l.files = append(l.files, namesOf(file)...)
		}
	}
	return &l
}

// namesOf returns three names of a file: its absolute name, the name after resolving the links in
// its directory, and the name after resolving all links.
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

// resolveDirectory resolves all links in a file's path except the file itself, which need not
// exist. It follows ".." as the system does.
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

// findPlace returns a prerequisite's name relative to the root of the asset tree, for
// recipe.Job.Depend. The result known is true for files that need not be recorded.
//
// A name with links is recorded unresolved, so that changes of the links are detected. But after a
// link, ".." leads to a different file than the name suggests. So such names are resolved first.
func (l *places) findPlace(prerequisite string) (name string, known bool, err error) {
	file := filepath.FromSlash(prerequisite)
	if !filepath.IsAbs(file) {
		// filepath.Join would remove ".." before links are resolved.
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
		return "", false, fmt.Errorf("the file %.200q is outside the asset directory; add the file to tools = [...], so that cook notices its changes", prerequisite)
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
