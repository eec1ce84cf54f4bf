package cook_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// A project is a temporary directory with assets, outputs and a store, and the options to cook it.
// Its methods end the test if they fail.
type project struct {
	testing.TB
	dir   string
	run   oracle.Run
	files int // number of sources that smallFiles made
}

// newProject makes a project without assets.
func newProject(t testing.TB) *project {
	dir := t.TempDir()
	return &project{TB: t, dir: dir, run: oracle.Run{
		Dir: filepath.Join(dir, "assets"), Out: filepath.Join(dir, "cooked"), Cache: filepath.Join(dir, "store"), Workers: 2,
	}}
}

// sampleProject makes a project with the assets of [oracle.Sample].
func sampleProject(t testing.TB) *project {
	t.Helper()
	p := newProject(t)
	p.must(oracle.Sample(p.run.Dir))
	return p
}

const (
	smallFolders = 10  // number of directories that smallFiles makes
	smallSize    = 100 // size of each source in bytes
)

// smallFiles makes a project of small files and cooks it. The project's clock is ahead, so that
// every stamp is old enough to be trusted.
func smallFiles(t testing.TB, files int) *project {
	t.Helper()
	p := newProject(t)
	p.files = files
	for i := range files {
		p.write(p.source(i), fmt.Sprintf("%0*d", smallSize, i))
	}
	p.write("cook.toml", "[[rule]]\nmatch = \"*\"\nrecipe = \"copy\"\n")
	p.write(".cookignore", "*.ignored\n")
	p.run.Now = func() time.Time { return time.Now().Add(time.Hour) }
	if s := p.cook(); s.Cooked.Assets != files {
		t.Fatalf("%d files: %s", files, s.String())
	}
	p.tick()
	return p
}

func (p *project) source(i int) string { return fmt.Sprintf("%d/%04d.txt", i%smallFolders, i) }

// path returns the absolute path of a file in the project.
func (p *project) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

// asset returns the absolute path of an asset.
func (p *project) asset(name string) string { return p.path("assets/" + name) }

func (p *project) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

func (p *project) write(name, text string) {
	p.Helper()
	p.writeFile("assets/"+name, text)
}

func (p *project) writeFile(name, text string) {
	p.Helper()
	name = p.path(name)
	p.must(os.MkdirAll(filepath.Dir(name), 0o777))
	p.must(os.WriteFile(name, []byte(text), 0o666))
}

// cook cooks the project. Assets may fail.
func (p *project) cook() cook.Summary {
	p.Helper()
	s, err := p.run.Cook(p.Context())
	p.must(err)
	return s
}

// cookAll cooks the project, and ends the test if an asset fails.
func (p *project) cookAll() cook.Summary {
	p.Helper()
	s := p.cook()
	if s.Failed.Assets > 0 {
		p.Fatal(s.String())
	}
	return s
}

func (p *project) outputs() oracle.Tree {
	p.Helper()
	return readTree(p, p.run.Out)
}

// fromScratch cooks a run's assets into an empty directory with default options, and returns the
// outputs.
func fromScratch(t testing.TB, run oracle.Run) oracle.Tree {
	t.Helper()
	p := newProject(t)
	p.run.Dir = run.Dir
	p.cookAll()
	return p.outputs()
}

// compareWithScratch cooks, and compares the outputs with a cook into an empty directory.
func (p *project) compareWithScratch() cook.Summary {
	p.Helper()
	p.tick()
	s := p.cook()
	scratch := newProject(p.TB)
	out, cache := scratch.run.Out, scratch.run.Cache
	scratch.run = p.run
	scratch.run.Observer, scratch.run.Out, scratch.run.Cache = nil, out, cache
	all := scratch.cook()
	if d := scratch.outputs().Diff(p.outputs()); d != "" {
		p.Errorf("%s\nfrom scratch: %s\n%s", s.String(), all.String(), d)
	}
	if s.Failed.Assets != all.Failed.Assets || s.Found.Assets != all.Found.Assets {
		p.Errorf("%s\nfrom scratch: %s", s.String(), all.String())
	}
	p.tick()
	return s
}

// tick waits until the file system's clock has advanced.
func (p *project) tick() {
	p.Helper()
	change := func() scan.Stamp {
		name := p.path("tick")
		p.must(os.WriteFile(name, nil, 0o666))
		defer os.Remove(name)
		info, err := os.Lstat(name)
		p.must(err)
		s := scan.StampOf(info)
		return scan.Stamp{MTime: s.MTime, CTime: s.CTime}
	}
	for begin := change(); change() == begin; {
	}
}

// readTree reads all files below a directory except .cook.
func readTree(t testing.TB, dir string) oracle.Tree {
	t.Helper()
	tree, err := oracle.ReadTree(dir)
	if err != nil {
		t.Fatalf("read %s: %v", dir, err)
	}
	return tree
}

// list returns the sorted paths of the directories or files below a directory.
func list(t testing.TB, dir string, folders bool) []string {
	t.Helper()
	var names []string
	for name := range readTree(t, dir) {
		if strings.HasSuffix(name, "/") == folders {
			names = append(names, strings.TrimSuffix(name, "/"))
		}
	}
	slices.Sort(names)
	return names
}

// stampsOf returns the stamps of everything below some directories, by path. It omits paths that
// skip selects; skip may be nil. The directories need not exist.
func stampsOf(t testing.TB, skip func(name string, s scan.Stamp) bool, dirs ...string) map[string]scan.Stamp {
	t.Helper()
	all := map[string]scan.Stamp{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			if s := scan.StampOf(info); skip == nil || !skip(name, s) {
				all[name] = s
			}
			return nil
		})
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	return all
}

// isLock reports whether a file is the lock, in which each run writes its process ID.
func isLock(name string, _ scan.Stamp) bool { return filepath.Base(name) == "lock" }

// isLockOrFolder reports whether a file is the lock or a directory. Temporary files change the
// stamps of directories.
func isLockOrFolder(name string, s scan.Stamp) bool {
	return isLock(name, s) || fs.FileMode(s.Mode).IsDir()
}

// checkStamps fails the test for each path that differs between before and after.
func checkStamps(t testing.TB, what string, before, after map[string]scan.Stamp) {
	t.Helper()
	for name, stamp := range after {
		if was, ok := before[name]; !ok {
			t.Errorf("%s: %s is new", what, name)
		} else if was != stamp {
			t.Errorf("%s: %s was written: %+v, was %+v", what, name, stamp, was)
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			t.Errorf("%s: %s was removed", what, name)
		}
	}
}

// fileTime returns a run whose output directory is on a file system with its own clock. The
// function stamp adjusts the stamps of new files.
func fileTime(r oracle.Run, stamp func(scan.Stamp) scan.Stamp) oracle.Run {
	r.Adjust = func(p *cook.Project) { p.SetFileTime(stamp) }
	return r
}
