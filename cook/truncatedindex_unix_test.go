//go:build linux || darwin

package cook_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/assetcook/assetcook/cook"
)

// An index that is truncated while it is in use costs time and a note, nothing else. It is
// truncated when the scan begins, after the run has opened it.
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
				if !strings.Contains(notes, "index: cut while it was in use") || !strings.Contains(notes, "everything is checked anew") {
					t.Errorf("notes %q", notes)
				}
				p.run.Observer, p.run.DryRun = nil, false
				p.compareWithScratch()
			})
		}
	}
}
