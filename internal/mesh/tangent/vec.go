package tangent

import (
	"math"
	"sync"
)

// A vec is computed with in float32, step by step as the reference does it: whether
// two tangents are opposite depends on the last bit. Products are rounded before
// they are added: processors that fuse the two would give other results.
type vec [3]float32

func (a vec) plus(b vec) vec  { return vec{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func (a vec) minus(b vec) vec { return vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
func (a vec) times(f float32) vec {
	return vec{float32(f * a[0]), float32(f * a[1]), float32(f * a[2])}
}
func (a vec) dot(b vec) float32 {
	return float32(a[0]*b[0]) + float32(a[1]*b[1]) + float32(a[2]*b[2])
}
func (a vec) length() float32 { return float32(math.Sqrt(float64(a.dot(a)))) }

// unit returns a with length 1, or a itself where it has none.
func (a vec) unit() vec {
	if !notZero(a[0]) && !notZero(a[1]) && !notZero(a[2]) {
		return a
	}
	return a.times(1 / a.length())
}

// flat returns the part of a in the plane of the normal n, with length 1.
func (a vec) flat(n vec) vec { return a.minus(n.times(n.dot(a))).unit() }

// notZero reports whether a number is large enough to divide by: a normal number.
func notZero(f float32) bool { return f > 0x1p-126 || f < -0x1p-126 }

// acos returns the angle, 0 to pi, of a cosine of -1 to 1, within 1e-15. The
// function of package math differs between processors.
func acos(cos float64) float64 {
	switch {
	case cos > 0.5:
		return 2 * asin(math.Sqrt((1-cos)/2))
	case cos < -0.5:
		return math.Pi - float64(2*asin(math.Sqrt((1+cos)/2)))
	}
	return math.Pi/2 - asin(cos)
}

// asin is the series x + 1/2 x^3/3 + 1*3/(2*4) x^5/5 ... for x of -0.5 to 0.5.
func asin(x float64) float64 {
	terms, square := asinTerms(), float64(x*x)
	sum := 0.0
	for n := len(terms) - 1; n >= 0; n-- {
		sum = float64(sum*square) + terms[n]
	}
	return sum * x
}

// asinTerms are enough of its coefficients for the last bit.
var asinTerms = sync.OnceValue(func() *[25]float64 {
	terms := new([25]float64)
	product := 1.0
	for n := range terms {
		odd := float64(2*n + 1)
		terms[n] = product / odd
		product = float64(product*odd) / (odd + 1)
	}
	return terms
})
