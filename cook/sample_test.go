package cook_test

import (
	"path/filepath"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cooktest"
)

// sampleOptions are those of a cook of the sample.
func sampleOptions(t *testing.T) cook.Options {
	t.Helper()
	dir := t.TempDir()
	opt := cook.Options{Dir: filepath.Join(dir, "assets"), Out: filepath.Join(dir, "cooked"), Cache: filepath.Join(dir, "store"), Workers: 2}
	if err := cooktest.Sample(opt.Dir); err != nil {
		t.Fatal(err)
	}
	return opt
}

// scratchTree is what a cook from scratch gives.
func scratchTree(t *testing.T, opt cook.Options) cooktest.Tree {
	t.Helper()
	dir := t.TempDir()
	s, err := cook.Cook(t.Context(), cook.Options{Dir: opt.Dir, Out: filepath.Join(dir, "out"), Cache: filepath.Join(dir, "store")})
	if err != nil || s.Failed.Assets > 0 {
		t.Fatalf("from scratch: %s, %v", s.Line(), err)
	}
	return readTree(t, filepath.Join(dir, "out"))
}
