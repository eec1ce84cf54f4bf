// Package astc compresses pictures to ASTC, the block format that graphics processors of
// phones read, in its profile of low dynamic range and in two dimensions, and decodes such
// blocks. The same pixels give the same bytes on every machine: whatever decides anything
// is a whole number, or a float that is rounded alike everywhere.
//
// A block is 16 bytes whatever its size. It has one to four parts, each with a line between
// two colors, and a grid of weights, which are stretched over the pixels and say where each
// is on its line. How fine the grid, its weights and the ends of the lines are is up to the
// block. An encoder is good where it finds how best to share out the bits, and quick where it
// finds that without trying. This one takes the weights that it would like apart into waves:
// how much of each wave a grid can keep is known beforehand, so that the loss of every grid
// and fineness is guessed at once, and only the best guesses are carried out.
//
// Source of the format: Khronos Data Format Specification 1.4, chapter 23.
package astc

import (
	"context"
	"fmt"
	"slices"

	"github.com/assetcook/assetcook/internal/image/blockfit"
)

// Quality is how much work goes into a block.
type Quality = blockfit.Quality

// The qualities.
const (
	Fast   = blockfit.Fast
	Normal = blockfit.Normal
	Best   = blockfit.Best
)

// Options are how to compress. The zero value is Fast, every channel alike.
type Options struct {
	Quality Quality

	// WeighAlpha says that alpha is coverage: the error of a pixel's color counts as much
	// as its alpha, and fully transparent pixels may have any color. Without it the color
	// of every pixel counts alike.
	WeighAlpha bool

	// AlphaWeight is how many times the squared error of alpha counts, up to 16; 0 is once.
	// Where red, green and blue hold one value and alpha another, 3 counts both alike.
	AlphaWeight int
}

// sides are the sizes of blocks, in pixels a side.
var sides = [...]int{4, 5, 6, 8}

// Size returns the number of bytes of a compressed picture of w by h pixels, in blocks of
// side by side pixels.
func Size(w, h, side int) int {
	return (w + side - 1) / side * ((h + side - 1) / side) * 16
}

// Encode writes the blocks of a picture of w by h pixels, row by row, to dst, which has
// Size(w, h, side) bytes. A block has 4, 5, 6 or 8 pixels a side. pix has four bytes, RGBA,
// for each pixel, row by row. If the size is no multiple of side, the last column and row
// are repeated. A block of pixels whose alpha is 255 decodes to an alpha of 255, and a
// block of a single color to exactly that color. Rows of blocks are the same whether they
// are compressed together or one by one. Encode works in the calling goroutine, and ends
// early with the error of ctx. After an error dst is useless.
func Encode(ctx context.Context, dst, pix []byte, w, h, side int, o Options) error {
	switch {
	case !slices.Contains(sides[:], side):
		return fmt.Errorf("astc: blocks of %d by %d pixels: want 4, 5, 6 or 8", side, side)
	case o.AlphaWeight < 0 || o.AlphaWeight > 16:
		return fmt.Errorf("astc: alpha counts %d times: want 0 to 16", o.AlphaWeight)
	}
	p := picture{blockfit.Grid{W: w, H: h, Side: side}, pix}
	if err := p.Check(len(pix), 4, "bytes", len(dst), 16, o.Quality); err != nil {
		return fmt.Errorf("astc: %w", err)
	}
	e := newEncoder(o.Quality, side)
	e.countAlpha(max(1, o.AlphaWeight))
	encode := e.encode
	if o.WeighAlpha {
		encode = e.encodeWeighed
	}
	var pixels [256]byte
	return p.Each(ctx, func(at int) {
		p.gather(&pixels, at)
		*(*[16]byte)(dst[16*at:]) = encode(&pixels)
	})
}

// A picture is RGBA pixels row by row.
type picture struct {
	blockfit.Grid
	pix []byte
}

// gather copies the pixels of a block.
func (p *picture) gather(dst *[256]byte, at int) { blockfit.Gather(p.Grid, dst[:], p.pix, 4, at) }
