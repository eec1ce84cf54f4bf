// Package uastc compresses pictures to UASTC LDR 4x4 and decodes its blocks. No
// graphics processor reads it: it is a subset of ASTC that a loader transcodes, quickly
// and with next to no loss, to ASTC, BC7, ETC2 and the other formats that one reads. The
// same pixels give the same bytes on every machine: whatever decides anything is a whole
// number, or a float that is rounded alike everywhere.
//
// A block of 4 by 4 pixels is 16 bytes. It says which of 19 modes it is in, hints for
// transcoders to formats that are not like ASTC, and then what ASTC stores: ends of one
// to three lines of colors, and the pixels' places on them.
//
// Source: Binomial, "UASTC LDR 4x4 Texture Specification" (wiki of basis_universal), and
// the Khronos Data Format Specification, "ASTC Compressed Texture Image Formats".
package uastc

import (
	"context"
	"fmt"

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
}

// Size returns the number of bytes of a compressed picture of w by h pixels.
func Size(w, h int) int {
	return (w + 3) / 4 * ((h + 3) / 4) * 16
}

// Encode writes the blocks of a picture of w by h pixels, row by row, to dst, which has
// Size(w, h) bytes. pix has four bytes, RGBA, for each pixel, row by row. If the size is no
// multiple of four, the last column and row are repeated. A block of pixels whose alpha is
// 255 decodes to an alpha of 255, and a block of a single color to exactly that color. Rows
// of blocks are the same whether they are compressed together or one by one. Encode works
// in the calling goroutine, and ends early with the error of ctx. After an error dst is
// useless.
func Encode(ctx context.Context, dst, pix []byte, w, h int, o Options) error {
	p := picture{blockfit.Grid{W: w, H: h, Side: 4}, pix}
	if err := p.Check(len(pix), 4, "bytes", len(dst), 16, o.Quality); err != nil {
		return fmt.Errorf("uastc: %w", err)
	}
	e := newEncoder(o.Quality)
	encode := e.encode
	if o.WeighAlpha {
		encode = e.encodeWeighed
	}
	var pixels [64]byte
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
func (p *picture) gather(dst *[64]byte, at int) { blockfit.Gather(p.Grid, dst[:], p.pix, 4, at) }
