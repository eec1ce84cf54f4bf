package cook_test

import (
	"os"
	"runtime"
	"testing"

	"github.com/assetcook/assetcook/internal/proof/minimal"
)

// Random trees of programs that read files and artifacts of each other are cooked as a model
// predicts, and each edit cooks exactly the assets with new inputs. proof/reliability plays more.
func TestEditsAreCookedMinimally(t *testing.T) {
	const first = 20_000 // with the seed 1 the 14th finds a chain's directories missing in its ID, which few do
	var all minimal.Counts
	for i := range scripts(4, 20) {
		place := newPlace(t)
		counts, err := minimal.Play(t.Context(), place.Dir, first+*seed+i, minimal.Options{Steps: 5, Tools: runtime.GOOS == "linux" && i%4 == 0})
		if err != nil {
			t.Fatal(err)
		}
		os.RemoveAll(place.Dir)
		all.Runs += counts.Runs
		all.Cooked += counts.Cooked
	}
	if all.Runs == 0 || all.Cooked == 0 {
		t.Errorf("played %+v", all)
	}
}
