package vorbis

import (
	"math/bits"

	"github.com/assetcook/assetcook/internal/detmath"
)

// A transform is the inverse MDCT of blocks of one size (section 4.3.7): it turns m lines of a
// spectrum into 2m samples,
//
//	x[n] = sum over k of X[k] cos(pi/m (n + 1/2 + m/2)(k + 1/2))
//
// These are a discrete cosine transform of type 4, mirrored, which is a complex Fourier transform
// of m/2 points between two rotations (J. Princen, A. Johnson and A. Bradley, ICASSP 1987).
type transform struct {
	m       int
	rotate  []point // exp(-i pi (8n+1) / (8m)), m/2 of them
	turn    []point // exp(-2 pi i n / (m/2)), m/4 of them
	reverse []uint16
	work    []point
	dct     []float64
}

type point struct{ re, im float64 }

func (a point) times(b point) point {
	return point{
		float64(a.re*b.re) - float64(a.im*b.im),
		float64(a.re*b.im) + float64(a.im*b.re),
	}
}

// newTransform returns a transform for blocks of 2m samples, a power of two from 64 on.
func newTransform(m int) *transform {
	h := m / 2
	t := &transform{
		m: m, rotate: make([]point, h), turn: make([]point, h/2),
		reverse: make([]uint16, h), work: make([]point, h), dct: make([]float64, m),
	}
	for i := range t.rotate {
		a := float64(8*i+1) / float64(8*m)
		t.rotate[i] = point{detmath.CosPi(a), -detmath.SinPi(a)}
	}
	for i := range t.turn {
		a := 2 * float64(i) / float64(h)
		t.turn[i] = point{detmath.CosPi(a), -detmath.SinPi(a)}
	}
	width := bits.Len(uint(h)) - 1
	for i := range t.reverse {
		t.reverse[i] = bits.Reverse16(uint16(i)) >> (16 - width)
	}
	return t
}

// inverse transforms m lines into two halves of m samples.
func (t *transform) inverse(spectrum []float32, left, right []float64) {
	h := t.m / 2
	for n := range h {
		x := point{float64(spectrum[2*n]), float64(spectrum[t.m-1-2*n])}
		t.work[t.reverse[n]] = x.times(t.rotate[n])
	}
	t.fourier()
	for n := range h {
		y := t.work[n].times(t.rotate[n])
		t.dct[2*n], t.dct[t.m-1-2*n] = y.re, -y.im
	}
	// After its m samples, the cosine transform continues as its negated mirror image.
	for n := range h {
		left[n] = t.dct[h+n]
		left[h+n] = -t.dct[t.m-1-n]
		right[n] = -t.dct[h-1-n]
		right[h+n] = -t.dct[n]
	}
}

// fourier transforms work, which is in bit-reversed order, in place.
func (t *transform) fourier() {
	n := len(t.work)
	for size := 2; size <= n; size *= 2 {
		half, stride := size/2, n/size
		for from := 0; from < n; from += size {
			a, b := t.work[from:from+half], t.work[from+half:from+size]
			for i := range a {
				x, y := a[i], b[i].times(t.turn[i*stride])
				a[i] = point{x.re + y.re, x.im + y.im}
				b[i] = point{x.re - y.re, x.im - y.im}
			}
		}
	}
}

// slope returns the rising half of the window that joins two blocks over n samples (section 4.3.1).
func slope(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		s := detmath.SinPi((float64(i) + 0.5) / float64(n) / 2)
		w[i] = detmath.SinPi(float64(s*s) / 2)
	}
	return w
}
