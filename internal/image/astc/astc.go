// Package astc encodes and decodes ASTC, a block format that the GPUs of phones read. It supports
// two-dimensional blocks of the low dynamic range profile. The same pixels give the same bytes on
// every machine, because all decisions use integers, or floats that are rounded equally everywhere.
//
// A block has 16 bytes for any number of pixels. It has one to four partitions, called parts here,
// and a grid of weights. Each part has a line between two endpoint colors. The weights are
// interpolated to the pixels and give the position of each pixel on its line. Each block selects
// the size of its grid and the precision of its weights and endpoints.
//
// The encoder first estimates the error of all choices, and then tries only the best. For the
// estimate it transforms the ideal weights by a DCT; a table says how much of each frequency a grid
// preserves.
//
// The endpoints of high dynamic range are nearly logarithms of half-precision floats. Their blocks
// are encoded by the same search on that scale, but the visible error decides between encodings.
//
// Source of the format: Khronos Data Format Specification 1.4, chapter 23.
package astc

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/assetcook/assetcook/internal/image/byalpha"
	"github.com/assetcook/assetcook/internal/image/rdo"
)

// Options are the options of Encode. The zero value is Fast, with equal weights for all channels.
type Options struct {
	Quality    blockfit.Quality
	WeighAlpha bool // weights color errors by alpha, as in blockfit.Options

	// AlphaWeight is the factor for the squared error of alpha, up to 16; 0 means 1. A factor of 3
	// suits images whose red, green and blue are equal, because then gray and alpha count equally.
	AlphaWeight int

	// RDO is the loss of PSNR in dB, up to 10, that is allowed to make blocks more compressible, as
	// in bc7.Options.
	RDO float64
}

// A Size is the width and height of a block in pixels.
type Size struct{ W, H int }

// sizes are the block sizes of the two-dimensional format.
var sizes = [...]Size{
	{4, 4}, {5, 4}, {5, 5}, {6, 5}, {6, 6}, {8, 5}, {8, 6}, {8, 8}, {10, 5}, {10, 6}, {10, 8}, {10, 10}, {12, 10}, {12, 12},
}

// maxSide and maxPixels are the side and the number of pixels of the largest block.
const (
	maxSide   = 12
	maxPixels = maxSide * maxSide
)

// Pixels holds the RGBA pixels of a block of any size, row by row.
type Pixels [4 * maxPixels]byte

// Encode writes the blocks of an RGBA image of w by h pixels to dst; see blockfit.Grid.EncodeRGBA.
// Blocks have one of the sizes of the format, from 4x4 to 12x12 pixels. Pixels whose alpha is 255
// decode to an alpha of 255,
// and a block of a single color decodes to exactly that color. Without RDO, the bytes do not depend
// on whether rows of blocks are encoded together or separately.
func Encode(ctx context.Context, dst, pix []byte, w, h int, size Size, o Options) error {
	switch {
	case !slices.Contains(sizes[:], size):
		return fmt.Errorf("astc: blocks of %d by %d pixels: want one of %v", size.W, size.H, sizes)
	case o.AlphaWeight < 0 || o.AlphaWeight > 16:
		return fmt.Errorf("astc: the weight of alpha is %d: want 0 to 16", o.AlphaWeight)
	}
	if o.RDO != 0 {
		if err := rdo.Check(o.RDO); err != nil {
			return fmt.Errorf("astc: %w", err)
		}
	}
	e := newEncoder(o.Quality, size)
	e.setAlphaWeight(max(1, o.AlphaWeight))
	encode := e.encode
	if o.WeighAlpha {
		encode = e.encodeWeighed
	}
	g := blockfit.Grid{W: w, H: h, Side: size.W, Rows: size.H}
	err := g.EncodeRGBA(ctx, dst, pix, o.Quality, func(pixels []byte) [16]byte {
		return encode((*Pixels)(pixels))
	})
	if err != nil || o.RDO == 0 {
		return err
	}
	return rdo.Image[fields]{Grid: g, Pix: pix, Format: &shrinker{e}, WeighAlpha: o.WeighAlpha, AlphaWeight: o.AlphaWeight, Loss: o.RDO, Asked: e.effort.asked}.Shrink(ctx, dst)
}

// cells is the length of arrays with an element per pixel: a power of two, so that an index i&255
// needs no check.
const cells = 256

