package pixmap_test

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// The mean of a black and white checkerboard has half the light of white. Its sRGB value is above
// one half. The colors of invisible pixels do not count.
func ExampleMips() {
	board := pixmap.New(2, 2, pixmap.Bits8)
	board.Pix8 = []uint8{
		0, 0, 0, 255, 255, 255, 255, 255,
		255, 255, 255, 255, 0, 0, 0, 255,
	}
	levels, err := pixmap.Mips(context.Background(), board, pixmap.MipOptions{})
	fmt.Println(levels[1].Pix8, err)

	sprite := pixmap.New(2, 2, pixmap.Bits8)
	sprite.Pix8 = []uint8{
		255, 0, 0, 255, 0, 255, 0, 0,
		0, 255, 0, 0, 0, 255, 0, 0,
	}
	levels, err = pixmap.Mips(context.Background(), sprite, pixmap.MipOptions{})
	fmt.Println(levels[1].Pix8, err)
	// Output:
	// [188 188 188 255] <nil>
	// [255 0 0 64] <nil>
}

func ExampleResize() {
	ctx := context.Background()
	w, h := pixmap.Fit(400, 300, 256)
	w, h = pixmap.Down.PowerOfTwo(w), pixmap.Down.PowerOfTwo(h)
	m, err := pixmap.Resize(ctx, pixmap.New(400, 300, pixmap.Bits8), w, h, pixmap.Sampling{})
	fmt.Println(m.W, m.H, err)
	// Output: 256 128 <nil>
}

// The example stores the roughness of one image in the green channel of another.
func ExampleAssemble() {
	occlusion := &pixmap.Map{W: 1, H: 1, Pix8: []uint8{200, 200, 200, 255}}
	gloss := &pixmap.Map{W: 1, H: 1, Pix8: []uint8{55, 55, 55, 255}}
	packed, err := pixmap.Assemble(context.Background(), 1, 1, pixmap.Bits8, [4]pixmap.Part{
		{From: occlusion, Channel: pixmap.Channel{Of: 'r'}},
		{From: gloss, Channel: pixmap.Channel{Of: 'r', Invert: true}},
		{Channel: pixmap.Channel{Of: '0'}},
		{Channel: pixmap.Channel{Of: '1'}},
	})
	fmt.Println(packed.Pix8, err)
	// Output: [200 200 0 255] <nil>
}
