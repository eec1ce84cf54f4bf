// Package etc2 encodes and decodes ETC2 and EAC, the block formats that every graphics processor of
// OpenGL ES 3.0 reads. The same pixels give the same bytes on every machine, because only integers
// decide anything.
//
// A block of 4 by 4 pixels is 8 bytes of color, 8 bytes of alpha or of another single
// channel, or two of these in a row. Colors are stored in one of five modes. In the two
// modes of ETC1, each half of the block has one color, and each pixel is brighter or darker
// by a step; T and H have two colors for the whole block, and planar is a slope.
//
// The Khronos Data Format Specification 1.4 describes the formats, in the chapters "ETC1
// Compressed Texture Image Formats" and "ETC2 Compressed Texture Image Formats".
package etc2

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/assetcook/assetcook/internal/image/byalpha"
)

// EncodeRGB writes the blocks of an image of w by h pixels, row by row, to dst, which has 8 bytes
// for each block. pix has four bytes, RGBA, for each pixel, row by row; alpha is ignored. If a side
// is no multiple of four, blocks repeat the last column or row. Rows of blocks are the same whether
// they are encoded together or one by one. EncodeRGB works in the calling goroutine, and ends early
// with the error of ctx. After an error dst is useless.
func EncodeRGB(ctx context.Context, dst, pix []byte, w, h int, o blockfit.Options) error {
	grid, e := blockfit.Grid{W: w, H: h, Side: 4}, newEncoder(o.Quality)
	var pixels [64]byte
	return eachBlock(ctx, dst, len(pix), grid, 4, 8, o, func(block []byte, at int) {
		blockfit.Gather(grid, pixels[:], pix, 4, at)
		binary.BigEndian.PutUint64(block, e.encode(&pixels))
	})
}

// EncodeRGBA is EncodeRGB with alpha before the color in each block of 16 bytes. Alpha is exact if
// it is the same in the whole block.
func EncodeRGBA(ctx context.Context, dst, pix []byte, w, h int, o blockfit.Options) error {
	grid, e := blockfit.Grid{W: w, H: h, Side: 4}, newEncoder(o.Quality)
	color := e.encode
	if o.WeighAlpha {
		color = e.encodeWeighed
	}
	var pixels [64]byte
	var alpha [16]int32
	return eachBlock(ctx, dst, len(pix), grid, 4, 16, o, func(block []byte, at int) {
		blockfit.Gather(grid, pixels[:], pix, 4, at)
		for i := range alpha {
			alpha[i] = int32(pixels[4*inColumns[i]+3])
		}
		binary.BigEndian.PutUint64(block, e.encodeScalar(&alpha, &kindAlpha))
		binary.BigEndian.PutUint64(block[8:], color(&pixels))
	})
}

// EncodeEAC writes the blocks of an image of one or two channels; a block has 8 bytes for each. pix
// has a number from 0 to 65535 for each channel of each pixel, row by row; 11 bits of it are kept at
// most. Otherwise EncodeEAC works like EncodeRGB.
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

// eachBlock calls do for every block.
func eachBlock(ctx context.Context, dst []byte, have int, g blockfit.Grid, channels, size int, o blockfit.Options, do func(block []byte, at int)) error {
	if err := g.Check(have, channels, "numbers", len(dst), size, o.Quality); err != nil {
		return fmt.Errorf("etc2: %w", err)
	}
	return g.Each(ctx, func(at int) { do(dst[size*at:][:size], at) })
}

// inColumns holds the places of a block's pixels in its rows: blocks go down columns.
var inColumns = [16]uint8{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}

// An encoder encodes one block after another.
type encoder struct {
	effort effort
	px     block
	best   code  // best code so far
	sse    int32 // squared error of best, over all channels
	memo   memo
	lists  [4]list
}

// An effort holds the limits of the search for one quality.
type effort struct {
	// shifts is the distance from the mean color of a half within which base colors are
	// searched, in stored steps; -1 takes the nearest one.
	shifts int
	// kept is the number of base colors of each half that compete for pairs.
	kept int
	// good is the error at which a planar block is accepted, and two the error above which
	// T and H are tried.
	good, two int32
	// nudge moves the result by single steps while that helps.
	nudge bool
	// scalar is the searched distance from the estimated multiplier and base of EAC.
	scalar int32
	// weighed is the limit of further encodings of a block with weighed colors.
	weighed int
}

var efforts = [...]effort{
	blockfit.Fast:   {shifts: -1, good: 64, two: 3000, weighed: 1},
	blockfit.Normal: {shifts: 1, kept: 6, good: 16, two: 400, scalar: 1, weighed: 2},
	blockfit.Best:   {shifts: 5, kept: 16, two: 0, nudge: true, scalar: 2, weighed: 4},
}

func newEncoder(q blockfit.Quality) *encoder {
	return &encoder{effort: efforts[min(q, blockfit.Best)]}
}

// encode returns the best block found for the colors of sixteen RGBA pixels.
func (e *encoder) encode(pixels *[64]byte) uint64 {
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
			e.tryTwoColors()
		}
	}
	return e.best.pack()
}

// keepIfBetter keeps a code if it is better than the present one.
func (e *encoder) keepIfBetter(c *code, sse int32) bool {
	if sse >= e.sse {
		return false
	}
	e.best, e.sse = *c, sse
	return true
}

// scaledNearest returns the stored number, up to most, for v from 0 to scale.
func scaledNearest(v, scale, most int32) uint8 {
	return uint8(max(0, min((v*most+scale/2)/scale, most)))
}

// encodeWeighed is encode with color errors weighed by alpha; see package byalpha. Another block
// stores alpha, with the same error for all colors.
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
