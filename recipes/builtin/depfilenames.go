package builtin

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/program"
)

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
	places := newPlaces(p, c.tools())
	recorded := map[recipe.Dependency]string{} // dependency to its name in the depfile
	for _, prerequisite := range names {
		file, known, err := places.find(prerequisite)
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
	l.assets = names(p.assets)
	l.scratch = names(p.scratch)
	for _, file := range p.outputs {
		l.files = append(l.files, names(file)...)
	}
	if p.made != "" {
		l.files = append(l.files, names(p.made)...)
	}
	for _, tool := range tools {
		// A tool that cannot be found cannot be named by the depfile either.
		if file, err := program.Find(p.assets, tool); err == nil {
			l.files = append(l.files, names(file)...)
		}
	}
	return &l
}

// names returns a file's absolute name, the one with the links in its directory
// resolved, and the one with all links resolved.
func names(file string) []string {
	list := []string{filepath.Clean(file)}
	if real, err := realFolder(file); err == nil {
		list = append(list, real)
	}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		list = append(list, real)
	}
	return list
}

// realFolder resolves the links on the way to a file, but not the file's own.
// The file need not exist. A ".." leads where the system would go.
func realFolder(file string) (string, error) {
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

// find returns a prerequisite's name as recipe.Job.Depend takes it, from the
// asset tree's root. Known is true for files that need no recording.
//
// A name with links is recorded unresolved, so that a changed link is noticed. But ".." after a link
// leads to another file than the name suggests, so such names are resolved first.
func (l *places) find(prerequisite string) (name string, known bool, err error) {
	file := filepath.FromSlash(prerequisite)
	if !filepath.IsAbs(file) {
		// Not filepath.Join, which would take ".." out before links are seen.
		file = l.assets[0] + string(filepath.Separator) + file
	}
	found := false
	if !strings.Contains(file, "..") {
		name, known, found = l.match(filepath.Clean(file))
	}
	if !found {
		if real, err := realFolder(file); err == nil {
			name, known, found = l.match(real)
		} else {
			name, known, found = l.match(filepath.Clean(file))
		}
	}
	if !found {
		return "", false, fmt.Errorf("names %.200q, which is outside the asset tree; list it under tools = [...] so that its content counts", prerequisite)
	}
	return name, known, nil
}

func (l *places) match(file string) (name string, known, found bool) {
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
