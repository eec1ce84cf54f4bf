package dds_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/assetcook/assetcook/internal/image/dds"
	"github.com/assetcook/assetcook/internal/image/texture"
)

func ExampleWrite() {
	array := &texture.Texture{Format: texture.R8, W: 2, H: 1, Layers: 2, Levels: [][]byte{{1, 2, 3, 4}, {5, 6}}}
	var file bytes.Buffer
	if err := dds.Write(context.Background(), &file, array, dds.Auto); err != nil {
		fmt.Println(err)
		return
	}
	// The texture stores both images of a level together. The file stores all levels of an image
	// together.
	fmt.Println(file.Bytes()[148:])
	// Output: [1 2 5 3 4 6]
}
