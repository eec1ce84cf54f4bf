package verify_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/verify"
)

// TestSweepFindsTheSame compares two ways to verify random damage. Without patterns, most assets are
// checked one by one. A pattern that matches everything makes verify plan all assets together.
func TestSweepFindsTheSame(t *testing.T) {
	const files = 24
	name := func(i int) string { return fmt.Sprintf("d%d/%02d.%s", i%3, i, []string{"txt", "json", "raw"}[i%3]) }
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			tr := newTree(t)
			rules := "[[rule]]\nmatch = \"*.raw\"\nrecipe = \"copy\"\n[[rule]]\nmatch = \"*.txt\"\nrecipe = \"zstd\"\noutput = \"{path}\"\n"
			if seed%3 == 0 {
				rules += "[target.a]\n[target.b]\n"
				tr.Scope.Targets = []string{"a", "b"}
			}
			tr.write(t, "cook.toml", rules)
			for i := range files {
				tr.write(t, name(i), fmt.Sprintf("{\"number\": %d}", i))
			}
			tr.cook(t)
			if seed%2 == 1 { // the index gets a file with changes
				tr.write(t, name(random.IntN(files)), "{}")
				tr.cook(t)
			}
			tr.Scope.Targets = nil
			output := func(i int) string {
				if seed%3 == 0 {
					return tr.output([]string{"a/", "b/"}[i%2] + name(i))
				}
				return tr.output(name(i))
			}
			for range random.IntN(5) {
				i := random.IntN(files)
				harm := []func(){
					func() { flip(t, tr.asset(name(i))) },
					func() { flip(t, output(i)) },
					func() { must(t, os.Chmod(output(i), 0o600)) },
					func() { os.Remove(output(i)) },
					func() { os.Remove(tr.asset(name(i))) },
					func() { tr.write(t, "new/"+name(i), "{\"new\": 1}") },
					func() { tr.write(t, ".cookignore", name(i)+"\n") },
					func() { tr.write(t, "cook.toml", rules+"[[rule]]\nmatch = \"d1/*\"\nrecipe = \"copy\"\n") },
					func() { tr.write(t, "cook.toml", rules+"[target.c]\n") },
				}[random.IntN(9)]
				if _, err := os.Stat(output(i)); err == nil {
					if _, err := os.Stat(tr.asset(name(i))); err == nil {
						harm()
					}
				}
			}
			one, sum := tr.verify(t, "0")
			tr.Scope.Patterns = []string{"**"}
			all, want := tr.verify(t, "0")
			one = slices.DeleteFunc(one, func(f verify.Finding) bool { return f.Kind == verify.ExtraFile })
			if a, b := fmt.Sprint(one), fmt.Sprint(all); a != b {
				t.Errorf("found one by one: %s\nfound together: %s", a, b)
			}
			if sum.Outputs != want.Outputs || sum.Bytes != want.Bytes || sum.Assets != want.Assets || sum.Blobs != want.Blobs {
				t.Errorf("one by one %+v, together %+v", sum, want)
			}
		})
	}
}

// TestSampleOfPassedAssets expects a sample to be drawn from the assets that were checked one by one,
// and to have the given size.
func TestSampleOfPassedAssets(t *testing.T) {
	tr := newTree(t)
	for i := range 40 {
		tr.write(t, fmt.Sprintf("%02d.txt", i), fmt.Sprint(i))
	}
	tr.cook(t)
	for _, tt := range []struct {
		sample string
		want   int
	}{{"0", 0}, {"1", 1}, {"10%", 4}, {"7", 7}, {"100", 40}} {
		found, sum := tr.verify(t, tt.sample)
		mustFind(t, found)
		if sum.Again != tt.want || sum.Outputs != 40 || sum.Assets != 40 {
			t.Errorf("sample %s: %+v", tt.sample, sum)
		}
	}
}
