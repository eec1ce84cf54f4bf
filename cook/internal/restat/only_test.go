package restat_test

import (
	"fmt"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/restat"
)

// A query about one source skips all other directories without allocating.
func TestFoldersPassedOverAllocateNothing(t *testing.T) {
	allocations := func(folders int) float64 {
		w := &tree{TB: t, base: t.TempDir()}
		for i := range folders {
			w.write(fmt.Sprintf("assets/%d/f", i), "")
		}
		opt := w.options(w.live())
		opt.Only = func(f *index.Folder) bool { return f.Tree != index.Assets }
		return testing.AllocsPerRun(5, func() {
			if _, err := restat.Find(t.Context(), opt); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocations(3), allocations(300); many > few+20 {
		t.Errorf("%v allocations with 3 directories, %v with 300", few, many)
	}
}
