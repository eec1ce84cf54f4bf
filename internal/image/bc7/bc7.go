// Package bc7 encodes and decodes BC7, the block format with four channels that GPUs read
// (DXGI_FORMAT_BC7_UNORM, VK_FORMAT_BC7_UNORM_BLOCK, BPTC). The same pixels give the same bytes on
// every machine, because all decisions use integers, or floats that are rounded equally everywhere.
//
// A block of 4 by 4 pixels has 16 bytes, in one of eight modes. Modes differ in the number of color
// lines, the precision of the endpoints, and the number of positions on a line. A good encoder
// finds the best mode, and a fast one does so without trying all modes.
package bc7

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/assetcook/assetcook/internal/image/byalpha"
	"github.com/assetcook/assetcook/internal/image/rdo"
)

// Options are the options of Encode. The zero value is Fast, with equal weights for all channels.
type Options struct {
	Quality    blockfit.Quality
	WeighAlpha bool // weights color errors by alpha, as in blockfit.Options

	// RDO is the loss of PSNR in dB, up to 10, that is allowed to make blocks more compressible,
	// above all by zstd. 0 allows no loss. The loss is relative to the result without RDO and never
	// exceeds RDO. A loss of 0.5 reduces the compressed size by about a sixth. RDO takes 24 bytes
	// and some 5 microseconds per block, or 15 with Best.
	RDO float64
}

// Encode writes the blocks of an RGBA image of w by h pixels to dst; see blockfit.Grid.EncodeRGBA.
// Pixels whose alpha is 255 decode to an alpha of 255, and a block of a single color decodes to
// exactly that color. Without RDO, the bytes do not depend on whether rows of blocks are encoded
// together or separately.
func Encode(ctx context.Context, dst, pix []byte, w, h int, o Options) error {
	if o.RDO != 0 {
		if err := rdo.Check(o.RDO); err != nil {
			return fmt.Errorf("bc7: %w", err)
		}
	}
	e := newEncoder(o.Quality)
	encode := e.encode
	if o.WeighAlpha {
		encode = e.encodeWeighed
	}
	g := blockfit.Grid{W: w, H: h, Side: 4}
	err := g.EncodeRGBA(ctx, dst, pix, o.Quality, func(pixels []byte) [16]byte {
		return encode((*[64]byte)(pixels))
	})
	if err != nil || o.RDO == 0 {
		return err
	}
	// The shrinker has its own encoder. Otherwise the encoder above would escape to the heap.
	s := &shrinker{encoder: newEncoder(o.Quality)}
	return rdo.Image[code]{Grid: g, Pix: pix, Format: s, WeighAlpha: o.WeighAlpha, Loss: o.RDO, Asked: s.effort.asked}.Shrink(ctx, dst)
}

// An encoder encodes blocks and reuses its memory.
type encoder struct {
	effort effort
	tables *tables

	px      block   // pixels of the block
	alpha   bool    // true if a pixel is not opaque
	all     moments // moments of all pixels
	rows    rows
	guesses blockfit.Guesses
	hope    blockfit.Guess // best guess with two lines; its error assumes exact indices
	best    code           // best encoding found so far
	sse     int64
}

// An effort holds the limits of the search for one quality.
type effort struct {
	// The search ends if the squared error of a block in mode 6 is below good. If first is set,
	// this error is computed, otherwise it is estimated.
	good  int64
	first bool
	// searchModes splits the pixels along two axes. near is the number of most similar partitions
	// to evaluate for each split; 0 evaluates all. tries is the number of best guesses to try.
	near  int
	tries int
	// rounds limits the repetitions of solving for endpoints and choosing indices.
	rounds   int
	rough    bool // true to fit lines with fitRoughly, which ignores rounds
	thorough bool // true to try two ways to round the first endpoint
	asked    int  // rdo.Image.Asked
}

var efforts = [...]effort{
	blockfit.Fast:   {good: 128, near: 3, tries: 1, rounds: 2, rough: true, asked: 12},
	blockfit.Normal: {good: 32, first: true, near: 4, tries: 1, rounds: 2, asked: 13},
	blockfit.Best:   {good: 4, first: true, tries: 8, rounds: 4, thorough: true, asked: 48},
}

func newEncoder(q blockfit.Quality) *encoder {
	return &encoder{effort: efforts[min(q, blockfit.Best)], tables: tablesOf()}
}

