package text_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/recipes/text"
)

// The example converts text from Latin-1 to UTF-8, with Unix line endings.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	project := cook.Project{Dir: filepath.Join(dir, "assets"), Cache: filepath.Join(dir, "store"), Recipes: []recipe.Recipe{text.Recipe()}}
	if err := os.CopyFS(project.Dir, fstest.MapFS{
		"credits.txt": {Data: []byte("Jos\xe9\r\n")},
		"cook.toml": {Data: []byte(`[[rule]]
match = "*.txt"
recipe = "text"
encoding = "latin1"
`)},
	}); err != nil {
		log.Fatal(err)
	}
	if _, err := cook.Cook(context.Background(), project, cook.CookOptions{}); err != nil {
		log.Fatal(err)
	}
	made, err := os.ReadFile(filepath.Join(dir, "cooked/credits.txt"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q", made)
	// Output:
	// "José\n"
}
