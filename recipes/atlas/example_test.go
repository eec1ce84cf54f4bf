package atlas_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"log"
	"os"
	"path/filepath"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/recipes/atlas"
)

// The example packs two images into one, and writes JSON with the place of each.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	var crate bytes.Buffer
	if err := png.Encode(&crate, image.NewNRGBA(image.Rect(0, 0, 64, 64))); err != nil {
		log.Fatal(err)
	}
	project := cook.Project{Dir: filepath.Join(dir, "assets"), Cache: filepath.Join(dir, "store"), Recipes: []recipe.Recipe{atlas.Recipe()}}
	if err := os.CopyFS(project.Dir, fstest.MapFS{
		"ui.sprites": {Data: []byte("*.png\n")},
		"ok.png":     {Data: crate.Bytes()},
		"back.png":   {Data: crate.Bytes()},
	}); err != nil {
		log.Fatal(err)
	}
	if _, err := cook.Cook(context.Background(), project, cook.CookOptions{}); err != nil {
		log.Fatal(err)
	}
	made, err := os.ReadFile(filepath.Join(dir, "cooked/ui.json"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(bytes.Contains(made, []byte(`"ok.png"`)), bytes.Contains(made, []byte(`"back.png"`)))
	// Output:
	// true true
}
