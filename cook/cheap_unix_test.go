//go:build linux || darwin

package cook_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/assetcook/assetcook/cook/report"
)

// When nothing changed, each folder is opened once and each file is asked for
// its stamp once, and there is nothing else.
func TestUnchangedIsCounted(t *testing.T) {
	for _, files := range []int{100, 300} {
		p := newPantry(t, files)
		want := report.Calls{
			// The asset folder with those in it, the folders of outputs, and that of
			// the manifest.
			Opened: 1 + cheapFolders + cheapFolders + 1,
			// The listed folders, sources and outputs, cook.toml, .cookignore and
			// the manifest.
			Stats: int64(1 + cheapFolders + 2*files + 2 + 1),
		}
		for range 2 {
			if s := p.cook(); s.Looked != want || s.ByStamp.Assets != files {
				t.Errorf("%s: %+v, want %+v", s.Line(), s.Looked, want)
			}
		}
	}
}

// A cutter cuts the index when the scan begins: by then it is in use.
type cutter struct {
	report.Multi
	once  sync.Once
	cut   func()
	notes []string
}

func (c *cutter) Note(text string) { c.notes = append(c.notes, text) }
func (c *cutter) Stage(name string) {
	if name == "scan" {
		c.once.Do(c.cut)
	}
}

// An index that is cut while it is in use costs time and a note.
func TestIndexCutWhileInUse(t *testing.T) {
	for _, length := range []int64{0, 4096} {
		for _, dry := range []bool{true, false} {
			t.Run(fmt.Sprint(length, dry), func(t *testing.T) {
				p := newPantry(t, 300)
				p.write(p.source(3), "edited")
				p.write("new.txt", "new")
				if err := os.Remove(filepath.Join(p.dir, "assets", p.source(8))); err != nil {
					t.Fatal(err)
				}
				c := &cutter{cut: func() {
					if err := os.Truncate(filepath.Join(p.dir, "cooked", ".cook", "index"), length); err != nil {
						t.Error(err)
					}
				}}
				p.opt.Observer = c
				if p.opt.DryRun = dry; dry {
					if s := p.cook(); s.Found.Assets != 300 || s.Failed.Assets != 0 {
						t.Error(s.Line())
					}
				} else {
					p.sameAsFromScratch()
				}
				notes := strings.Join(c.notes, "\n")
				if !strings.Contains(notes, "index: cut while it was in use") || !strings.Contains(notes, "everything is checked anew") {
					t.Errorf("notes %q", notes)
				}
				p.opt.Observer, p.opt.DryRun = nil, false
				p.sameAsFromScratch()
			})
		}
	}
}

// sameAsFromScratch cooks and compares the outputs with those of a new folder.
func (p *pantry) sameAsFromScratch() report.Summary {
	p.Helper()
	p.tick()
	s := p.cook()
	scratch := &pantry{TB: p.TB, dir: p.TempDir(), opt: p.opt}
	scratch.opt.Observer = nil
	scratch.opt.Out, scratch.opt.Cache = filepath.Join(scratch.dir, "cooked"), filepath.Join(scratch.dir, "store")
	all := scratch.cook()
	if d := readTree(p, scratch.opt.Out).Diff(readTree(p, filepath.Join(p.dir, "cooked"))); d != "" {
		p.Errorf("%s\nfrom scratch: %s\n%s", s.Line(), all.Line(), d)
	}
	if s.Failed.Assets != all.Failed.Assets || s.Found.Assets != all.Found.Assets {
		p.Errorf("%s\nfrom scratch: %s", s.Line(), all.Line())
	}
	p.tick()
	return s
}
