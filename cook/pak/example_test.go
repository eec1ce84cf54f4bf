package pak_test

import (
	"context"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"

	"github.com/assetcook/assetcook/cook/pak"
)

// This example writes a file to a pak and reads it back.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "level1.pak")
	read := func() ([]byte, error) { return []byte("gravity = 9.8"), nil }
	if _, err := pak.Create(context.Background(), name, []pak.File{{Name: "data/world.toml", Read: read}}, pak.Options{}); err != nil {
		log.Fatal(err)
	}

	p, err := pak.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	data, err := fs.ReadFile(p, "data/world.toml")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Len(), string(data))
	// Output: 1 gravity = 9.8
}
