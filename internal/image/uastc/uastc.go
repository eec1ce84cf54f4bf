// Package uastc encodes and decodes UASTC LDR 4x4. No GPU reads this subset of ASTC. A loader
// transcodes it, quickly and nearly without loss, to ASTC, BC7, ETC2 and other formats. The same
// pixels give the same bytes on every machine, because all decisions use integers, or floats that
// are rounded equally everywhere.
//
// A block of 4 by 4 pixels has 16 bytes. It stores the number of one of 19 modes, hints for
// transcoding to formats unlike ASTC, and ASTC data. This data has the endpoints of one to three
// color lines, and the positions of the pixels on the lines.
//
// Source: Binomial, "UASTC LDR 4x4 Texture Specification" (wiki of basis_universal), and the
// Khronos Data Format Specification, "ASTC Compressed Texture Image Formats".
package uastc

import (
	"context"
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

	// RDO is the loss of PSNR in dB, up to 10, that is allowed to make blocks more compressible, as
	// in bc7.Options. Hints for other formats lose about as much.
	RDO float64
}

// Encode writes the blocks of an RGBA image of w by h pixels to dst; see blockfit.Grid.EncodeRGBA.
// Pixels whose alpha is 255 decode to an alpha of 255, and a block of a single color decodes to
// exactly that color. Without RDO, the bytes do not depend on whether rows of blocks are encoded
// together or separately. With RDO, only wholly opaque blocks are sure to stay opaque.
func Encode(ctx context.Context, dst, pix []byte, w, h int, o Options) error {
	if o.RDO != 0 {
		if err := rdo.Check(o.RDO); err != nil {
			return fmt.Errorf("uastc: %w", err)
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
	return rdo.Image[fields]{Grid: g, Pix: pix, Format: s, WeighAlpha: o.WeighAlpha, Loss: o.RDO, Asked: s.effort.asked}.Shrink(ctx, dst)
}

// An encoder encodes blocks and reuses its memory.
type encoder struct {
	effort effort

	px      [16]point // original pixels; the alpha of opaque blocks is set to 0
	alpha   bool      // true if a pixel is not opaque
	gray    bool      // true if red, green and blue are equal in all pixels
	all     moments   // moments of all pixels
	rows    rows
	guesses blockfit.Guesses
	best    code  // best encoding found so far
	sse     int64 // squared error of the block; during the search, it includes the loss of its mode
}

// An effort holds the limits of the search for one quality.
type effort struct {
	// near limits the patterns to evaluate: a pattern may differ by at most this number of pixels
	// from one of two splits of the pixels. 0 evaluates all patterns. tries is the number of best
	// guesses to try.
	near   int
	tries  int
	rounds int // number of repetitions of solving for endpoints and choosing indices

	thorough bool       // true to try two ways to round the first endpoint, and to try three lines
	biases   biasSearch // halves that try all ETC1 biases
	tables   int        // number of EAC tables to try
	radius   int32      // largest difference from the estimated EAC multiplier
	bc1      bool       // true to search hints for BC1
	asked    int        // rdo.Image.Asked
}

var efforts = [...]effort{
	blockfit.Fast:   {near: 3, tries: 1, rounds: 2, tables: 4, asked: 12},
	blockfit.Normal: {tries: 4, rounds: 3, biases: someBiases, tables: 8, radius: 1, bc1: true, asked: 32},
	blockfit.Best:   {tries: 8, rounds: 5, thorough: true, biases: everyBias, tables: 16, radius: 2, bc1: true, asked: 64},
}

func newEncoder(q blockfit.Quality) *encoder {
	prepare()
	return &encoder{effort: efforts[min(q, blockfit.Best)]}
}

// encode returns the best encoding found for sixteen RGBA pixels.
func (e *encoder) encode(pixels *[64]byte) [16]byte {
	e.loadPoints(pixels)
	var h hints
	if e.all.n == 0 {
		e.sse = 0
		e.best = code{mode: modeSolid, solid: [4]uint8(pixels[:4])}
		h.hintSolid([3]int32{int32(pixels[0]), int32(pixels[1]), int32(pixels[2])})
		return e.best.pack(&h)
	}
	e.sse = math.MaxInt64
	e.searchLayouts()
	l := &layouts[e.best.mode]
	e.sse -= l.loss
	e.best.swapEnds(l) // BC1's hints depend on the order of the endpoints
	px := e.best.decodedPoints()
	h = e.hintsFor(&px, &e.best)
	return e.best.pack(&h)
}

// hintsFor returns the hints of a code, whose decoded pixels are px.
func (e *encoder) hintsFor(px *[16]point, c *code) (h hints) {
	l := &layouts[c.mode]
	h.etc1(px, l, e.effort.biases)
	if l.hasAlphaEnds() {
		h.hintAlpha(px, e.effort.tables, e.effort.radius)
	}
	if e.effort.bc1 {
		h.forBC1(px, c, l)
	}
	return h
}

// decodedPoints returns the decoded pixels of the code.
func (c *code) decodedPoints() (px [16]point) {
	var decoded [64]byte
	c.paintPoints(&decoded)
	for i := range px {
		for c := range 4 {
			px[i][c] = int32(decoded[4*i+c])
		}
	}
	return px
}

// loadPoints stores the pixels of a block. If all pixels are equal, it computes no moments.
func (e *encoder) loadPoints(pixels *[64]byte) {
	e.alpha, e.gray = false, true
	alike := true
	for i := range 16 {
		p := pixels[4*i : 4*i+4]
		alike = alike && [4]byte(p) == [4]byte(pixels[:4])
		e.alpha = e.alpha || p[3] != 255
		e.gray = e.gray && p[0] == p[1] && p[0] == p[2]
		e.px[i] = point{int32(p[0]), int32(p[1]), int32(p[2]), int32(p[3])}
	}
	e.all = moments{}
	if alike {
		return
	}
	if !e.alpha {
		for i := range e.px {
			e.px[i][3] = 0
		}
	}
	e.rows.fillRows(&e.px)
	e.all = e.rows.sumOfRows(0xffff)
}

// encodedChannels returns a bit mask of the encoded channels, RGB or RGBA.
func (e *encoder) encodedChannels() uint8 {
	if e.alpha {
		return 15
	}
	return 7
}

// fitOneLine tries a mode with a single line.
func (e *encoder) fitOneLine(mode uint8) {
	l := &layouts[mode]
	found := e.fitList(&e.px, whole, &e.all, e.encodedChannels(), l.lineKind())
	sse := l.loss + int64(found.sse)
	if sse >= e.sse {
		return
	}
	e.sse = sse
	e.best = code{mode: mode}
	e.best.ends[0], e.best.index[0] = found.ends, found.index
	e.best.setOpaque(e.alpha)
}

// fitPattern tries a mode with two or three lines and a pattern.
func (e *encoder) fitPattern(mode, at uint8) {
	l := &layouts[mode]
	p := &l.patterns[at]
	c := code{mode: mode, pattern: at}
	sse := l.loss
	for s := range l.subsets {
		m := e.rows.sumOfRows(p.masks[s])
		found := e.fitList(&e.px, p.lists[s], &m, e.encodedChannels(), l.lineKind())
		if sse += int64(found.sse); sse >= e.sse {
			return
		}
		c.ends[s] = found.ends
		for _, i := range p.lists[s] {
			c.index[0][i] = found.index[i]
		}
	}
	e.sse, e.best = sse, c
	e.best.setOpaque(e.alpha)
}

// fitPlanes tries a mode with two planes. The second plane is for the given channel.
func (e *encoder) fitPlanes(mode, plane uint8) {
	l := &layouts[mode]
	k := l.lineKind()
	first, second := e.px, e.px
	var m1, m2 moments
	for i := range e.px {
		for c := range uint8(4) {
			if c == plane {
				first[i][c] = 0
			} else {
				second[i][c] = 0
			}
		}
		m1.addToMoments(&first[i])
		m2.addToMoments(&second[i])
	}
	scalar := e.fitList(&second, whole, &m2, 1<<plane, k)
	if int64(scalar.sse) >= e.sse {
		return
	}
	color := e.fitList(&first, whole, &m1, e.encodedChannels()&^(1<<plane), k)
	sse := int64(scalar.sse) + int64(color.sse)
	if sse >= e.sse {
		return
	}
	c := code{mode: mode, plane: plane, index: [2][16]uint8{color.index, scalar.index}}
	c.ends[0] = color.ends
	c.ends[0][0][plane], c.ends[0][1][plane] = scalar.ends[0][plane], scalar.ends[1][plane]
	e.sse, e.best = sse, c
	e.best.setOpaque(e.alpha)
}

// setOpaque sets alpha to 255 in blocks of opaque pixels whose mode stores alpha.
func (c *code) setOpaque(alpha bool) {
	l := &layouts[c.mode]
	if alpha || !l.hasAlphaEnds() {
		return
	}
	for s := range l.subsets {
		c.ends[s][0][3], c.ends[s][1][3] = l.ends.nearest[255], l.ends.nearest[255]
	}
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
