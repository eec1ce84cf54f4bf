// Package etc2 encodes and decodes ETC2 and EAC, the block formats that every GPU with OpenGL ES
// 3.0 reads. The same pixels give the same bytes on every machine, because all decisions use
// integers.
//
// A block of 4 by 4 pixels has 8 bytes of color, 8 bytes of alpha or of another single channel, or
// two of these in a row. Colors are encoded in one of five modes. In the two modes of ETC1, each
// half of the block has one color, and each pixel is brighter or darker by a modifier. The T and H
// modes have two colors for the whole block, and the planar mode is a gradient.
//
// The Khronos Data Format Specification 1.4 describes the formats, in the chapters "ETC1 Compressed
// Texture Image Formats" and "ETC2 Compressed Texture Image Formats".
package etc2

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/assetcook/assetcook/internal/image/byalpha"
)

// EncodeRGB writes the blocks of an image of w by h pixels to dst, row by row; dst must have 8
// bytes per block. pix has four bytes, RGBA, per pixel, row by row; alpha is ignored. If a side is
// not a multiple of four, blocks repeat the last column or row. The bytes do not depend on whether
// rows of blocks are encoded together or separately. EncodeRGB works in the calling goroutine and
// stops with ctx's error when ctx is done. After an error the content of dst is undefined.
func EncodeRGB(ctx context.Context, dst, pix []byte, w, h int, o blockfit.Options) error {
	grid, e := blockfit.Grid{W: w, H: h, Side: 4}, newEncoder(o.Quality)
	var pixels [64]byte
	return eachBlock(ctx, dst, len(pix), grid, 4, 8, o, func(block []byte, at int) {
		gatherRGBA(grid, &pixels, pix, at)
		binary.BigEndian.PutUint64(block, e.encode(&pixels))
	})
}

// EncodeRGBA is like EncodeRGB, but writes blocks of 16 bytes: alpha, then color. Alpha is exact if
// it is the same in the whole block.
func EncodeRGBA(ctx context.Context, dst, pix []byte, w, h int, o blockfit.Options) error {
	grid, e := blockfit.Grid{W: w, H: h, Side: 4}, newEncoder(o.Quality)
	color := e.encode
	if o.WeighAlpha {
		color = e.encodeWeighed
	}
	var pixels [64]byte
	return eachBlock(ctx, dst, len(pix), grid, 4, 16, o, func(block []byte, at int) {
		gatherRGBA(grid, &pixels, pix, at)
		binary.BigEndian.PutUint64(block, e.encodeAlpha(&pixels))
		binary.BigEndian.PutUint64(block[8:], color(&pixels))
	})
}

// EncodeEAC writes the blocks of an image of one or two channels; a block has 8 bytes per channel.
// pix has a value from 0 to 65535 for each channel of each pixel, row by row; at most 11 bits of it
// are kept. Otherwise EncodeEAC works like EncodeRGB.
func EncodeEAC(ctx context.Context, dst []byte, pix []uint16, w, h, channels int, o blockfit.Options) error {
	if channels != 1 && channels != 2 {
		return fmt.Errorf("etc2: %d channels: want 1 or 2", channels)
	}
	grid, e := blockfit.Grid{W: w, H: h, Side: 4}, newEncoder(o.Quality)
	var pixels [32]uint16
	var v [16]int32
	return eachBlock(ctx, dst, len(pix), grid, channels, 8*channels, o, func(block []byte, at int) {
		blockfit.Gather(grid, pixels[:16*channels], pix, channels, at)
		for c := range channels {
			for i := range v {
				v[i] = to11(pixels[channels*int(inColumns[i])+c])
			}
			binary.BigEndian.PutUint64(block[8*c:], e.encodeScalar(&v, &kind11))
		}
	})
}

// eachBlock calls the function do for every block.
func eachBlock(ctx context.Context, dst []byte, have int, g blockfit.Grid, channels, size int, o blockfit.Options, do func(block []byte, at int)) error {
	if err := g.Check(have, channels, "numbers", len(dst), size, o.Quality); err != nil {
		return fmt.Errorf("etc2: %w", err)
	}
	return g.Each(ctx, func(at int) { do(dst[size*at:][:size], at) })
}

