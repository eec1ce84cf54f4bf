// Package detmath implements elementary functions for processing sounds and images. They return the
// same bits on every processor.
//
// Package math does not. It has some functions in assembly for some processors only, and the
// compiler uses fused multiply-add instructions if the processor has them. Here an explicit
// conversion rounds every product before it is added, as the Go specification guarantees. Errors
// are a few units in the last place, as tests verify.
package detmath

import (
	"math"
	"math/big"
	"math/bits"
	"sync"
)

// SinPi returns sin(pi*x). The range reduction is exact, so the result is accurate even for large
// x.
func SinPi(x float64) float64 {
	n := math.RoundToEven(2 * x)
	r := math.Pi * (float64(x) - float64(n/2)) // only this product is rounded; |r| <= pi/4
	switch quadrantOf(n) {
	case 0:
		return sine(r)
	case 1:
		return cosine(r)
	case 2:
		return -sine(r)
	}
	return -cosine(r)
}

// CosPi returns cos(pi*x).
func CosPi(x float64) float64 {
	n := math.RoundToEven(2 * x)
	r := math.Pi * (float64(x) - float64(n/2))
	switch quadrantOf(n) {
	case 0:
		return cosine(r)
	case 1:
		return -sine(r)
	case 2:
		return -cosine(r)
	}
	return sine(r)
}

// quadrantOf returns n modulo 4, where n is an integer.
func quadrantOf(n float64) int { return int(n - float64(4*math.Floor(n/4))) }

// sine and cosine compute Taylor series for |x| <= pi/4. The omitted terms are below 1e-19.
func sine(x float64) float64 {
	q := x * x
	s := 1.0
	for k := 16.0; k >= 2; k -= 2 { // Horner's method
		s = 1 - float64(q*s)/(k*(k+1))
	}
	return float64(x * s) // conversion for rounding, even if the compiler inlines the call into a sum
}

func cosine(x float64) float64 {
	q := x * x
	s := 1.0
	for k := 17.0; k >= 1; k -= 2 {
		s = 1 - float64(q*s)/(k*(k+1))
	}
	return s
}

// ln2 is split into two parts. The first has so few bits that its product with a small integer is
// exact.
const (
	ln2High = 6.93147180369123816490e-01
	ln2Low  = 1.90821492927058770002e-10
)

// Exp returns e to the power of x, or 0 or infinity if the result is out of range.
func Exp(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case x > 709.7:
		return math.Inf(1)
	case x < -745:
		return 0
	}
	n := math.RoundToEven(x / math.Ln2)
	r := (float64(x) - float64(n*ln2High)) - float64(n*ln2Low) // remainder with |r| <= 0.35
	s := 1.0
	for k := 15.0; k >= 1; k-- {
		s = 1 + float64(r*s)/k
	}
	return math.Ldexp(s, int(n))
}

// Log returns the natural logarithm of x. It returns NaN for negative x and minus infinity for 0.
func Log(x float64) float64 {
	switch {
	case math.IsNaN(x) || x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case math.IsInf(x, 1):
		return x
	}
	m, e := math.Frexp(x) // x = m * 2^e with m from 1/2 to 1
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	// log(m) = 2 atanh(s), with |s| <= 0.172.
	s := (m - 1) / (m + 1)
	q := s * s
	sum := 0.0
	for k := 23.0; k >= 1; k -= 2 {
		sum = 1/k + float64(q*sum)
	}
	n := float64(e)
	return float64(n*ln2High) + (float64(2*s*sum) + float64(n*ln2Low))
}

// Gain converts decibels to an amplitude factor.
func Gain(decibels float64) float64 { return Exp(float64(decibels * (math.Ln10 / 20))) }

// Decibels converts an amplitude factor to decibels; 0 becomes minus infinity.
func Decibels(gain float64) float64 { return float64(Log(gain) * (20 / math.Ln10)) }

// BesselI0 returns the modified Bessel function of the first kind of order 0 for |x| up to about
// 50, by its power series (Abramowitz and Stegun 9.6.12).
func BesselI0(x float64) float64 {
	q := x * x / 4
	sum, term := 1.0, 1.0
	for k := 1.0; term > sum*1e-18; k++ {
		term = term * q / (k * k)
		sum += term
	}
	return sum
}

