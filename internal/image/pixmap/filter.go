package pixmap

import (
	"fmt"
	"math"
	"strings"
)

// A Filter weights pixels by their distance.
type Filter uint8

// These are the values of Filter.
const (
	// Box averages the pixels that a pixel covers. It never rings, is exact even if the new size
	// does not divide the old one, and is by far the fastest.
	Box Filter = iota
	// Kaiser is a sinc under a Kaiser window with a radius of three pixels and alpha 4, as in the
	// NVIDIA Texture Tools. It is the sharpest filter, and its ringing is slight.
	Kaiser
	// Mitchell is the cubic filter of Mitchell and Netravali ("Reconstruction Filters in Computer
	// Graphics", 1988) with B = C = 1/3 and a radius of two pixels. It is sharper than Box and
	// softer than Kaiser.
	Mitchell
)

var filterNames = [...]string{Box: "box", Kaiser: "kaiser", Mitchell: "mitchell"}

// ParseFilter returns the filter with the given name, such as "kaiser".
func ParseFilter(name string) (Filter, error) {
	for f, n := range filterNames {
		if n == name {
			return Filter(f), nil
		}
	}
	return 0, fmt.Errorf("unknown filter %q; use one of %s", name, strings.Join(filterNames[:], ", "))
}

// String returns the name that ParseFilter takes.
func (f Filter) String() string {
	if int(f) < len(filterNames) {
		return filterNames[f]
	}
	return fmt.Sprintf("Filter(%d)", uint8(f))
}

// filterReach returns the filter's radius, beyond which its weights are 0.
func (f Filter) filterReach() float64 {
	if f == Kaiser {
		return 3
	}
	return 2
}

// kernelAt returns the value of Kaiser or Mitchell x pixels from the center. It must be equal on
// all processors, because output bytes depend on it. So it uses only exact functions of package
// math, and no product that could be fused with a sum.
func (f Filter) kernelAt(x float64) float64 {
	x = math.Abs(x)
	if x >= f.filterReach() {
		return 0
	}
	if f == Kaiser {
		const alpha = 4
		t := x / 3
		return sinc(x) * bessel(alpha*math.Sqrt(1-float64(t*t))) / bessel(alpha)
	}
	if x < 1 { // the polynomial is (7x^3 - 12x^2 + 16/3) / 6
		return (float64(x*x*(float64(7*x)-12)) + 16.0/3) / 6
	}
	// The polynomial is (-7/3 x^3 + 12x^2 - 20x + 32/3) / 6.
	return (float64(x*(float64(x*(12-float64(7*x)/3))-20)) + 32.0/3) / 6
}

// sinc returns sin(pi x) / (pi x).
func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	whole := math.RoundToEven(x)
	r := float64(math.Pi * (x - whole))
	// This is the Taylor series of the sine from -pi/2 to pi/2. The first omitted term is below
	// 1e-13.
	sum, square := 1.0, float64(r*r)
	for k := 16.0; k >= 2; k -= 2 {
		sum = 1 - float64(sum*square/(k*(k+1)))
	}
	if int(whole)%2 != 0 {
		sum = -sum
	}
	return r * sum / (math.Pi * x)
}

// bessel returns the modified Bessel function of the first kind of order 0, for x up to 4.
func bessel(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; k <= 20; k++ {
		term = term * (x * x / 4) / (k * k)
		sum += term
	}
	return sum
}

// An axis holds the weights for resampling along one side of the image.
type axis struct {
	total float64 // sum of the weights of each output pixel
	spans []span  // one span for each output pixel
	most  int     // number of weights in the longest span
}

// A span computes one output pixel from consecutive input pixels. first is the index of the first
// input pixel, and the weights are integers. A span at an edge may extend beyond the image.
type span struct {
	first   int
	weights []float64
}

// kernelTotal is the exact sum of the weights of Kaiser and Mitchell. It makes sure that an area of
// one color keeps its color.
const kernelTotal = 1 << 20

// newAxis returns the axis for resampling from n pixels to m.
func newAxis(f Filter, n, m int) axis {
	a := axis{total: kernelTotal, spans: make([]span, m)}
	if f == Box {
		a.total = float64(n / gcd(n, m))
	}
	for i := range a.spans {
		if f == Box {
			a.spans[i] = boxSpan(int64(n), int64(m), int64(i))
		} else {
			a.spans[i] = kernelSpan(f, int64(n), int64(m), int64(i))
		}
		a.most = max(a.most, len(a.spans[i].weights))
	}
	return a
}

// boxSpan returns the span of input pixels that output pixel i covers, if n pixels are resampled to
// m.
func boxSpan(n, m, i int64) span {
	// Both offsets are in units of 1/m of an input pixel, so they are integers.
	from, to := i*n, (i+1)*n
	first, last := from/m, (to-1)/m
	s := span{first: int(first), weights: make([]float64, last-first+1)}
	unit := int64(gcd(int(n), int(m)))
	for j := first; j <= last; j++ {
		s.weights[j-first] = float64((min(to, (j+1)*m) - max(from, j*m)) / unit)
	}
	return s
}

// kernelSpan returns the span of input pixels around output pixel i, if n pixels are resampled to
// m. If m is less than n, the filter is wider in proportion.
func kernelSpan(f Filter, n, m, i int64) span {
	// All positions are integers in units of 1/(2m) of an input pixel. The distance of pixel j from
	// the center is 2mj - center. unit is a distance of 1 on the filter's scale.
	unit, center := 2*max(n, m), (2*i+1)*n-m
	reach := int64(f.filterReach()) * unit
	first, last := floorDiv(center-reach, 2*m)+1, -floorDiv(-center-reach, 2*m)-1
	values, sum := make([]float64, last-first+1), 0.0
	for k := range values {
		values[k] = f.kernelAt(float64(2*m*(first+int64(k))-center) / float64(unit))
		sum += values[k]
	}
	rest := float64(kernelTotal)
	low, high := (len(values)-1)/2, len(values)/2
	heavier := high
	if values[low] > values[high] {
		heavier = low
	}
	// The weights are rounded to integers. The rounding error is distributed symmetrically around
	// the middle, so that a mirrored image gives mirrored results.
	for k, v := range values {
		values[k] = math.Floor(float64(v/sum*kernelTotal) + 0.5)
		rest -= values[k]
	}
	half := math.Floor(rest / 2)
	values[low] += half
	values[high] += half
	values[heavier] += rest - half - half
	return span{first: int(first), weights: values}
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// A Wrap selects how an image continues beyond its edges.
type Wrap uint8

// These are the values of Wrap.
const (
	Clamp  Wrap = iota // repeats the edge pixels
	Repeat             // repeats the whole image, as tiles do
)

// wrapIndex returns the index, below n, of the pixel at position i, which may be outside of the
// image.
func (w Wrap) wrapIndex(i, n int) int {
	if w == Repeat {
		if i %= n; i < 0 {
			i += n
		}
		return i
	}
	return max(0, min(n-1, i))
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
