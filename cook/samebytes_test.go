package cook_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/assetcook/assetcook/internal/proof/oracle"
)

var update = flag.Bool("update", false, "rewrite testdata/manifest.json")

// TestSameBytesEverywhere compares the outputs of testdata/assets with testdata/manifest.json. They
// must be the same on every processor, for any number of workers, any directory names, and all
// build tags. After changing a recipe, raise its version and run this test with -update.
func TestSameBytesEverywhere(t *testing.T) {
	golden := filepath.Join("testdata", "manifest.json")
	var first oracle.Tree
	for i, workers := range []int{1, 2, 16} {
		base := filepath.Join(t.TempDir(), fmt.Sprintf("%0*d", 1+7*i, 0))
		out := filepath.Join(base, "out")
		s, err := oracle.Run{
			Dir: filepath.Join("..", "testdata", "assets"), Out: out, Cache: filepath.Join(base, "store"), Workers: workers,
		}.Cook(t.Context())
		if err != nil || s.Failed.Assets != 0 || s.Cooked.Assets < 80 {
			t.Fatalf("%d workers: %s, %v", workers, s.String(), err)
		}
		tree := readTree(t, out)
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
			t.Errorf("%d workers: manifest differs from %s at byte %d: %.80q, want %.80q",
				workers, golden, commonPrefix(got, want), got[commonPrefix(got, want):], want[commonPrefix(got, want):])
		}
	}
}

func commonPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
