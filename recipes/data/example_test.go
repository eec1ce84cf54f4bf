package data_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/recipes/data"
)

// The example converts a table to JSON.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	project := cook.Project{Dir: filepath.Join(dir, "assets"), Cache: filepath.Join(dir, "store"), Recipes: []recipe.Recipe{data.Recipe()}}
	if err := os.CopyFS(project.Dir, fstest.MapFS{
		"prices.csv": {Data: []byte("item,price\nsword,120\n")},
		"cook.toml": {Data: []byte(`[[rule]]
match = "*.csv"
recipe = "data"
`)},
	}); err != nil {
		log.Fatal(err)
	}
	if _, err := cook.Cook(context.Background(), project, cook.CookOptions{}); err != nil {
		log.Fatal(err)
	}
	made, err := os.ReadFile(filepath.Join(dir, "cooked/prices.json"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", made)
	// Output:
	// [{"item":"sword","price":"120"}]
}
