package astc

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/assetcook/assetcook/internal/image/blockfit"
)

// EncodeHDR writes the blocks of an image of high dynamic range to dst, like Encode. pix has three
// half-precision floats per pixel, which must be finite and not negative. Alpha decodes to 1.
//
// A value below 1 never decodes to more than 4: pixels beside a lamp do not become white.
func EncodeHDR(ctx context.Context, dst []byte, pix []uint16, w, h int, size Size, q blockfit.Quality) error {
	if !slices.Contains(sizes[:], size) {
		return fmt.Errorf("astc: blocks of %d by %d pixels: want one of %v", size.W, size.H, sizes)
	}
	return newLightEncoder(q, size).encodeLights(ctx, dst, pix, w, h, q)
}

// encodeLights writes the blocks of an image of high dynamic range to dst.
func (e *encoder) encodeLights(ctx context.Context, dst []byte, pix []uint16, w, h int, q blockfit.Quality) error {
	g := blockfit.Grid{W: w, H: h, Side: e.size.W, Rows: e.size.H}
	if err := g.Check(len(pix), 3, "values", len(dst), 16, q); err != nil {
		return err
	}
	colors := make([]uint16, 3*maxPixels)
	return g.Each(ctx, func(at int) {
		blockfit.Gather(g, colors, pix, 3, at)
		*(*[16]byte)(dst[16*at:]) = e.encodeLight((*lightColors)(colors))
	})
}

// lightColors holds half-precision floats: red, green and blue of each pixel.
type lightColors [3 * maxPixels]uint16

// A lightBlock is a block of high dynamic range to encode. Its pixels in the encoder are on the scale
// of endpoints, where equal ratios have nearly equal differences.
type lightBlock struct {
	blockfit.Glare
	colors  lightColors
	want    [3 * maxPixels]float32 // levels of the colors
	visible float32                // visible error of the best encoding so far
}

// newLightEncoder returns an encoder for blocks of high dynamic range.
func newLightEncoder(q blockfit.Quality, size Size) *encoder {
	keptRanks()
	e := newEncoder(q, size)
	e.light = &lightBlock{}
	e.colorNoise = lightColorNoise
	// A step of 12-bit values is half as large as a step of 8-bit values.
	e.effort.good *= 4
	e.effort.hard *= 4
	return e
}

// lightColorNoise was found by experiment.
const lightColorNoise = 16

// lightFloors holds the floors to try for each quality, in stops below the brightest value. Without
// a floor, black pixels would stretch the color lines until their colors are a stop apart.
var lightFloors = [...][]uint16{blockfit.Fast: {6}, blockfit.Normal: {9, 6}, blockfit.Best: {9, 6, 4}}

// encodeLight returns the best encoding found for a block of high dynamic range.
func (e *encoder) encodeLight(colors *lightColors) [16]byte {
	l := e.light
	n := 3 * e.pixels
	copy(l.colors[:n], colors[:n])
	brightest, darkest, solid := uint16(0), uint16(halfMax), true
	for i, h := range l.colors[:n] {
		brightest, darkest = max(brightest, h), min(darkest, h)
		solid = solid && h == l.colors[i%3]
	}
	if solid {
		return solidHalves([3]uint16(l.colors[:]))
	}
	l.Glare = blockfit.GlareOf(brightest)
	for i, h := range l.colors[:n] {
		l.want[i] = l.Level(h)
	}
	l.visible = math.MaxFloat32
	e.searchLight(0, halfMax)
	for _, stops := range lightFloors[e.quality] {
		// A floor of more than 1 would brighten black to white.
		if floor := min(brightest-min(brightest, stops<<10), halfOne); darkest < floor {
			e.searchLight(floor, halfMax)
		}
	}
	if l.visible >= glow {
		for _, ceiling := range [...]uint16{0x5400, 0x4c00, halfFour} { // 64, 16, 4
			e.searchLight(0, ceiling)
		}
	}
	if l.visible >= glow {
		return solidHalves(l.dimMean(e.pixels))
	}
	block := e.best.pack()
	var out [16]byte
	binary.LittleEndian.PutUint64(out[:], block.low)
	binary.LittleEndian.PutUint64(out[8:], block.high)
	return out
}