// Atan returns the arc tangent of x.
func Atan(x float64) float64 {
	if x < 0 {
		return -Atan(-x)
	}
	if x > 1 {
		return math.Pi/2 - Atan(1/x)
	}
	// Halving the angle twice reduces x to less than 0.2.
	for range 2 {
		x /= 1 + math.Sqrt(1+float64(x*x))
	}
	q := x * x
	sum := 0.0
	for k := 23.0; k >= 1; k -= 2 {
		sum = 1/k - float64(q*sum)
	}
	return float64(4 * x * sum)
}

// Pow returns x to the power of y for nonnegative x. The relative error is below 1e-12 if the
// result is a normal number and y is at most 100. The result is exact if y is 0 or 1. Results out
// of the range of float64 become 0 or infinity. The result for a negative x or for NaN is NaN. All
// arithmetic uses integers; floats are only split into mantissa and exponent.
func Pow(x, y float64) float64 {
	switch {
	case x != x || y != y || x < 0:
		return math.NaN()
	case y == 0 || x == 1:
		return 1
	case y == 1:
		return x
	case x == 0 || math.IsInf(x, 1) || math.IsInf(y, 0):
		// The result overflows or underflows.
		if (x > 1) == (y > 0) {
			return math.Inf(1)
		}
		return 0
	}
	exponent, ok := multiplyLog(log2(x), y)
	switch {
	case !ok && (x > 1) == (y > 0), ok && exponent >= 1024<<fraction:
		return math.Inf(1)
	case !ok, ok && exponent < -1080<<fraction:
		return 0
	}
	return exp2(exponent)
}

// fraction is the number of fractional bits of a fixed-point number. The ten bits above them
// suffice for the logarithm of any float64.
const fraction = 52

// log2 returns the binary logarithm of a positive, finite x.
func log2(x float64) int64 {
	mantissa, exponent := math.Frexp(x) // the mantissa is from 0.5 to 1
	whole := int64(exponent-1) << fraction
	m := uint64(math.Ldexp(mantissa, 64)) // fixed-point number from 1 to 2, with 63 fractional bits
	// Squaring a number doubles its logarithm. If the square is at least 2, the next bit of the
	// logarithm is 1.
	part := int64(0)
	for range fraction {
		high, low := bits.Mul64(m, m) // fixed-point number from 1 to 4, with 126 fractional bits
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

// multiplyLog returns l*y, or false if the product is far out of range.
func multiplyLog(l int64, y float64) (int64, bool) {
	mantissa, exponent := math.Frexp(math.Abs(y))
	m := uint64(math.Ldexp(mantissa, 53)) // y is m / 2^shift
	shift := 53 - exponent
	negative := (l < 0) != (y < 0)
	high, low := bits.Mul64(uint64(max(l, -l)), m)
	switch {
	case shift <= 0 || bits.Len64(high) > shift-1:
		return 0, l == 0 // the product needs more than 63 bits
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
	whole := e >> fraction // integer part, rounded down
	m := uint64(1) << 63   // fixed-point number from 1 to 2, with 63 fractional bits
	for i, root := range roots() {
		if e>>(fraction-1-i)&1 != 0 {
			high, low := bits.Mul64(m, root)
			m = high<<1 | low>>63
		}
	}
	return math.Ldexp(float64(m), int(whole)-63)
}

// roots returns 2 to the powers of 1/2, 1/4, 1/8 and so on, as fixed-point numbers with 63
// fractional bits.
var roots = sync.OnceValue(func() [fraction]uint64 {
	// The square root of v/2^n is the square root of v*2^n, divided by 2^n. The extra bits prevent
	// rounding errors from accumulating.
	const n = 200
	v := new(big.Int).Lsh(big.NewInt(2), n)
	var list [fraction]uint64
	for i := range list {
		v.Sqrt(v.Lsh(v, n))
		list[i] = new(big.Int).Rsh(v, n-63).Uint64()
	}
	return list
})
