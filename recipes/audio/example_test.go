package audio_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/recipes/audio"
)

// The example cooks a sound into a QOA file.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	silence := append([]byte("RIFF\x2c\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x08\x00\x00\x00"), make([]byte, 8)...)
	project := cook.Project{Dir: filepath.Join(dir, "assets"), Cache: filepath.Join(dir, "store"), Recipes: []recipe.Recipe{audio.Recipe()}}
	if err := os.CopyFS(project.Dir, fstest.MapFS{
		"step.wav": {Data: silence},
		"cook.toml": {Data: []byte(`[[rule]]
match = "*.wav"
recipe = "audio"
format = "qoa"
`)},
	}); err != nil {
		log.Fatal(err)
	}
	if _, err := cook.Cook(context.Background(), project, cook.CookOptions{}); err != nil {
		log.Fatal(err)
	}
	made, err := os.ReadFile(filepath.Join(dir, "cooked/step.qoa"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q", made[:4])
	// Output:
	// "qoaf"
}
