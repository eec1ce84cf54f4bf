//go:build linux || darwin

package cook_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assetcook/assetcook/cook"
)

// TestIndexTruncatedWhileInUse truncates the index when the scan begins, after the run has opened
// it. The outputs must be correct, with a note.
func TestIndexTruncatedWhileInUse(t *testing.T) {
	for _, length := range []int64{0, 4096} {
		for _, dry := range []bool{true, false} {
			t.Run(fmt.Sprint(length, dry), func(t *testing.T) {
				p := smallFiles(t, 300)
				p.write(p.source(3), "edited")
				p.write("new.txt", "new")
				p.must(os.Remove(p.asset(p.source(8))))
				rec := &recorder{}
				var once sync.Once
				p.run.Observer = cook.Observers{rec, hooks{stage: func(name string) {
					if name != "scan" {
						return
					}
					once.Do(func() {
						if err := os.Truncate(p.path("cooked/.cook/index"), length); err != nil {
							t.Error(err)
						}
					})
				}}}
				if p.run.DryRun = dry; dry {
					if s := p.cook(); s.Found.Assets != 300 || s.Failed.Assets != 0 {
						t.Error(s.String())
					}
				} else {
					p.compareWithScratch()
				}
				notes := strings.Join(rec.notes, "\n")
				if !strings.Contains(notes, "index: another process shortened the index while it was in use") || !strings.Contains(notes, "this run checks everything again") {
					t.Errorf("notes %q", notes)
				}
				p.run.Observer, p.run.DryRun = nil, false
				p.compareWithScratch()
			})
		}
	}
}

// TestPipeInPlaceOfStateFile replaces state files with named pipes. A run must neither block nor
// leave wrong outputs.
func TestPipeInPlaceOfStateFile(t *testing.T) {
	for _, name := range []string{".cook/index", ".cook/changes-*", ".cook/journal", ".cook/lock", "manifest.json"} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			p.write("a.txt", "one")
			p.cook()
			pipe := filepath.Join(p.run.Out, name)
			if found, _ := filepath.Glob(pipe); len(found) == 1 {
				pipe = found[0]
				p.must(os.Remove(pipe))
			}
			p.must(unix.Mkfifo(pipe, 0o666))
			p.write("a.txt", "two")
			ended := make(chan error, 1)
			go func() {
				_, err := p.run.Cook(t.Context())
				ended <- err
			}()
			select {
			case err := <-ended:
				t.Logf("ended with %v", err)
			case <-time.After(time.Minute):
				t.Fatal("blocked by the pipe")
			}
			os.Remove(pipe)
			p.cook()
			if got, err := os.ReadFile(p.path("cooked/a.txt")); string(got) != "two" {
				t.Errorf("output %q, %v", got, err)
			}
		})
	}
}
