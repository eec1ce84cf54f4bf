package builtin_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/recipes/builtin"
)

// The example drops comments and white space from JSON.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	project := cook.Project{Dir: filepath.Join(dir, "assets"), Cache: filepath.Join(dir, "store"), Recipes: builtin.All()}
	if err := os.CopyFS(project.Dir, fstest.MapFS{
		"game.jsonc": {Data: []byte("{\n\t// seconds\n\t\"delay\": 3,\n}")},
	}); err != nil {
		log.Fatal(err)
	}
	if _, err := cook.Cook(context.Background(), project, cook.CookOptions{}); err != nil {
		log.Fatal(err)
	}
	made, err := os.ReadFile(filepath.Join(dir, "cooked/game.jsonc"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", made)
	// Output:
	// {"delay":3}
}
