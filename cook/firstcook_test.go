package cook_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
)

// In a first cook a source is summed from its first bytes if these are all, else from the
// open file, and by several workers if it is large and they have nothing else to do. The
// recipe gets all of it each time.
func TestFirstCookOfAllSizes(t *testing.T) {
	const large = 16<<20 + 1 // as bulk.SharedSize
	for _, sizes := range [][]int{{0, 1, recipe.HeadSize - 1, recipe.HeadSize, recipe.HeadSize + 1, 1 << 20}, {large}} {
		p := newProject(t)
		p.run.Workers = 4
		contents := map[string][]byte{}
		for _, size := range sizes {
			name := fmt.Sprintf("%d.bin", size)
			contents[name] = bytes.Repeat([]byte("0123456789abcde\n"), size/16+1)[:size]
			p.write(name, string(contents[name]))
		}
		s := p.cook()
		if s.Cooked.Assets != len(sizes) || s.Checksummed.Assets != len(sizes) {
			t.Errorf("%v: %s, %d files read", sizes, s.String(), s.Checksummed.Assets)
		}
		for name, want := range contents {
			got, err := os.ReadFile(filepath.Join(p.run.Out, name))
			p.must(err)
			if !bytes.Equal(got, want) {
				t.Errorf("%s is another one", name)
			}
		}
		v, err := cook.Verify(p.Context(), p.run.Project(), cook.VerifyOptions{Sample: "100%"})
		p.must(err)
		if v.Differences != 0 || v.Again != len(sizes) {
			t.Errorf("%v: %+v", sizes, v)
		}
	}
}
