package image_test

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
	texture "github.com/assetcook/assetcook/recipes/image"
)

// The example cooks an image into a texture in a KTX2 file.
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
	project := cook.Project{Dir: filepath.Join(dir, "assets"), Engine: "own", Cache: filepath.Join(dir, "store"), Recipes: []recipe.Recipe{texture.Recipe()}}
	if err := os.CopyFS(project.Dir, fstest.MapFS{
		"crate.png": {Data: crate.Bytes()},
	}); err != nil {
		log.Fatal(err)
	}
	if _, err := cook.Cook(context.Background(), project, cook.CookOptions{}); err != nil {
		log.Fatal(err)
	}
	made, err := os.ReadFile(filepath.Join(dir, "cooked/crate.png.ktx2"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q", made[1:7])
	// Output:
	// "KTX 20"
}
