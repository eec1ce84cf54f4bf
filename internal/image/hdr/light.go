package hdr

import (
	"math"

	"github.com/assetcook/assetcook/internal/detmath"
)

// A light turns packed pixels into floats: the product of what stands here for
// the mantissa and for the exponent.
type light struct {
	mantissa [256]float64
	exponent [256][3]float64 // for red, green, blue
}

// light returns the table for pictures with this header. The light is
// (mantissa * 2^(exponent-136)) ^ gamma / exposure; an exponent of 0 is black.
func (h *Header) light() light {
	var l light
	for i := range 256 {
		l.mantissa[i] = detmath.Pow(float64(i), h.Gamma)
		if i == 0 {
			continue
		}
		unit := detmath.Pow(math.Ldexp(1, i-136), h.Gamma)
		for c, e := range h.Exposure {
			l.exponent[i][c] = min(1e300, unit/e) // times 0 it must be 0
		}
	}
	return l
}

// of puts the light of the first pixel of packed at the start of dst. What is
// beyond float32 becomes the largest one, so that no infinity gets about.
func (l *light) of(dst []float32, packed []byte) {
	_, _ = dst[3], packed[3]
	scale := &l.exponent[packed[3]]
	for c := range 3 {
		dst[c] = float32(min(math.MaxFloat32, l.mantissa[packed[c]]*scale[c]))
	}
	dst[3] = 1
}
