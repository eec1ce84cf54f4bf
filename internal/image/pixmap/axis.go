package pixmap

import "math"

// An axis says how pixels along one side are computed from a side of another length.
type axis struct {
	total float64 // the sum of a pixel's weights
	spans []span  // for each pixel
	most  int     // the number of weights of the longest span
}

// A span computes one pixel from the pixels from first on, with their weights, which are whole
// numbers. It may reach beyond the side.
type span struct {
	first   int
	weights []float64
}

// kernelTotal is the exact sum of the weights of Kaiser and Mitchell, so that one color stays one
// color.
const kernelTotal = 1 << 20

// newAxis returns the axis from a side of n pixels to one of m.
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

// boxSpan returns the parts of a side of n that pixel i of m covers.
func boxSpan(n, m, i int64) span {
	// In units of 1/m of a pixel of n, which are whole numbers.
	from, to := i*n, (i+1)*n
	first, last := from/m, (to-1)/m
	s := span{first: int(first), weights: make([]float64, last-first+1)}
	unit := int64(gcd(int(n), int(m)))
	for j := first; j <= last; j++ {
		s.weights[j-first] = float64((min(to, (j+1)*m) - max(from, j*m)) / unit)
	}
	return s
}

// kernelSpan weighs the pixels of a side of n around pixel i of m. If pixels get larger, so does
// the filter.
func kernelSpan(f Filter, n, m, i int64) span {
	// In units of 1/(2m) all places are whole numbers: pixel j is 2mj - center away, and unit is
	// the filter's 1.
	unit, center := 2*max(n, m), (2*i+1)*n-m
	reach := int64(f.reach()) * unit
	first, last := floorDiv(center-reach, 2*m)+1, -floorDiv(-center-reach, 2*m)-1
	values, sum := make([]float64, last-first+1), 0.0
	for k := range values {
		values[k] = f.at(float64(2*m*(first+int64(k))-center) / float64(unit))
		sum += values[k]
	}
	rest := float64(kernelTotal)
	low, high := (len(values)-1)/2, len(values)/2
	heavier := high
	if values[low] > values[high] {
		heavier = low
	}
	// The weights are whole numbers. The rounding error goes to the middle, evenly, so that a
	// mirrored picture stays mirrored.
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

// A Wrap says how a picture continues beyond its edges.
type Wrap uint8

// The ways to continue.
const (
	Clamp  Wrap = iota // repeats the pixels at the edge
	Repeat             // repeats the picture, as tiles do
)

// index returns the pixel of a side of n at place i, which may be outside.
func (w Wrap) index(i, n int) int {
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
