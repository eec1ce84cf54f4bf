package font_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing/fstest"

	"golang.org/x/image/font/gofont/goregular"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/recipes/font"
)

// The example turns a font into a texture of distances, and JSON of its glyphs.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	project := cook.Project{Dir: filepath.Join(dir, "assets"), Cache: filepath.Join(dir, "store"), Recipes: []recipe.Recipe{font.Recipe()}}
	if err := os.CopyFS(project.Dir, fstest.MapFS{
		"go.ttf": {Data: goregular.TTF},
		"cook.toml": {Data: []byte(`[[rule]]
match = "*.ttf"
recipe = "font"
charset = ["U+41-5A"]
`)},
	}); err != nil {
		log.Fatal(err)
	}
	if _, err := cook.Cook(context.Background(), project, cook.CookOptions{}); err != nil {
		log.Fatal(err)
	}
	made, err := os.ReadFile(filepath.Join(dir, "cooked/go.ttf.json"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(made) > 0)
	// Output:
	// true
}