// solidHalves returns the block of a single color of high dynamic range.
func solidHalves(color [3]uint16) (block [16]byte) {
	copy(block[:], []byte{0xfc, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	for i, v := range [4]uint16{color[0], color[1], color[2], halfOne} {
		binary.LittleEndian.PutUint16(block[8+2*i:], v)
	}
	return block
}

// glow is the visible error of a value that breaks the promise of EncodeHDR. halfFour is 4, the
// largest result that is allowed for a value below 1.
const (
	glow     = 1e6
	halfFour = 0x4400
)

// dimMean returns the mean color, with values of at most 4.
func (l *lightBlock) dimMean(pixels int) (mean [3]uint16) {
	for c := range mean {
		sum := 0
		for i := range pixels {
			sum += int(min(l.colors[3*i+c], halfFour))
		}
		mean[c] = uint16(sum / pixels)
	}
	return mean
}

// searchLight searches encodings for the colors, clamped to the range from floor to ceiling.
func (e *encoder) searchLight(floor, ceiling uint16) {
	e.all = moments{}
	e.opaque, e.gray = true, true
	for i := range e.pixels {
		p, f := &e.px[i&255], &e.pf[i&255]
		for c, h := range e.light.colors[3*i:][:3] {
			v := lightOfHalf(max(floor, min(h, ceiling)))
			p[c], f[c] = int32(v+8)>>4, float32(v)/16
		}
		p[3], f[3] = 0, 0
		e.gray = e.gray && p[0] == p[1] && p[1] == p[2]
		e.all.addPixel(p)
	}
	e.sse = math.MaxInt64
	e.searchPlans()
}

// lightOfHalf returns a 16-bit value that halfOfLight converts to h.
func lightOfHalf(h uint16) int {
	fraction := int(h&1023)*8 + 4
	switch {
	case fraction < 3*512:
		fraction /= 3
	case fraction < 4*1536-512:
		fraction = (fraction + 512) / 4
	default:
		fraction = (fraction + 2048) / 5
	}
	return int(h>>10)<<11 + fraction
}

// guessLight adds the guesses of one part for a block of high dynamic range.
func (e *encoder) guessLight(s *scatter) {
	if e.gray && !e.universal {
		e.guessLine(kindLightRange, s, 0)
		return
	}
	e.guessLine(kindLight, s, 0)
	h := e.nextTrial(kindLightShift, false)
	axis, along := s.grayAxis()
	if h.residue = max(0, s.sumOfVariances()-along); !e.hopeless(h) {
		e.projectPart(h, &e.all, &axis, &e.everything, 0)
		e.guessPlans(h)
	}
	if !e.universal {
		e.guessLonerApart(kindLight, e.loner(s), s, 0)
	}
}

// grayAxis returns the gray axis and the scatter along it.
func (s *scatter) grayAxis() (axis [4]float32, along float32) {
	const third = 0.57735026 // square root of 1/3
	axis = [4]float32{third, third, third}
	w := s.timesVector(&axis)
	return axis, dotRounded(&axis, &w)
}

// lightLinesOf is linesOf for a block of high dynamic range.
func (e *encoder) lightLinesOf(m *moments, s *scatter, axis *[4]float32, along float32) (direct, cheap line) {
	direct = line{kindLight, *axis, max(0, s.sumOfVariances()-along)}
	if e.gray && !e.universal {
		direct.kind = kindLightRange
		return direct, direct
	}
	cheap = direct
	gray, along := s.grayAxis()
	worse := 4*nearlyAsGood + float32(e.sse)/float32(4*e.pixels)
	left := max(0, s.sumOfVariances()-along)
	if e.universal || left-direct.residue < float32(float32(m.n)*worse) {
		cheap = line{kindLightShift, gray, left}
	}
	return direct, cheap
}

// measureLight returns the squared error of the trial on the scale of the encoder's pixels, and the
// visible error.
func (e *encoder) measureLight(h *hypothesis) (sse int64, visible float32) {
	t, l := &e.work, e.light
	for i := range e.pixels {
		part := h.part[i&255] & 3
		ends := &t.ends[part]
		for c := range 3 {
			w := t.pixel[0][i&255]
			if h.dual && c == int(h.component) {
				w = t.pixel[1][i&255]
			}
			v := (ends[0][c]<<4*(64-w) + ends[1][c]<<4*w + 32) >> 6
			d := int64(v>>4 - e.px[i&255][c])
			sse += d * d
			got, want := halfOfLight(int(v)), l.colors[3*i+c]
			off := l.Level(got) - l.want[3*i+c]
			visible += float32(off * off)
			if want < halfOne && got > halfFour {
				visible += glow
			}
		}
	}
	return sse, visible
}
