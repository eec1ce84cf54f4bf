// Package detmath has the elementary functions for computing sounds and pictures. They return the
// same bits on every processor.
//
// Package math does not: some of its functions are assembly on one processor and Go on another, and
// the compiler uses fused multiply-add instructions where they exist. Here every product is rounded
// by an explicit conversion before it is added, which the Go specification guarantees. Errors are a
// few units in the last place, as the tests state.
package detmath

import "math"

// SinPi returns sin(pi*x). The reduction is exact, so a large x loses nothing.
func SinPi(x float64) float64 {
	n := math.RoundToEven(2 * x)
	r := math.Pi * (float64(x) - float64(n/2)) // exact except for the product: |r| <= pi/4
	switch quarter(n) {
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
	switch quarter(n) {
	case 0:
		return cosine(r)
	case 1:
		return -sine(r)
	case 2:
		return -cosine(r)
	}
	return sine(r)
}

// quarter returns n modulo 4 of a whole number.
func quarter(n float64) int { return int(n - float64(4*math.Floor(n/4))) }

// sine and cosine are Taylor series for |x| <= pi/4, cut where the remainder is below 1e-19.
func sine(x float64) float64 {
	q := x * x
	s := 1.0
	for k := 16.0; k >= 2; k -= 2 { // Horner: 1 - q/(k(k+1)) * (...)
		s = 1 - float64(q*s)/(k*(k+1))
	}
	return float64(x * s) // rounded, also if inlined into a sum
}

func cosine(x float64) float64 {
	q := x * x
	s := 1.0
	for k := 17.0; k >= 1; k -= 2 {
		s = 1 - float64(q*s)/(k*(k+1))
	}
	return s
}

// ln2 in two parts: the first has so few bits that its product with a small whole number is exact.
const (
	ln2High = 6.93147180369123816490e-01
	ln2Low  = 1.90821492927058770002e-10
)

// Exp returns e to the x, or 0 or infinity if the result does not fit.
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
	r := (float64(x) - float64(n*ln2High)) - float64(n*ln2Low) // |r| <= 0.35
	s := 1.0
	for k := 15.0; k >= 1; k-- {
		s = 1 + float64(r*s)/k
	}
	return math.Ldexp(s, int(n))
}

// Log returns the natural logarithm of x: NaN below 0, minus infinity at 0.
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

// Gain converts decibels to a factor of amplitude.
func Gain(decibels float64) float64 { return Exp(float64(decibels * (math.Ln10 / 20))) }

// Decibels converts a factor of amplitude to decibels, minus infinity for 0.
func Decibels(gain float64) float64 { return float64(Log(gain) * (20 / math.Ln10)) }

// BesselI0 returns the modified Bessel function of the first kind and order 0
// by its power series (Abramowitz and Stegun 9.6.12), for |x| up to about 50.
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
	// Two halvings of the angle bring x below 0.2.
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
