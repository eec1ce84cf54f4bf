package detmath

import (
	"math"
	"math/big"
	"math/bits"
	"sync"
)

// Pow returns x to the power of y for nonnegative x. The relative error is below 1e-12 if the
// result is a normal number and y is at most 100; it is 0 if y is 0 or 1. Results beyond float64
// become 0 or infinity, like 0 to a negative power. A negative x and NaN give NaN. All arithmetic
// is on integers; floats are only taken apart and put together.
func Pow(x, y float64) float64 {
	switch {
	case x != x || y != y || x < 0:
		return math.NaN()
	case y == 0 || x == 1:
		return 1
	case y == 1:
		return x
	case x == 0 || math.IsInf(x, 1) || math.IsInf(y, 0):
		// The result is one end of the range or the other.
		if (x > 1) == (y > 0) {
			return math.Inf(1)
		}
		return 0
	}
	exponent, ok := times(log2(x), y)
	switch {
	case !ok && (x > 1) == (y > 0), ok && exponent >= 1024<<fraction:
		return math.Inf(1)
	case !ok, ok && exponent < -1080<<fraction:
		return 0
	}
	return exp2(exponent)
}

// fraction is the number of fractional bits of a fixed-point number. The ten bits above them can
// hold the logarithm of any float64.
const fraction = 52

// log2 returns the binary logarithm of a positive, finite x.
func log2(x float64) int64 {
	mantissa, exponent := math.Frexp(x) // 0.5 to 1
	whole := int64(exponent-1) << fraction
	m := uint64(math.Ldexp(mantissa, 64)) // 1 to 2, as 1 and 63 bits
	// Squaring a number doubles its logarithm. If the square is 2 or more, the next bit of the
	// logarithm is set.
	part := int64(0)
	for range fraction {
		high, low := bits.Mul64(m, m) // 1 to 4, as 2 and 126 bits
		part <<= 1
		if high >= 1<<63 {
			part |= 1
			m = high
		} else {
			m = high<<1 | low>>63
		}
	}
	return whole + part
}

// times returns l*y, or false if the product is far out of range.
func times(l int64, y float64) (int64, bool) {
	mantissa, exponent := math.Frexp(math.Abs(y))
	m := uint64(math.Ldexp(mantissa, 53)) // y is m / 2^shift
	shift := 53 - exponent
	negative := (l < 0) != (y < 0)
	high, low := bits.Mul64(uint64(max(l, -l)), m)
	switch {
	case shift <= 0 || bits.Len64(high) > shift-1:
		return 0, l == 0 // it would take more than 63 bits
	case shift >= 128:
		return 0, true
	case shift >= 64:
		low = high >> (shift - 64)
	default:
		low = high<<(64-shift) | low>>shift
	}
	if low > 1<<63-1 {
		return 0, false
	}
	if negative {
		return -int64(low), true
	}
	return int64(low), true
}

// exp2 returns 2 to the power of e.
func exp2(e int64) float64 {
	whole := e >> fraction // rounds down
	m := uint64(1) << 63   // 1 to 2, as 1 and 63 bits
	for i, root := range roots() {
		if e>>(fraction-1-i)&1 != 0 {
			high, low := bits.Mul64(m, root)
			m = high<<1 | low>>63
		}
	}
	return math.Ldexp(float64(m), int(whole)-63)
}

// roots returns 2 to the powers of 1/2, 1/4, 1/8 and so on, as 1 and 63 bits.
var roots = sync.OnceValue(func() [fraction]uint64 {
	// The square root of v/2^n is the square root of v*2^n, over 2^n. The extra bits keep the
	// errors of the first roots out of the last ones.
	const n = 200
	v := new(big.Int).Lsh(big.NewInt(2), n)
	var list [fraction]uint64
	for i := range list {
		v.Sqrt(v.Lsh(v, n))
		list[i] = new(big.Int).Rsh(v, n-63).Uint64()
	}
	return list
})