// An encoder encodes blocks and reuses its memory.
type encoder struct {
	*format
	effort  effort
	quality blockfit.Quality

	alphaWeight  int32   // factor for the squared error of alpha
	alphaStretch float32 // square root of alphaWeight

	px         [cells][4]int32   // pixels to encode
	pf         [cells][4]float32 // pixels to encode, with alpha multiplied by alphaStretch
	all        moments
	everything pixelSet // all pixels
	opaque     bool
	gray       bool

	colorNoise float32 // factor for the estimated error of quantized endpoints

	light *lightBlock // the block of high dynamic range to encode, or nil

	best code // best encoding found so far
	sse  int64

	products [cells]moments // moments of single pixels
	work     trial

	pool       pool
	hypotheses [32]hypothesis
	used       int
}

// An effort holds the limits of the search for one quality.
type effort struct {
	good      int64   // error per pixel below which the search ends
	hard      int64   // error per pixel above which three parts are tried
	share     float32 // splits are tried only if the relative error of lines is larger
	tries     [2]int  // number of plans to try with one part, and with two
	near      int     // number of similar splits to rank, for each of the two best partitions
	splits    int
	rounds    int // number of times that endpoints and weights are refitted
	refits    int // number of times that the best encoding is refitted
	passes    int // number of passes over the weights, if there are fewer weights than pixels
	weighings int // maximum number of encodings per block if color errors are weighted by alpha
	asked     int // rdo.Image.Asked
}

var efforts = [...]effort{
	blockfit.Fast:   {good: 4, hard: 200, tries: [2]int{2, 1}, share: 0.4, near: 2, splits: 1, rounds: 1, passes: 1, refits: 1, weighings: 2, asked: 12},
	blockfit.Normal: {good: 0, hard: 12, tries: [2]int{6, 4}, share: 0.05, near: 8, splits: 3, rounds: 1, passes: 1, refits: 3, weighings: 2, asked: 13},
	blockfit.Best:   {good: 0, hard: 1, tries: [2]int{10, 14}, share: 0, near: 16, splits: 5, rounds: 2, passes: 2, refits: 6, weighings: 4, asked: 48},
}

func newEncoder(q blockfit.Quality, size Size) *encoder {
	f := formatOf(size)
	return &encoder{format: f, effort: efforts[min(q, blockfit.Best)], quality: min(q, blockfit.Best), alphaWeight: 1, alphaStretch: 1, colorNoise: 1, everything: f.allPixels()}
}

// setAlphaWeight sets the factor for the squared error of alpha.
func (e *encoder) setAlphaWeight(times int) {
	e.alphaWeight, e.alphaStretch = int32(times), sqrt(float32(times))
}

// encode returns the best encoding found for a block of RGBA pixels.
func (e *encoder) encode(pixels *Pixels) [16]byte {
	if !e.loadPixels(pixels[:4*e.pixels]) {
		e.sse, e.opaque = 0, pixels[3] == 255
		return solidBlock([4]byte(pixels[:]))
	}
	e.sse = math.MaxInt64
	e.searchPlans()
	if e.sse > 0 {
		e.refineBest()
	}
	return e.best.block()
}

// block encodes the fields of a block to bytes.
func (c *code) block() (out [16]byte) {
	block := c.pack()
	binary.LittleEndian.PutUint64(out[:], block.low)
	binary.LittleEndian.PutUint64(out[8:], block.high)
	return out
}

