package tangent

import (
	"context"
	"math"
	"sync"

	"github.com/assetcook/assetcook/internal/mesh/optimize"
)

// Normals returns the smooth normals of a mesh, as unit vectors x, y, z per vertex. A normal is the
// mean of the normals of the triangles around a vertex, weighted by their angles at the vertex.
// Vertices at the same position have the same normal. A vertex without a triangle of nonzero area
// gets 0, 0, 1. Normals takes 45 bytes per vertex, including 12 for the result.
func Normals(ctx context.Context, indices []uint32, positions []float32) ([]float32, error) {
	if err := checkMesh(indices, positions); err != nil {
		return nil, err
	}
	welded, unique, err := optimize.Weld(ctx, len(positions)/3, optimize.FloatStream(positions, 3))
	if err != nil {
		return nil, err
	}
	m := &mesh{ctx: ctx, indices: indices, positions: positions}
	sums := make([]wide, unique)
	for c := range uint32(len(indices)) {
		if err := m.countWork(10); err != nil {
			return nil, err
		}
		p := widen(m.cornerPosition(c))
		a, b := widen(m.cornerPosition(optimize.NextCorner(c))).minus(p), widen(m.cornerPosition(optimize.PreviousCorner(c))).minus(p)
		n, l := a.cross(b), math.Sqrt(a.dot(a))*math.Sqrt(b.dot(b))
		if area := math.Sqrt(n.dot(n)); area > 0 {
			weight := acos(min(max(a.dot(b)/l, -1), 1)) / area
			sum := &sums[welded[indices[c]]]
			for i := range sum {
				sum[i] += float64(n[i] * weight)
			}
		}
	}
	out := make([]float32, 0, len(positions))
	for _, v := range welded {
		if err := m.countWork(4); err != nil {
			return nil, err
		}
		n := sums[v].unit()
		out = append(out, n[:]...)
	}
	return out, nil
}

// FlatNormals returns the unit normals of the triangles as x, y, z per corner (as many as indices).
// glTF requires these normals for a mesh without normals. A triangle without area gets 0, 0, 1.
func FlatNormals(ctx context.Context, indices []uint32, positions []float32) ([]float32, error) {
	if err := checkMesh(indices, positions); err != nil {
		return nil, err
	}
	m := &mesh{ctx: ctx, indices: indices, positions: positions}
	out := make([]float32, 0, 3*len(indices))
	for c := uint32(0); c < uint32(len(indices)); c += 3 {
		if err := m.countWork(4); err != nil {
			return nil, err
		}
		p := widen(m.cornerPosition(c))
		n := widen(m.cornerPosition(c + 1)).minus(p).cross(widen(m.cornerPosition(c + 2)).minus(p)).unit()
		for range 3 {
			out = append(out, n[:]...)
		}
	}
	return out, nil
}

// A wide is a vector in float64, so that the square of a float32 never overflows.
type wide [3]float64

func widen(v vec) wide { return wide{float64(v[0]), float64(v[1]), float64(v[2])} }

func (a wide) minus(b wide) wide { return wide{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
func (a wide) dot(b wide) float64 {
	return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
}
func (a wide) cross(b wide) wide {
	return wide{
		float64(a[1]*b[2]) - float64(a[2]*b[1]),
		float64(a[2]*b[0]) - float64(a[0]*b[2]),
		float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}

// unit normalizes the vector a. It returns 0, 0, 1 if the length is 0.
func (a wide) unit() vec {
	l := math.Sqrt(a.dot(a))
	if !(l > 0) {
		return vec{0, 0, 1}
	}
	return vec{float32(a[0] / l), float32(a[1] / l), float32(a[2] / l)}
}

// A vec is a vector of float32. Its operations round in the same steps as the reference
// implementation, because the last bit can determine whether two tangents are opposite. Products
// are rounded before they are added, because fused operations would give different results.
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

// unit normalizes the vector a. It returns a unchanged if the length is 0.
func (a vec) unit() vec {
	if !notZero(a[0]) && !notZero(a[1]) && !notZero(a[2]) {
		return a
	}
	return a.times(1 / a.length())
}

// flattenTo projects the vector a on the plane with normal n, and normalizes the result.
func (a vec) flattenTo(n vec) vec { return a.minus(n.times(n.dot(a))).unit() }

// notZero reports whether f is large enough to divide by it. Subnormal numbers are too small.
func notZero(f float32) bool { return f > 0x1p-126 || f < -0x1p-126 }

// acos returns the arc cosine of a value from -1 to 1, within 1e-15. The function of package math
// differs between processors.
func acos(cos float64) float64 {
	switch {
	case cos > 0.5:
		return 2 * asin(math.Sqrt((1-cos)/2))
	case cos < -0.5:
		return math.Pi - float64(2*asin(math.Sqrt((1+cos)/2)))
	}
	return math.Pi/2 - asin(cos)
}

// asin computes the Taylor series x + 1/2 x^3/3 + 1*3/(2*4) x^5/5 + ... for x from -0.5 to 0.5.
func asin(x float64) float64 {
	terms, square := asinTerms(), float64(x*x)
	sum := 0.0
	for n := len(terms) - 1; n >= 0; n-- {
		sum = float64(sum*square) + terms[n]
	}
	return sum * x
}

// asinTerms returns the coefficients of the Taylor series of asin. They are enough for full
// precision.
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
