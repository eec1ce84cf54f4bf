// Package bc7 compresses pictures to BC7, the block format of four channels that
// graphics processors read (DXGI_FORMAT_BC7_UNORM, VK_FORMAT_BC7_UNORM_BLOCK,
// BPTC), and decodes its blocks. The same pixels give the same bytes on every
// machine: whatever decides anything is a whole number, or a float that is rounded
// alike everywhere.
//
// A block of 4 by 4 pixels is 16 bytes. It says which of eight modes it is in; each
// splits the bits otherwise between colors, the number of lines of colors, and
// the pixels' places on them. An encoder is good where it finds the right mode, and
// quick where it finds it without trying them all.
package bc7

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

	// RDO is the loss of PSNR, in dB up to 10, allowed for blocks that a general
	// compressor, zstd above all, shrinks further. 0 allows none. The loss counts from the
	// quality's own result, and is never more; as little as 0.5 saves about a sixth of the
	// compressed size. RDO takes some 5 microseconds a block, 15 with Best, and 24 bytes.
	RDO float64
}

// Size returns the number of bytes of a compressed picture of w by h pixels.
func Size(w, h int) int {
	return (w + 3) / 4 * ((h + 3) / 4) * 16
}

// Encode writes the blocks of a picture of w by h pixels, row by row, to dst, which has
// Size(w, h) bytes. pix has four bytes, RGBA, for each pixel, row by row. If the size is no
// multiple of four, the last column and row are repeated. A block of pixels whose alpha is
// 255 decodes to an alpha of 255, and a block of a single color to exactly that color.
// Without RDO, rows of blocks are the same whether they are compressed together or one by
// one. Encode works in the calling goroutine, and ends early with the error of ctx. After
// an error dst is useless.
func Encode(ctx context.Context, dst, pix []byte, w, h int, o Options) error {
	p := picture{blockfit.Grid{W: w, H: h, Side: 4}, pix}
	if err := p.Check(len(pix), 4, "bytes", len(dst), 16, o.Quality); err != nil {
		return fmt.Errorf("bc7: %w", err)
	}
	e := newEncoder(o.Quality)
	e.exact = o.RDO != 0
	encode := e.encode
	if o.WeighAlpha {
		encode = e.encodeWeighed
	}
	var errs []int64
	var grown float64
	if o.RDO != 0 {
		var err error
		if grown, err = growth(o.RDO); err != nil {
			return err
		}
		errs = make([]int64, p.Blocks())
	}
	var pixels [64]byte
	err := p.Each(ctx, func(at int) {
		p.gather(&pixels, at)
		*(*[16]byte)(dst[16*at:]) = encode(&pixels)
		if errs != nil {
			errs[at] = e.sse
		}
	})
	if err != nil {
		return err
	}
	if errs != nil {
		// With an encoder of its own, the one above needs no heap.
		b := budget{picture: p, encoder: newEncoder(o.Quality), ctx: ctx, weighed: o.WeighAlpha, given: slices.Clone(dst[:Size(w, h)]), sse: errs, growth: grown}
		return b.shrink(dst)
	}
	return nil
}

// A picture is RGBA pixels row by row.
type picture struct {
	blockfit.Grid
	pix []byte
}

// gather copies the pixels of a block.
func (p *picture) gather(dst *[64]byte, at int) { blockfit.Gather(p.Grid, dst[:], p.pix, 4, at) }