// solidBlock returns the block of a single color.
func solidBlock(color [4]byte) (block [16]byte) {
	copy(block[:], []byte{0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	for i, v := range color {
		block[8+2*i], block[9+2*i] = v, v
	}
	return block
}

// loadPixels stores the pixels of a block, and reports whether any pixel differs from the first.
func (e *encoder) loadPixels(pixels []byte) bool {
	first := binary.LittleEndian.Uint32(pixels)
	var differ, colored uint32
	opaque := uint32(255)
	e.all = moments{}
	for i := range e.pixels {
		v := binary.LittleEndian.Uint32(pixels[4*i:])
		differ |= v ^ first
		colored |= (v ^ v>>8) & 0xffff
		opaque &= v >> 24
		p := &e.px[i&255]
		*p = [4]int32{int32(v & 255), int32(v >> 8 & 255), int32(v >> 16 & 255), int32(v >> 24)}
		e.pf[i&255] = [4]float32{float32(p[0]), float32(p[1]), float32(p[2]), float32(float32(p[3]) * e.alphaStretch)}
		e.all.addPixel(p)
	}
	e.opaque, e.gray = opaque == 255, colored == 0
	return differ != 0
}

// searchPlans estimates the errors of all plans and tries the most promising.
func (e *encoder) searchPlans() {
	s := e.stretchedScatter(&e.all)
	e.pool.resetPool(e.effort.tries[0])
	e.used = 0
	switch {
	case e.light != nil:
		e.guessLight(&s)
	case e.gray && e.opaque:
		e.guessLine(kindGray, &s, 0)
	case e.gray:
		e.guessLine(kindGrayAlpha, &s, 0)
		e.guessLonerApart(kindGrayAlpha, 3, &s, 0)
	case e.opaque:
		e.guessOpaque(&s, 0)
	default:
		e.guessLine(kindRGBA, &s, 0)
		e.guessScale(kindRGBScaleAlpha, &s, 0)
		e.guessGray(kindGrayAlpha, false, &s)
		c := e.loner(&s)
		e.guessLonerApart(kindRGBA, c, &s, 0)
		if c == 3 {
			e.guessScaleApart(&s)
			e.guessGray(kindGrayAlpha, true, &s)
		}
	}
	if lost := e.lossOfAlpha(&e.all); e.light == nil && !e.opaque && lost < e.pool.best[0].sse {
		s := s.withoutChannel(3)
		if e.gray {
			e.guessLine(kindGray, &s, lost)
		} else {
			e.guessOpaque(&s, lost)
		}
	}
	e.tryBestGuesses()
	if e.sse <= e.effort.good*int64(e.pixels) {
		return
	}
	_, along := s.principalAxis()
	if e.gray || s.sumOfVariances()-along >= e.effort.share*float32(e.sse) {
		e.searchSplits(&s)
	}
}

// guessOpaque adds guesses without alpha. lost is the squared error of an alpha of 255.
func (e *encoder) guessOpaque(s *scatter, lost float32) {
	e.guessLine(kindRGB, s, lost)
	e.guessScale(kindRGBScale, s, lost)
	if lost == 0 {
		e.guessGray(kindGray, false, s)
	}
	e.guessLonerApart(kindRGB, e.loner(s), s, lost)
}

// lossOfAlpha returns the squared error of pixels in alpha if they decode to an alpha of 255.
func (e *encoder) lossOfAlpha(m *moments) float32 {
	lost := int64(m.product[9]) - 2*255*int64(m.sum[3]) + 255*255*int64(m.n)
	return float32(lost * int64(e.alphaWeight))
}

// tryBestGuesses tries the plans of the best guesses in the pool.
func (e *encoder) tryBestGuesses() {
	for i := range e.pool.wanted {
		g := &e.pool.best[i]
		if g.sse >= float32(e.sse)*slack {
			break
		}
		h := &e.hypotheses[g.hypothesis]
		e.tryPlan(h, &e.plans[h.shapeIndex()][g.plan])
	}
}

// slack limits the plans to try. A plan is tried if its estimated error is at most slack times the
// best error.
const slack = 1.5

// A pool holds the best guesses so far, best first.
type pool struct {
	best [32]struct {
		hypothesis, plan int
		sse              float32
	}
	wanted int
}

func (p *pool) resetPool(wanted int) {
	p.wanted = wanted
	for i := range p.best[:wanted] {
		p.best[i].sse = math.MaxFloat32
	}
}

func (p *pool) addHypothesis(hypothesis, plan int, sse float32) {
	k := p.wanted - 1
	for ; k > 0 && p.best[k-1].sse > sse; k-- {
		p.best[k] = p.best[k-1]
	}
	p.best[k].hypothesis, p.best[k].plan, p.best[k].sse = hypothesis, plan, sse
}

// encodeWeighed is like encode, with color errors weighted by alpha; see package byalpha.
func (e *encoder) encodeWeighed(pixels *Pixels) [16]byte {
	block := e.encode(pixels)
	if e.opaque {
		return block
	}
	n := 4 * e.format.pixels
	var decoded, wanted Pixels
	block, sse := byalpha.Search(pixels[:n], decoded[:n], wanted[:n], e.effort.weighings, block,
		func() [16]byte { return e.encode(&wanted) }, func(b [16]byte) { DecodeBlock(&decoded, &b, e.size, true) })
	e.sse = sse / 255
	return block
}

func abs(v float32) float32 {
	return math.Float32frombits(math.Float32bits(v) &^ (1 << 31))
}

func sqrt(v float32) float32 { return float32(math.Sqrt(float64(v))) }
