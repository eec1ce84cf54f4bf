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
	"errors"
	"fmt"
)

// Quality is how much work goes into a block.
type Quality uint8

const (
	Fast   Quality = iota // for every edit
	Normal                // for what is looked at
	Best                  // for what is shipped
)

// Options are how to compress. The zero value is Fast, every channel alike.
type Options struct {
	Quality Quality

	// WeighAlpha says that alpha is coverage: the error of a pixel's color counts as
	// much as its alpha, and what is fully transparent may have any color. Without
	// it the color of every pixel counts alike.
	WeighAlpha bool
}

// Size returns the number of bytes of a compressed picture of w by h pixels.
func Size(w, h int) int {
	return (w + 3) / 4 * ((h + 3) / 4) * 16
}

// Encode writes the blocks of a picture of w by h pixels, row by row, to dst, which
// has Size(w, h) bytes. pix has four bytes, RGBA, for each pixel, row by row. Where
// the size is no multiple of four, the last column and row are repeated. A block of
// pixels whose alpha is 255 decodes to an alpha of 255, and one of a single color to
// just that color. Rows of blocks are the same whether they are compressed together or
// one by one. The work is done in the calling goroutine, and ends early with the error
// of ctx. What is in dst after an error is of no use.
func Encode(ctx context.Context, dst, pix []byte, w, h int, o Options) error {
	switch {
	case w <= 0 || h <= 0 || w > 1<<20 || h > 1<<20:
		return fmt.Errorf("uastc: a picture of %d by %d pixels: want 1 to %d in each direction", w, h, 1<<20)
	case int64(len(pix)) < 4*int64(w)*int64(h):
		return fmt.Errorf("uastc: %d bytes are too few for %d by %d pixels", len(pix), w, h)
	case len(dst) < Size(w, h):
		return fmt.Errorf("uastc: %d bytes are too few for the blocks of %d by %d pixels", len(dst), w, h)
	case o.Quality > Best:
		return errors.New("uastc: unknown quality")
	}
	e := newEncoder(o.Quality)
	encode := e.encode
	if o.WeighAlpha {
		encode = e.encodeWeighed
	}
	p := picture{pix, w, h}
	var pixels [64]byte
	for at := range p.blocks() {
		if at%blocksBetweenLooks == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		p.gather(&pixels, at)
		*(*[16]byte)(dst[16*at:]) = encode(&pixels)
	}
	return nil
}

// blocksBetweenLooks is after how many blocks the context is asked: few milliseconds.
const blocksBetweenLooks = 128

// A picture is RGBA pixels row by row.
type picture struct {
	pix  []byte
	w, h int
}

// blocks is the number of blocks.
func (p *picture) blocks() int { return (p.w + 3) / 4 * ((p.h + 3) / 4) }

// gather copies the pixels of a block.
func (p *picture) gather(dst *[64]byte, at int) {
	across := (p.w + 3) / 4
	x, y := at%across*4, at/across*4
	for i := range 16 {
		from := 4 * (min(y+i/4, p.h-1)*p.w + min(x+i%4, p.w-1))
		copy(dst[4*i:4*i+4], p.pix[from:from+4])
	}
}
