package lut_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/recipes/lut"
)

// The example converts a color grading table to a 3D texture in a KTX2 file.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	project := cook.Project{Dir: filepath.Join(dir, "assets"), Engine: "own", Cache: filepath.Join(dir, "store"), Recipes: []recipe.Recipe{lut.Recipe()}}
	if err := os.CopyFS(project.Dir, fstest.MapFS{
		"noir.cube": {Data: []byte("LUT_3D_SIZE 2\n" + strings.Repeat("0.5 0.5 0.5\n", 8))},
	}); err != nil {
		log.Fatal(err)
	}
	if _, err := cook.Cook(context.Background(), project, cook.CookOptions{}); err != nil {
		log.Fatal(err)
	}
	made, err := os.ReadFile(filepath.Join(dir, "cooked/noir.cube.ktx2"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q", made[1:7])
	// Output:
	// "KTX 20"
}
