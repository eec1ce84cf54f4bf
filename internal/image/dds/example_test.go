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
	// A level of the texture holds both images; the file holds each image with all its levels.
	fmt.Println(file.Bytes()[148:])
	// Output: [1 2 5 3 4 6]
}
