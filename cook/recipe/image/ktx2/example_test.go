package ktx2_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/assetcook/assetcook/cook/recipe/image/ktx2"
	"github.com/assetcook/assetcook/cook/recipe/image/texture"
)

func ExampleWrite() {
	grey := &texture.Texture{Format: texture.R8, W: 2, H: 1, Swizzle: "rrr1", Levels: [][]byte{{0, 255}, {128}}}
	var file bytes.Buffer
	if err := ktx2.Write(context.Background(), &file, grey, ktx2.Supercompression{}); err != nil {
		fmt.Println(err)
		return
	}
	again, err := ktx2.Read(file.Bytes(), 1<<20)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(again.Format, again.W, again.H, again.Swizzle, again.Levels)
	// Output: r8 2 1 rrr1 [[0 255] [128]]
}