// gatherRGBA copies the RGBA pixels of the block with index at.
func gatherRGBA(g blockfit.Grid, block *[64]byte, pix []byte, at int) {
	across := uint32(g.W+3) / 4
	y := uint32(at) / across
	x := uint32(at) - y*across
	if int(4*x)+4 > g.W || int(4*y)+4 > g.H {
		blockfit.Gather(g, block[:], pix, 4, at)
		return
	}
	from := 16 * (int(y)*g.W + int(x))
	for row := range 4 {
		*(*[16]byte)(block[16*row:]) = *(*[16]byte)(pix[from:])
		from += 4 * g.W
	}
}

// inColumns maps positions in column order, which blocks use, to positions in row order.
var inColumns = [16]uint8{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}

// An encoder encodes blocks and reuses its memory.
type encoder struct {
	effort effort
	px     block
	best   code  // best encoding found so far
	sse    int32 // squared error of best in all channels
	memo   memo
	sketch sketch
	solid  solid
	lists  [4]list
}

// A solid caches the encoding of a block of a single color.
type solid struct {
	color sums // sums over one column of pixels
	best  code
	sse   int32
}

// An effort holds the limits of the search for one quality.
type effort struct {
	fast bool // true to encode blocks by sums; see encodeFast
	// shifts limits the distance between base colors to try and the mean color of a half, in
	// quantized steps.
	shifts int
	// kept is the number of base colors per half that are combined in pairs.
	kept int
	// A planar block with an error of at most good is accepted at once. The field two is the error
	// above which the T and H modes are tried.
	good, two int32
	// nudge is set to improve the result by changing one quantized value at a time.
	nudge bool
	// scalar limits how far the EAC encoder searches from the estimated multiplier and base.
	scalar int32
	// weighed limits how often a block is encoded again if color errors are weighted by alpha.
	weighed int
}

var efforts = [...]effort{
	blockfit.Fast:   {fast: true, good: 64, two: 1200, weighed: 1},
	blockfit.Normal: {shifts: 1, kept: 6, good: 16, two: 400, scalar: 1, weighed: 2},
	blockfit.Best:   {shifts: 5, kept: 16, two: 0, nudge: true, scalar: 2, weighed: 4},
}

func newEncoder(q blockfit.Quality) *encoder {
	return &encoder{effort: efforts[min(q, blockfit.Best)], solid: solid{color: sums{green: math.MaxUint32}}, sketch: sketch{tables: sharedTables()}}
}

// encode returns the best encoding found for the colors of sixteen RGBA pixels.
func (e *encoder) encode(pixels *[64]byte) uint64 {
	if e.effort.fast {
		return e.encodeFast(pixels)
	}
	e.sse = math.MaxInt32
	if !e.px.loadColumns(pixels) {
		e.solidColor()
		return e.best.pack()
	}
	e.px.sumHalves()
	e.planar()
	if e.sse > e.effort.good {
		e.trySplits()
		if e.sse > e.effort.two {
			e.sketch.measure(pixels)
			e.fastTwoColors()
			e.tryTwoColors()
		}
	}
	return e.best.pack()
}

// keepIfBetter makes a code the best one if its error is smaller.
func (e *encoder) keepIfBetter(c *code, sse int32) bool {
	if sse >= e.sse {
		return false
	}
	e.best, e.sse = *c, sse
	return true
}

// scaledNearest scales v from the range [0, scale] to the range [0, most], rounded to nearest.
func scaledNearest(v, scale, most int32) uint8 {
	return uint8(max(0, min((v*most+scale/2)/scale, most)))
}

// encodeWeighed is like encode, with color errors weighted by alpha; see package byalpha. Alpha is
// in another block, so its error does not depend on the colors.
func (e *encoder) encodeWeighed(pixels *[64]byte) uint64 {
	block := e.encode(pixels)
	opaque := byte(255)
	for i := 3; i < 64; i += 4 {
		opaque &= pixels[i]
	}
	if opaque == 255 {
		return block
	}
	var decoded, wanted [64]byte
	block, _ = byalpha.Search(pixels[:], decoded[:], wanted[:], e.effort.weighed, block,
		func() uint64 { return e.encode(&wanted) }, func(b uint64) { paintBlock(&decoded, b) })
	return block
}