// encode returns the best encoding found for sixteen RGBA pixels.
func (e *encoder) encode(pixels *[64]byte) [16]byte {
	if !e.px.loadBlock(pixels) {
		e.sse, e.alpha = 0, pixels[3] != 255
		return e.tables.exactBlock(pixels[0], pixels[1], pixels[2], pixels[3])
	}
	e.sse = math.MaxInt64
	e.all = moments{}
	opaque := uint64(255)
	for i, a := range &e.px.a {
		e.all.addOpaque(e.px.rgb[i])
		opaque &= a
	}
	e.alpha = opaque != 255
	if e.alpha {
		for i, a := range &e.px.a {
			e.all.addAlpha(e.px.rgb[i], a)
		}
	}
	e.searchModes()
	return e.best.pack()
}

// loadBlock stores the pixels of a block, and reports whether any pixel differs from the first.
func (b *block) loadBlock(pixels *[64]byte) bool {
	first := binary.LittleEndian.Uint32(pixels[:])
	var differ uint32
	for i := range 16 {
		v := binary.LittleEndian.Uint32(pixels[4*i:])
		differ |= v ^ first
		b.rgb[i] = uint64(v&255) | uint64(v>>8&255)<<lane | uint64(v>>16&255)<<(2*lane)
		b.a[i] = uint64(v >> 24)
	}
	return differ != 0
}

// searchModes estimates the errors of modes and partitions, and tries the most promising.
func (e *encoder) searchModes() {
	s := e.all.scatterOf(e.alpha)
	v := s.principalDirection(e.alpha)
	along := v.wholeAxis()
	all, line := e.all.estimateResidue(e.alpha)
	guess6 := all - float64(line*kind6.along) + cost6
	if e.effort.first || guess6 < float64(e.effort.good) {
		e.fitSingle(&along)
		if e.effort.first && e.sse > 0 {
			e.exactly(&s)
		}
		if !e.effort.first || e.sse < e.effort.good {
			return
		}
	}
	e.guesses.Reset(e.effort.tries)
	if !e.effort.first {
		e.guesses.Add(6, 0, guess6)
	}
	firstRotation := uint8(1)
	if e.alpha {
		firstRotation = 0
	}
	for r := firstRotation; r < 4; r++ {
		e.guessScalarApart(r, &s)
	}
	e.rows.fillMoments(&e.px, e.alpha)
	e.hope.SSE = math.MaxFloat64
	if e.effort.near == 0 {
		for p := range uint8(64) {
			e.guessPair(p)
		}
	} else {
		t := s.acrossDirection(&v)
		v = t.strongestRow()
		across := v.wholeAxis()
		for _, p := range e.tables.near[e.px.pixelsBeyond(&along)][:e.effort.near] {
			e.guessPair(p)
		}
		for _, p := range e.tables.near[e.px.pixelsBeyond(&across)][:e.effort.near] {
			e.guessPair(p)
		}
	}
	for _, g := range e.guesses.Best() {
		switch g.Mode {
		case 1:
			e.fitTwoLines(1, g.Sub, kind1)
		case 3:
			e.fitTwoLines(3, g.Sub, kind3)
		case 4, 5:
			e.fitApart(g.Mode, g.Sub&3, g.Sub>>2)
		case 6:
			e.fitSingle(&along)
		case 7:
			e.fitTwoLines(7, g.Sub, kind7)
		}
	}
	if e.alpha && e.sse > cost7 && e.hope.SSE < float64(hopeful*float64(e.sse)) && !(e.best.mode == 7 && e.best.partition == e.hope.Sub) {
		e.fitTwoLines(7, e.hope.Sub, kind7)
	}
}

// exactly tries encodings that reproduce smooth pixels without error, if mode 6 does not. One
// encoding has endpoints beyond the outermost values. The other stores alpha separately, if the
// block has a single color or two values of alpha.
func (e *encoder) exactly(s *scatter) {
	if e.sse < exactBelow && s.narrowerThan(reach) {
		e.widenEnds()
	}
	if e.alpha && e.sse > 0 && (s.rr+s.gg+s.bb == 0 || e.sse < exactBelow && e.px.alphaInside() == 0) {
		e.fitApart(5, 0, 0)
	}
}

// exactBelow is the error in mode 6 below which exact encodings are tried.
const exactBelow = 64

// codedChannels returns the number of channels to encode.
func (e *encoder) codedChannels() int {
	if e.alpha {
		return 4
	}
	return 3
}

// encodeWeighed is like encode, with color errors weighted by alpha; see package byalpha.
func (e *encoder) encodeWeighed(pixels *[64]byte) [16]byte {
	block := e.encode(pixels)
	if !e.alpha {
		return block
	}
	var decoded, wanted [64]byte
	block, sse := byalpha.Search(pixels[:], decoded[:], wanted[:], e.effort.rounds, block,
		func() [16]byte { return e.encode(&wanted) }, func(b [16]byte) { DecodeBlock(&decoded, &b) })
	e.sse = sse / 255
	return block
}
