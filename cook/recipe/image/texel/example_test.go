package texel_test

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/cook/recipe/image/pixel"
	"github.com/assetcook/assetcook/cook/recipe/image/texel"
	"github.com/assetcook/assetcook/cook/recipe/image/texture"
)

func ExampleEncode() {
	m := pixel.New(4, 4, pixel.Bits8)
	for i := range m.Pix8 {
		m.Pix8[i] = 255 // a white square
	}
	block, err := texel.Encode(context.Background(), texture.BC4, m, texel.Options{Quality: texel.Normal})
	fmt.Printf("% x %v\n", block, err)
	// Output: ff ff 00 00 00 00 00 00 <nil>
}
