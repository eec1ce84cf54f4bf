package etc2

import (
	"math"

	"github.com/assetcook/assetcook/internal/image/byalpha"
)

// An encoder makes blocks, one after the other.
type encoder struct {
	effort effort
	px     block
	best   code  // so far
	sse    int32 // of best: the sum of the squared errors of all channels
	memo   memo
	lists  [4]list
}

// An effort is the meaning of a quality.
type effort struct {
	// shifts is the distance from the mean color of a half within which base colors are
	// searched, in stored steps; -1 takes the nearest one.
	shifts int
	// kept is how many base colors of each half compete for pairs.
	kept int
	// good is the error at which a planar block is accepted, and two the error above which
	// T and H are tried.
	good, two int32
	// nudge moves the result by single steps while that helps.
	nudge bool
	// scalar is how far around the guessed multiplier and base EAC looks.
	scalar int32
	// weighed is how often a block of weighed colors is encoded again.
	weighed int
}

var efforts = [...]effort{
	Fast:   {shifts: -1, good: 64, two: 3000, weighed: 1},
	Normal: {shifts: 1, kept: 6, good: 16, two: 400, scalar: 1, weighed: 2},
	Best:   {shifts: 5, kept: 16, two: 0, nudge: true, scalar: 2, weighed: 4},
}

func newEncoder(q Quality) *encoder {
	return &encoder{effort: efforts[min(q, Best)]}
}

// encode returns the best block found for the colors of sixteen RGBA pixels.
func (e *encoder) encode(pixels *[64]byte) uint64 {
	e.sse = math.MaxInt32
	if !e.px.load(pixels) {
		e.solid()
		return e.best.pack()
	}
	e.px.measure()
	e.planar()
	if e.sse > e.effort.good {
		e.split()
		if e.sse > e.effort.two {
			e.two()
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

// nearest returns the stored number, up to most, for v from 0 to scale.
func nearest(v, scale, most int32) uint8 {
	return uint8(max(0, min((v*most+scale/2)/scale, most)))
}

// encodeWeighed returns the best block found where a pixel's color counts as much as its
// alpha, see package byalpha. Another block stores alpha,
// with the same error for all colors.
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
		func() uint64 { return e.encode(&wanted) }, func(b uint64) { decode(&decoded, b) })
	return block
}
