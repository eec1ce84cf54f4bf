package manifest_test

import (
	"fmt"
	"io/fs"
	"log"
	"strings"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/manifest"
)

// This example lists the artifacts of an output directory, as an engine would.
func ExampleRead() {
	cooked := outputFolder() // a game would call os.DirFS("cooked")
	load := func(name string) ([]byte, error) { return fs.ReadFile(cooked, name) }
	root, err := load(manifest.Name)
	if err != nil {
		log.Fatal(err)
	}
	for asset, err := range manifest.Read(root, load) {
		if err != nil {
			log.Fatal(err)
		}
		for _, output := range asset.Outputs {
			fmt.Println(asset.Source, "->", output.Path, output.Size)
		}
	}
	// Output: ui/logo.png -> ui/logo.png.ktx2 2048
}

// outputFolder returns an output directory with one asset.
func outputFolder() fs.FS {
	return fstest.MapFS{"manifest.json": {Data: []byte(`{"assetcook":2,"assets":[
{"source":"ui/logo.png","outputs":[{"path":"ui/logo.png.ktx2","size":2048,"blake3":"` + strings.Repeat("0f", 32) + `"}]}
]}
`)}}
}
