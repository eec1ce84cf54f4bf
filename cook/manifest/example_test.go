package manifest_test

import (
	"fmt"
	"io/fs"
	"log"
	"slices"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/manifest"
)

// An engine lists the artifacts of an output folder.
func ExampleRead() {
	cooked := outputFolder() // in a game: os.DirFS("cooked")
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

// outputFolder returns an output folder with one asset.
func outputFolder() fs.FS {
	folder := fstest.MapFS{}
	assets := []manifest.Asset{{Source: "ui/logo.png", Outputs: []manifest.Output{{Path: "ui/logo.png.ktx2", Size: 2048}}}}
	err := manifest.Build(slices.Values(assets), func(f manifest.File) error {
		folder[f.Name] = &fstest.MapFile{Data: f.Data}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	return folder
}
