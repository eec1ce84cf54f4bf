package quantize

import "math"

// Signed returns the number of bits, 8 or 16, for x from -1 to 1: x times 127 or 32767.
// Values beyond are clamped.
func Signed(x float32, bits int) int16 {
	top := float64(int(1)<<(bits-1) - 1)
	return int16(nearest(float64(min(max(float64(x), -1), 1) * top)))
}

// Unsigned returns the number of bits, 8 or 16, for x from 0 to 1: x times 255 or 65535.
// Values beyond are clamped.
func Unsigned(x float32, bits int) uint16 {
	top := float64(int(1)<<bits - 1)
	return uint16(nearest(float64(min(max(float64(x), 0), 1) * top)))
}

// Direction writes the whole numbers of bits, 8 or 16, that stand for the direction of
// v, which is scaled to length 1 first. A zero vector stays one.
func Direction(v []float32, bits int, to []int16) {
	sum := float64(0)
	for _, x := range v {
		sum += float64(float64(x) * float64(x))
	}
	length := math.Sqrt(sum)
	for i, x := range v {
		if length > 0 {
			x = float32(float64(x) / length)
		}
		to[i] = Signed(x, bits)
	}
}

// Weights writes the shares of one vertex as whole numbers of bits, 8 or 16, whose sum is
// exactly 2^bits - 1, so that a reader finds a sum of 1. Each share is rounded down; the
// shares that lost most get one more, the first of equals first. Weights reports false, and
// writes nothing, if a weight is negative or their sum is too small.
func Weights(weights []float32, bits int, to []uint16) bool {
	sum := float64(0)
	for _, w := range weights {
		if w < 0 {
			return false
		}
		sum += float64(w)
	}
	const least = 1e-3 // no rounding of weights that once made 1
	if !(sum >= least) || math.IsInf(sum, 1) {
		return false
	}
	top := int(1)<<bits - 1
	missing := top
	for i, w := range weights {
		// A hair less, so that rounding cannot make the sum too large.
		to[i] = uint16(max(float64(float64(w)/sum*float64(top))-1e-9, 0))
		missing -= int(to[i])
	}
	for ; missing > 0; missing-- {
		most, lost := 0, math.Inf(-1)
		for i, w := range weights {
			if l := float64(float64(w)/sum*float64(top)) - float64(to[i]); l > lost {
				most, lost = i, l
			}
		}
		to[most]++
	}
	return true
}
