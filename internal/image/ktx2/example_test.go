package ktx2_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/assetcook/assetcook/internal/image/ktx2"
	"github.com/assetcook/assetcook/internal/image/texture"
)

func ExampleWrite() {
	gray := &texture.Texture{Format: texture.R8, W: 2, H: 1, Swizzle: "rrr1", Levels: [][]byte{{0, 255}, {128}}}
	file, err := os.CreateTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(file.Name())
	if err := errors.Join(ktx2.Write(context.Background(), file, gray, ktx2.Supercompression{}), file.Close()); err != nil {
		fmt.Println(err)
		return
	}
	data, err := os.ReadFile(file.Name())
	if err != nil {
		fmt.Println(err)
		return
	}
	again, err := ktx2.Read(data, 1<<20)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(again.Format, again.W, again.H, again.Swizzle, again.Levels)
	// Output: r8 2 1 rrr1 [[0 255] [128]]
}
