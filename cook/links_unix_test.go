//go:build linux || darwin

package cook_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/recipe"
)

// TestNewFileUnderNewSymlink adds a file to a directory, moves the directory, and replaces it with
// a symbolic link. The file must be cooked.
func TestNewFileUnderNewSymlink(t *testing.T) {
	p := smallFiles(t, 30)
	p.write("0/new.txt", "new")
	p.compareWithScratch()
	p.must(os.Rename(p.asset("0"), p.asset("moved")))
	p.must(os.Symlink("moved", p.asset("0")))
	p.compareWithScratch()
	p.compareWithScratch()
}

// copyFound adds the asset copies.txt. Its recipe copies the contents of the named files, and skips
// missing files.
func (p *project) copyFound(names ...string) {
	recipeMu.Lock()
	p.Cleanup(recipeMu.Unlock)
	currentRecipe = testRecipe{cook: func(_ context.Context, j *recipe.Job) error {
		var found []byte
		for _, name := range names {
			data, err := j.Read(name)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			found = append(append(found, data...), '\n')
		}
		return j.Write(0, found)
	}}
	p.run.Recipes = testRecipes()
	p.write("cook.toml", "[[rule]]\nmatch = \"*\"\nrecipe = \"copy\"\n[[rule]]\nmatch = \"copies.txt\"\nrecipe = \"test\"\n")
	p.write("copies.txt", "")
}

// TestMissingDependencyUnderNewSymlink makes a missing dependency appear through a new symbolic
// link to its directory. A run must notice it, although no scan lists the file.
func TestMissingDependencyUnderNewSymlink(t *testing.T) {
	p := smallFiles(t, 30)
	p.write("library/a.ignored", "a")
	p.write("2/0/there", "")
	p.copyFound("include/a.ignored", "2/0/a.ignored")
	p.compareWithScratch()
	p.must(os.Symlink("library", p.asset("include")))
	p.compareWithScratch()
	p.write("library/a.ignored", "b")
	p.compareWithScratch()
	p.must(os.RemoveAll(p.asset("2/0")))
	p.must(os.Symlink("../library", p.asset("2/0")))
	p.compareWithScratch()
}

// TestDependencyUnderChangedSymlink changes a symbolic link, so that a dependency disappears or its
// path leads to a different file. A run must notice both, although no file has changed.
func TestDependencyUnderChangedSymlink(t *testing.T) {
	p := smallFiles(t, 30)
	p.write("library/a.ignored", "a")
	p.write("library/sub/a.ignored", "sub a")
	p.write("other/a.ignored", "b")
	p.write("other/b.ignored", "only here")
	p.must(os.Symlink("library", p.asset("include")))
	p.copyFound("include/a.ignored", "include/b.ignored", "include/sub/a.ignored")
	p.compareWithScratch()
	for _, to := range []string{"other", "library", "nowhere", "other"} {
		p.must(os.Remove(p.asset("include")))
		p.compareWithScratch()
		p.must(os.Symlink(to, p.asset("include")))
		p.compareWithScratch()
		p.must(os.Remove(p.asset("include")))
		p.must(os.Symlink("library", p.asset("include")))
		p.compareWithScratch()
	}
}

// TestFolderLinkLeadsElsewhere changes the target of a symbolic link to a directory. Assets that
// read files through the link must be cooked again, even if names and sizes are the same.
func TestFolderLinkLeadsElsewhere(t *testing.T) {
	link := func(p *project, to, name string) {
		p.must(errors.Join(os.RemoveAll(p.asset(name)), os.Symlink(to, p.asset(name))))
	}
	for name, edit := range map[string]func(p *project){
		"another directory": func(p *project) { link(p, "v2", "cur") },
		"two links swapped": func(p *project) { link(p, "v2", "cur"); link(p, "v1", "now") },
		"a real directory": func(p *project) {
			p.must(os.Remove(p.asset("cur")))
			p.write("cur/a.txt", "7")
			p.write("cur/sub/b.txt", "8")
			p.write("cur/c.ignored", "9")
		},
		"a link for a real directory": func(p *project) { link(p, "v1", "real") },
		"the two directories swapped": func(p *project) {
			p.must(errors.Join(os.Rename(p.asset("v1"), p.asset("v")), os.Rename(p.asset("v2"), p.asset("v1")), os.Rename(p.asset("v"), p.asset("v2"))))
		},
		"a directory renamed": func(p *project) { p.must(os.Rename(p.asset("v2"), p.asset("v3"))); link(p, "v3", "cur") },
		"a link to links":     func(p *project) { link(p, "now", "deep/far") },
		"back and forth":      func(p *project) { link(p, "v2", "cur"); p.compareWithScratch(); link(p, "v1", "cur") },
		"other permissions":   func(p *project) { p.must(os.Chmod(p.asset("v2/a.txt"), 0o600)); link(p, "v2", "cur") },
	} {
		t.Run(name, func(t *testing.T) {
			p := smallFiles(t, 30)
			for i, dir := range []string{"v1", "v2", "real"} {
				p.write(dir+"/a.txt", strconv.Itoa(i))
				p.write(dir+"/sub/b.txt", strconv.Itoa(i))
				p.write(dir+"/c.ignored", strconv.Itoa(i))
			}
			p.must(os.Mkdir(p.asset("deep"), 0o777))
			for at, to := range map[string]string{"cur": "v1", "now": "v2", "far": "cur", "deep/far": "../cur"} {
				link(p, to, at)
			}
			p.copyFound("cur/a.txt", "far/sub/b.txt", "deep/far/c.ignored", "cur/c.ignored", "real/a.txt")
			p.compareWithScratch()
			p.tick()
			edit(p)
			p.compareWithScratch()
			p.compareWithScratch()
		})
	}
}

func TestSymlinkLoopForMissingDependency(t *testing.T) {
	p := smallFiles(t, 30)
	p.copyFound("library/loop")
	p.compareWithScratch()
	p.must(os.Mkdir(p.asset("library"), 0o777))
	p.compareWithScratch()
	p.must(os.Symlink("loop", p.asset("library/loop")))
	if s := p.compareWithScratch(); s.Failed.Assets != 1 {
		t.Error(s.String())
	}
	p.must(os.Remove(p.asset("library/loop")))
	if s := p.compareWithScratch(); s.Failed.Assets != 0 {
		t.Error(s.String())
	}
}

// TestDependencyNameTooLong adds a dependency whose name is too long for a file. Runs must not list
// the whole tree because of it.
func TestDependencyNameTooLong(t *testing.T) {
	p := smallFiles(t, 30)
	long := strings.Repeat("long", 100)
	p.copyFound(long, "0/"+long+"/in")
	p.compareWithScratch()
	if s := p.compareWithScratch(); s.ByStamp.Assets != 31 || s.Looked.Listed != 0 {
		t.Errorf("%s, %d directories listed", s.String(), s.Looked.Listed)
	}
}
