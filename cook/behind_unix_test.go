//go:build linux || darwin

package cook_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/recipe"
)

func (p *pantry) asset(name string) string { return filepath.Join(p.dir, "assets", name) }

func (p *pantry) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// A file that came after the index was written, in a folder that became a link to
// where it now lies, is still there.
func TestNewFileBehindNewLink(t *testing.T) {
	p := newPantry(t, 30)
	p.write("0/new.txt", "new")
	p.sameAsFromScratch()
	p.must(os.Rename(p.asset("0"), p.asset("moved")))
	p.must(os.Symlink("moved", p.asset("0")))
	p.sameAsFromScratch()
	p.sameAsFromScratch()
}

// askFor makes the pantry's recipe copy what it finds under some names.
func (p *pantry) askFor(names ...string) {
	oddMu.Lock()
	p.Cleanup(oddMu.Unlock)
	oddly = odd{do: func(_ context.Context, j *recipe.Job) error {
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
	p.opt.Recipes = []recipe.Recipe{{Name: "odd", Version: 1, New: func() recipe.Cooker { return &oddOptions{} }}}
	p.write("cook.toml", "[[rule]]\nmatch = \"*\"\nrecipe = \"copy\"\n[[rule]]\nmatch = \"asks.txt\"\nrecipe = \"odd\"\n")
	p.write("asks.txt", "")
}

// What was absent appears by a link on the way to it, though no scan tells of it.
func TestAbsentBehindNewLink(t *testing.T) {
	p := newPantry(t, 30)
	p.write("library/a.ignored", "a")
	p.write("2/0/there", "")
	p.askFor("include/a.ignored", "2/0/a.ignored")
	p.sameAsFromScratch()
	p.must(os.Symlink("library", p.asset("include")))
	p.sameAsFromScratch()
	p.write("library/a.ignored", "b")
	p.sameAsFromScratch()
	// A folder of the tree becomes a link.
	p.must(os.RemoveAll(p.asset("2/0")))
	p.must(os.Symlink("../library", p.asset("2/0")))
	p.sameAsFromScratch()
}

// What a recipe found by a link is not there any more, or is another file, when
// the link leads elsewhere, though no file was touched.
func TestDependencyBehindLostLink(t *testing.T) {
	p := newPantry(t, 30)
	p.write("library/a.ignored", "a")
	p.write("library/sub/a.ignored", "sub a")
	p.write("other/a.ignored", "b")
	p.write("other/b.ignored", "only here")
	p.must(os.Symlink("library", p.asset("include")))
	p.askFor("include/a.ignored", "include/b.ignored", "include/sub/a.ignored")
	p.sameAsFromScratch()
	for _, to := range []string{"other", "library", "nowhere", "other"} {
		p.must(os.Remove(p.asset("include")))
		p.sameAsFromScratch()
		p.must(os.Symlink(to, p.asset("include")))
		p.sameAsFromScratch()
		p.must(os.Remove(p.asset("include")))
		p.must(os.Symlink("library", p.asset("include")))
		p.sameAsFromScratch()
	}
}

// A link that leads nowhere is not the same as nothing.
func TestLoopWhereNothingWas(t *testing.T) {
	p := newPantry(t, 30)
	p.askFor("library/loop")
	p.sameAsFromScratch()
	p.must(os.Mkdir(p.asset("library"), 0o777))
	p.sameAsFromScratch()
	p.must(os.Symlink("loop", p.asset("library/loop")))
	if s := p.sameAsFromScratch(); s.Failed.Assets != 1 {
		t.Error(s.Line())
	}
	p.must(os.Remove(p.asset("library/loop")))
	if s := p.sameAsFromScratch(); s.Failed.Assets != 0 {
		t.Error(s.Line())
	}
}

// A name that no file can have, which a recipe looked for in vain, does not make
// every run list the whole tree.
func TestNameTooLong(t *testing.T) {
	p := newPantry(t, 30)
	long := strings.Repeat("long", 100)
	p.askFor(long, "0/"+long+"/in")
	p.sameAsFromScratch()
	if s := p.sameAsFromScratch(); s.ByStamp.Assets != 31 || s.Looked.Listed != 0 {
		t.Errorf("%s, %d folders listed", s.Line(), s.Looked.Listed)
	}
}
