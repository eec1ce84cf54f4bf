//go:build !race

package hashing

import (
	"slices"
	"testing"
)

// TestFileCostsThreeAllocations allows three allocations for each file: two copies of the name for
// system calls, and the open file.
func TestFileCostsThreeAllocations(t *testing.T) {
	const many = 500
	contents := make([][]byte, many)
	for i := range contents {
		contents[i] = someBytes(i)
	}
	names := filesOf(t, contents...)
	for _, f := range []Func{registry[0], function(t, "sha256")} {
		cost := func(n int) float64 {
			return testing.AllocsPerRun(5, func() {
				err := Files{Func: f, Workers: 1}.Sum(t.Context(), slices.Values(names[:n]), func(r FileResult) {
					if r.Err != nil {
						t.Error(r.Err)
					}
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		if each := (cost(many) - cost(10)) / (many - 10); each > 3.1 {
			t.Errorf("%s: %.2f allocations for a file, want 3", f.Name, each)
		}
	}
}
