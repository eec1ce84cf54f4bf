package restat

import (
	"fmt"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/index"
)

// Find must release memory of the index during the comparison, and not only at its end.
func TestFindGivesMemoryBack(t *testing.T) {
	const folders, files = 100, 300
	next := index.Empty().Anew("xxh3")
	for i := range folders * files {
		next.PutFile(index.File{Path: fmt.Sprintf("%d/%05d", i%folders, i), Role: index.Asset})
	}
	x, err := next.Index()
	if err != nil {
		t.Fatal(err)
	}
	given := 0
	x.ReleaseBy(func(from, to int) { given++ })
	found, err := Find(t.Context(), Options{Index: x, Assets: t.TempDir(), Out: t.TempDir(), Workers: 1})
	if err != nil || len(found.Files) != folders*files {
		t.Fatalf("%v, %d files found", err, len(found.Files))
	}
	if given < 2 {
		t.Errorf("memory was given back %d times", given)
	}
}
