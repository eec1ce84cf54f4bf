//go:build !race

// With the race detector, sync.Pool drops buffers at random, which changes the number of
// allocations.

package cook_test

import (
	"os"
	"testing"

	"github.com/assetcook/assetcook/cook"
)

// TestAllocationsOfReadingEverything limits the allocations for each file in runs that read all
// files.
func TestAllocationsOfReadingEverything(t *testing.T) {
	for name, tt := range map[string]struct {
		run           func(p *project)
		allocs, bytes float64 // limits for each file
	}{
		"ignoring timestamps": {
			run: func(p *project) {
				run := p.run
				run.Verify, run.Workers = true, 1
				s, err := run.Cook(p.Context())
				if p.must(err); s.ByChecksum.Assets != p.files || s.Checksummed.Assets < 2*p.files {
					p.Fatalf("%s, %d files read", s.String(), s.Checksummed.Assets)
				}
			},
			allocs: 0.1, bytes: 40,
		},
		"verify": {
			run: func(p *project) {
				v, err := cook.Verify(p.Context(), p.run.Project(), cook.VerifyOptions{Sample: "0"})
				if p.must(err); v.Outputs != p.files || v.Differences != 0 {
					p.Fatalf("%+v", v)
				}
			},
			allocs: 5.5, bytes: 200,
		},
	} {
		few, fewBytes := allocations(plainFiles(t, 500), noEdit, tt.run)
		many, manyBytes := allocations(plainFiles(t, 3000), noEdit, tt.run)
		allocs, bytes := (float64(many)-float64(few))/2500, (float64(manyBytes)-float64(fewBytes))/2500
		if allocs > tt.allocs || bytes > tt.bytes {
			t.Errorf("%s: %.2f allocations and %.0f bytes for each file, want at most %v and %v", name, allocs, bytes, tt.allocs, tt.bytes)
		}
	}
}

// plainFiles is like smallFiles but without a .cookignore. A run that ignores timestamps then lists
// the whole tree.
func plainFiles(t *testing.T, files int) *project {
	p := smallFiles(t, files)
	p.must(os.Remove(p.asset(".cookignore")))
	p.cook()
	p.tick()
	p.cook()
	return p
}
