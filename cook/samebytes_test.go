package cook_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cooktest"
)

var update = flag.Bool("update", false, "write the manifest of testdata/assets anew")

// The assets that come with the source are cooked to the bytes that stand in
// testdata/manifest.json, whatever the processor, the number of workers, the
// names of the folders and the builds' tags. Who changes a recipe raises its
// version and runs this with -update.
func TestSameBytesEverywhere(t *testing.T) {
	golden := filepath.Join("testdata", "manifest.json")
	var first cooktest.Tree
	for i, workers := range []int{1, 2, 16} {
		// Names of different lengths, at another depth each.
		base := filepath.Join(t.TempDir(), fmt.Sprintf("%0*d", 1+7*i, 0))
		out := filepath.Join(base, "out")
		s, err := cook.Cook(t.Context(), cook.Options{
			Dir: filepath.Join("..", "testdata", "assets"), Out: out, Cache: filepath.Join(base, "store"), Workers: workers,
		})
		if err != nil || s.Failed.Assets != 0 || s.Cooked.Assets < 80 {
			t.Fatalf("%d workers: %s, %v", workers, s.Line(), err)
		}
		tree, err := cooktest.ReadTree(out)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = tree
		}
		if d := first.Diff(tree); d != "" {
			t.Errorf("%d workers: %s", workers, d)
		}
		got, err := os.ReadFile(filepath.Join(out, "manifest.json"))
		if err != nil {
			t.Fatal(err)
		}
		if *update && i == 0 {
			if err := os.WriteFile(golden, got, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d workers: another manifest than %s, which begins to differ at byte %d: %.80q, want %.80q",
				workers, golden, common(got, want), got[common(got, want):], want[common(got, want):])
		}
	}
}

// common is how many bytes two texts have in common at their beginning.
func common(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
