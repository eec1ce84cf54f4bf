//go:build !race

// With the race detector, sync.Pool drops buffers at random, which changes the number of
// allocations.

package cook_test

import (
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/assetcook/assetcook/cook"
)

// TestMemoryOfEachMadeOutput limits the memory for each file in runs that make all outputs: the
// allocations of the whole run, and the bytes that are still reachable at the stage save. Then the
// plan, its results and the rows of the next index are in memory.
func TestMemoryOfEachMadeOutput(t *testing.T) {
	for name, tt := range map[string]struct {
		remove              func(p *project)
		allocs, bytes, held float64 // limits for each file
	}{
		"first cook": {
			remove: func(p *project) { p.must(os.RemoveAll(p.run.Out)) },
			allocs: 92, bytes: 8000, held: 1050,
		},
		"deleted outputs": {
			remove: func(p *project) {
				for i := range smallFolders {
					p.must(os.RemoveAll(p.path("cooked/" + strconv.Itoa(i))))
				}
			},
			allocs: 130, bytes: 11000, held: 1800,
		},
	} {
		measure := func(files int) (allocs, bytes, held float64) {
			p := smallFiles(t, files)
			held = 1 << 62
			mallocs, total := allocations(p, func() { tt.remove(p) }, func(p *project) {
				at := &atSave{}
				run := p.run
				run.Observer = at
				s, err := run.Cook(p.Context())
				if p.must(err); s.Cooked.Assets+s.Restored.Assets != files {
					p.Fatal(s.String())
				}
				held = min(held, float64(at.held))
			})
			return float64(mallocs), float64(total), held
		}
		few, fewBytes, fewHeld := measure(200)
		many, manyBytes, manyHeld := measure(1200)
		allocs, bytes, held := (many-few)/1000, (manyBytes-fewBytes)/1000, (manyHeld-fewHeld)/1000
		t.Logf("%s: %.1f allocations, %.0f bytes, %.0f bytes held for each file", name, allocs, bytes, held)
		if allocs > tt.allocs || bytes > tt.bytes || held > tt.held {
			t.Errorf("%s: %.1f allocations, %.0f bytes, %.0f bytes held for each file; want at most %v, %v, %v",
				name, allocs, bytes, held, tt.allocs, tt.bytes, tt.held)
		}
	}
}

// atSave is an observer that measures the reachable heap when the stage save begins.
type atSave struct {
	cook.Observers
	held uint64
}

func (s *atSave) Stage(name string) {
	if name == "save" {
		var stats runtime.MemStats
		runtime.GC()
		runtime.GC() // the first collection keeps the content of each sync.Pool
		runtime.ReadMemStats(&stats)
		s.held = stats.HeapAlloc
	}
}
