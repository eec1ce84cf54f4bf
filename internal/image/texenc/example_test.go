package texenc_test

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texenc"
	"github.com/assetcook/assetcook/internal/image/texture"
)

func ExampleEncode() {
	m := pixmap.New(4, 4, pixmap.Bits8)
	for i := range m.Pix8 {
		m.Pix8[i] = 255 // makes a white square
	}
	block, err := texenc.Encode(context.Background(), texture.BC4, m, texenc.Options{Quality: texenc.Normal})
	fmt.Printf("% x %v\n", block, err)
	// Output: ff ff 00 00 00 00 00 00 <nil>
}
