package pixel_test

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/cook/recipe/image/pixel"
)

// A black and white checkerboard seen from afar is as bright as half its light,
// which is more than half the number. What cannot be seen has no say.
func ExampleMips() {
	board := pixel.New(2, 2, pixel.Bits8)
	board.Pix8 = []uint8{
		0, 0, 0, 255, 255, 255, 255, 255,
		255, 255, 255, 255, 0, 0, 0, 255,
	}
	levels, err := pixel.Mips(context.Background(), board, pixel.MipOptions{})
	fmt.Println(levels[1].Pix8, err)

	sprite := pixel.New(2, 2, pixel.Bits8)
	sprite.Pix8 = []uint8{
		255, 0, 0, 255, 0, 255, 0, 0,
		0, 255, 0, 0, 0, 255, 0, 0,
	}
	levels, err = pixel.Mips(context.Background(), sprite, pixel.MipOptions{})
	fmt.Println(levels[1].Pix8, err)
	// Output:
	// [188 188 188 255] <nil>
	// [255 0 0 64] <nil>
}

func ExampleResize() {
	ctx := context.Background()
	w, h := pixel.Fit(400, 300, 256)
	w, h = pixel.Down.PowerOfTwo(w), pixel.Down.PowerOfTwo(h)
	m, err := pixel.Resize(ctx, pixel.New(400, 300, pixel.Bits8), w, h, pixel.Sampling{})
	fmt.Println(m.W, m.H, err)
	// Output: 256 128 <nil>
}

// The roughness of one picture into the green of another.
func ExampleAssemble() {
	occlusion := &pixel.Map{W: 1, H: 1, Pix8: []uint8{200, 200, 200, 255}}
	gloss := &pixel.Map{W: 1, H: 1, Pix8: []uint8{55, 55, 55, 255}}
	packed, err := pixel.Assemble(context.Background(), 1, 1, pixel.Bits8, [4]pixel.Part{
		{From: occlusion, Channel: pixel.Channel{Of: 'r'}},
		{From: gloss, Channel: pixel.Channel{Of: 'r', Invert: true}},
		{Channel: pixel.Channel{Of: '0'}},
		{Channel: pixel.Channel{Of: '1'}},
	})
	fmt.Println(packed.Pix8, err)
	// Output: [200 200 0 255] <nil>
}
