package qoa

import (
	"encoding/binary"
	"math"
	"sync"
)

// A predictor is the sign-sign LMS filter of the specification: it predicts the next sample from
// the last four and adapts to the sign of each error. Arithmetic wraps at 32 bits, for files whose
// weights were chosen to overflow.
type predictor struct {
	history, weights [4]int32 // most recent last
}

// newPredictor returns a predictor with the specification's recommended weights, which continue a
// straight line.
func newPredictor() predictor {
	return predictor{weights: [4]int32{0, 0, -1 << 13, 1 << 14}}
}

func (p *predictor) predict() int32 {
	return (p.weights[0]*p.history[0] + p.weights[1]*p.history[1] +
		p.weights[2]*p.history[2] + p.weights[3]*p.history[3]) >> 13
}

func (p *predictor) update(sample, residual int32) {
	delta := residual >> 4
	for i, h := range p.history {
		sign := h >> 31
		p.weights[i] += delta ^ sign - sign
	}
	p.history = [4]int32{p.history[1], p.history[2], p.history[3], sample}
}

// putState writes the state at the start of a frame. Weights that no longer fit in 16 bits are
// clamped in the state as well, so that encoder and decoder continue with the same ones.
func (p *predictor) putState(to []byte) {
	for i := range p.history {
		p.weights[i] = min(max(p.weights[i], math.MinInt16), math.MaxInt16)
		binary.BigEndian.PutUint16(to[2*i:], uint16(p.history[i]))
		binary.BigEndian.PutUint16(to[8+2*i:], uint16(p.weights[i]))
	}
}

func (p *predictor) load(from []byte) {
	for i := range p.history {
		p.history[i] = int32(int16(binary.BigEndian.Uint16(from[2*i:])))
		p.weights[i] = int32(int16(binary.BigEndian.Uint16(from[8+2*i:])))
	}
}

func clamp16(x int32) int32 { return min(max(x, math.MinInt16), math.MaxInt16) }

// tables depend on the scale factor.
type tables struct {
	dequant    [16][8]int32 // by code
	reciprocal [16]int32    // 2^16 / scale factor, rounded up
	steps      [16][32]step // by quotient + 8; 32 entries avoid a bounds check
}

// A step has the code of a quotient of -8 to 8, and its decoded value.
type step struct {
	code  uint32
	value int32
}

var lookup = sync.OnceValue(func() *tables {
	// Scale factor s is (s+1)^2.75, rounded.
	scales := [16]int32{1, 7, 21, 45, 84, 138, 211, 304, 421, 562, 731, 928, 1157, 1419, 1715, 2048}
	// The values of the codes 0, 2, 4 and 6, in quarters of the scale factor; odd codes are their
	// negatives.
	quarters := [4]int32{3, 10, 18, 28}
	// The code of each magnitude, without sign. No magnitude is stored as zero.
	magnitude := [9]uint32{0, 0, 2, 2, 4, 4, 6, 6, 6}

	t := new(tables)
	for s, scale := range scales {
		t.reciprocal[s] = (1<<16 + scale - 1) / scale
		for i, q := range quarters {
			value := (scale*q + 2) / 4
			t.dequant[s][2*i], t.dequant[s][2*i+1] = value, -value
		}
		for q := int32(-8); q <= 8; q++ {
			code := magnitude[max(q, -q)]
			if q < 0 {
				code++
			}
			t.steps[s][q+8] = step{code, t.dequant[s][code]}
		}
	}
	return t
})
