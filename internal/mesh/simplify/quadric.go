package simplify

import (
	"math"

	"github.com/assetcook/assetcook/internal/mesh/optimize"
)

// A quadric is a sum of squared distances from planes, as a function of a point: p'Ap + 2b'p + c.
// It also holds the sum of the planes' weights. In this package, products are rounded before they
// are added, because fused operations would give different results.
type quadric struct {
	xx, xy, xz, yy, yz, zz float64 // elements of the symmetric matrix A
	bx, by, bz             float64
	c                      float64
	weight                 float64
}

// addPlane adds weight times the square of n'p + d. It does not change the sum of weights.
func (q *quadric) addPlane(n vector, d, weight float64) {
	w := n.times(weight)
	q.xx += float64(w.x * n.x)
	q.xy += float64(w.x * n.y)
	q.xz += float64(w.x * n.z)
	q.yy += float64(w.y * n.y)
	q.yz += float64(w.y * n.z)
	q.zz += float64(w.z * n.z)
	q.bx += float64(w.x * d)
	q.by += float64(w.y * d)
	q.bz += float64(w.z * d)
	q.c += float64(float64(weight*d) * d)
}

func (q *quadric) addQuadric(r *quadric) {
	q.xx += r.xx
	q.xy += r.xy
	q.xz += r.xz
	q.yy += r.yy
	q.yz += r.yz
	q.zz += r.zz
	q.bx += r.bx
	q.by += r.by
	q.bz += r.bz
	q.c += r.c
	q.weight += r.weight
}

// squareAt returns the weighted sum of squared distances at a point.
func (q *quadric) squareAt(p vector) float64 {
	x := float64(q.xx*p.x) + float64(2*(float64(q.xy*p.y)+float64(q.xz*p.z)+q.bx))
	y := float64(q.yy*p.y) + float64(2*(float64(q.yz*p.z)+q.by))
	z := float64(q.zz*p.z) + float64(2*q.bz)
	return float64(x*p.x) + float64(y*p.y) + float64(z*p.z) + q.c
}

// meanSquareAt returns the weighted mean of squared distances at a point.
func (q *quadric) meanSquareAt(p vector) float64 {
	if q.weight == 0 {
		return 0
	}
	return max(q.squareAt(p), 0) / q.weight
}

// These are weights of planes through open borders and seams, perpendicular to the triangle. They
// are relative to the square of the edge length. The planes keep borders and seams in place.
const (
	borderWeight = 4
	seamWeight   = 0.5
)

// sumQuadrics computes the quadrics of all positions. They contain the planes of the triangles,
// weighted by area, and the planes along borders and seams.
func (m *mesh) sumQuadrics() error {
	for c := 0; c < len(m.triangles); c += 3 {
		if err := m.spendEffort(20 + 10*m.worn.countNumbers()); err != nil {
			return err
		}
		var p [3]uint32
		for k := range p {
			p[k] = m.position[m.triangles[c+k]]
		}
		a := m.at[p[0]]
		n := m.at[p[1]].minus(a).cross(m.at[p[2]].minus(a))
		length := n.length()
		if length == 0 {
			continue
		}
		var q quadric
		unit := n.times(1 / length)
		q.addPlane(unit, -unit.dot(a), length/2)
		q.weight = length / 2
		for _, p := range p {
			m.shape[p].addQuadric(&q)
			m.facing[p] = m.facing[p].plus(n.times(0.5))
		}
		m.worn.addTriangle(m, m.triangles[c:c+3], n)
	}
	if err := m.connectTriangles(); err != nil {
		return err
	}
	for i := range m.edges {
		if err := m.spendEffort(10); err != nil {
			return err
		}
		e := &m.edges[i]
		switch {
		case e.out == none:
			m.holdEdge(e.back, borderWeight)
		case e.back == none:
			m.holdEdge(e.out, borderWeight)
		case m.triangles[e.out] != m.triangles[optimize.NextCorner(e.back)] || m.triangles[optimize.NextCorner(e.out)] != m.triangles[e.back]:
			m.holdEdge(e.out, seamWeight)
			m.holdEdge(e.back, seamWeight)
		}
	}
	return nil
}

// holdEdge adds a plane through the edge that starts at a corner. The plane is perpendicular to the
// corner's triangle.
func (m *mesh) holdEdge(c uint32, weight float64) {
	p, q := m.place[c], m.place[optimize.NextCorner(c)]
	a := m.at[p]
	along := m.at[q].minus(a)
	upright := along.cross(along.cross(m.at[m.place[optimize.PreviousCorner(c)]].minus(a)))
	length := upright.length()
	if length == 0 {
		return
	}
	unit := upright.times(1 / length)
	var plane quadric
	plane.addPlane(unit, -unit.dot(a), float64(weight*along.dot(along)))
	m.shape[p].addQuadric(&plane)
	m.shape[q].addQuadric(&plane)
}

// A vector has float64 components, so that the square of a float32 never overflows.
type vector struct{ x, y, z float64 }

func vectorAt(positions []float32, v int) vector {
	p := positions[3*v:][:3]
	return vector{float64(p[0]), float64(p[1]), float64(p[2])}
}

func (a vector) plus(b vector) vector  { return vector{a.x + b.x, a.y + b.y, a.z + b.z} }
func (a vector) minus(b vector) vector { return vector{a.x - b.x, a.y - b.y, a.z - b.z} }
func (a vector) times(f float64) vector {
	return vector{float64(a.x * f), float64(a.y * f), float64(a.z * f)}
}
func (a vector) length() float64 { return math.Sqrt(a.dot(a)) }
func (a vector) dot(b vector) float64 {
	return float64(a.x*b.x) + float64(a.y*b.y) + float64(a.z*b.z)
}
func (a vector) cross(b vector) vector {
	return vector{
		float64(a.y*b.z) - float64(a.z*b.y),
		float64(a.z*b.x) - float64(a.x*b.z),
		float64(a.x*b.y) - float64(a.y*b.x),
	}
}
