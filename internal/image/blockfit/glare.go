package blockfit

import "math"

// A Glare measures the visible difference of half-precision floats, by the logarithms of 1 + v/glare.
// Above the glare, equal ratios have equal differences; below it, equal differences do.
//
// Beside bright values, dark values are hard to distinguish, so the glare is a sixteenth of the
// brightest value. It is at most 1: a lamp may be thousands of times as bright as the white of a
// screen, and the pixels beside it must not become white.
type Glare struct{ perGlare float32 }

// GlareOf returns the glare of pixels with the given brightest value.
func GlareOf(brightest uint16) Glare {
	return Glare{1 / (min(FiniteHalf(brightest)/16, 1) + 1.0/(1<<20))}
}

// Level returns the logarithm of 1 + v/glare, linear between powers of two.
func (g Glare) Level(h uint16) float32 {
	const one = 0x3f800000 // bits of 1
	sum := float32(FiniteHalf(h)*g.perGlare) + 1
	return float32(float32(int32(math.Float32bits(sum)-one)) * (math.Ln2 / (1 << 23)))
}

// FiniteHalf returns the value of a half-precision float, which must be finite and not negative.
func FiniteHalf(h uint16) float32 {
	if h < 1<<10 {
		return float32(h) / (1 << 24)
	}
	return math.Float32frombits(uint32(h)<<13 + 112<<23)
}
