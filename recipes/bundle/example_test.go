package bundle_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/recipes/builtin"
	"github.com/assetcook/assetcook/recipes/bundle"
)

// The example generates a header that lists the artifacts of a level.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	project := cook.Project{Dir: filepath.Join(dir, "assets"), Cache: filepath.Join(dir, "store"), Recipes: append(bundle.All(), builtin.All()...)}
	if err := os.CopyFS(project.Dir, fstest.MapFS{
		"level.h.list": {Data: []byte("{{range artifacts \"*.txt\"}}{{range .Outputs}}// {{.Path}}: {{.Size}} bytes\n{{end}}{{end}}")},
		"a.txt":        {Data: []byte("hello")},
		"cook.toml": {Data: []byte(`[[rule]]
match = "*.list"
recipe = "list"
outputs = ["{stem}"]
`)},
	}); err != nil {
		log.Fatal(err)
	}
	if _, err := cook.Cook(context.Background(), project, cook.CookOptions{}); err != nil {
		log.Fatal(err)
	}
	made, err := os.ReadFile(filepath.Join(dir, "cooked/level.h"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", made)
	// Output:
	// // a.txt: 5 bytes
}
