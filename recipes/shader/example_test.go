package shader_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/recipes/shader"
)

// The example includes a file into a shader.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	project := cook.Project{Dir: filepath.Join(dir, "assets"), Cache: filepath.Join(dir, "store"), Recipes: []recipe.Recipe{shader.Recipe()}}
	if err := os.CopyFS(project.Dir, fstest.MapFS{
		"water.frag": {Data: []byte("#include \"light.glsl\"\nvoid main() { shade(); }\n")},
		"light.glsl": {Data: []byte("void shade() {}\n")},
		"cook.toml": {Data: []byte(`[[rule]]
match = "*.{frag,glsl}"
recipe = "shader"
`)},
	}); err != nil {
		log.Fatal(err)
	}
	if _, err := cook.Cook(context.Background(), project, cook.CookOptions{}); err != nil {
		log.Fatal(err)
	}
	made, err := os.ReadFile(filepath.Join(dir, "cooked/water.frag"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", made)
	// Output:
	// void shade() {}
	// void main() { shade(); }
}
