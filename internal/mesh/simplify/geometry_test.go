package simplify

import (
	"math"

	"github.com/assetcook/assetcook/internal/mesh/optimize/meshtest"
)

func point(positions []float32, v uint32) [3]float32 { return [3]float32(positions[3*v:]) }

// count returns how many points the triangles use, and how many triangles each
// directed edge has.
func count(positions []float32, indices []uint32) (points int, edges map[[2][3]float32]int) {
	seen := map[[3]float32]bool{}
	edges = map[[2][3]float32]int{}
	for c, v := range indices {
		p := point(positions, v)
		seen[p] = true
		edges[[2][3]float32{p, point(positions, indices[next(uint32(c))])}]++
	}
	return len(seen), edges
}

// outward returns the cosine between the normal of a triangle and the way out of a
// ring of the given thickness, or a ball for 0.
func outward(positions []float32, t []uint32, thick float64) float64 {
	a, b, c := at(positions, int(t[0])), at(positions, int(t[1])), at(positions, int(t[2]))
	out := a.plus(b).plus(c).times(1.0 / 3)
	if thick > 0 {
		ring := vector{out.x, out.y, 0}
		out = out.minus(ring.times(1 / ring.length()))
	}
	n := b.minus(a).cross(c.minus(a))
	return n.dot(out) / n.length() / out.length()
}

func area(positions []float32, indices []uint32) float64 {
	sum := 0.0
	for i := 0; i < len(indices); i += 3 {
		a, b, c := at(positions, int(indices[i])), at(positions, int(indices[i+1])), at(positions, int(indices[i+2]))
		sum += b.minus(a).cross(c.minus(a)).length() / 2
	}
	return sum
}

// flat returns positions seen from above.
func flat(positions []float32) []float32 {
	out := append([]float32(nil), positions...)
	for i := 2; i < len(out); i += 3 {
		out[i] = 0
	}
	return out
}

// weights returns the weights of the corners of a triangle, seen from above, at p.
func weights(positions []float32, t []uint32, p []float32) (a, b, c float64) {
	q := vector{float64(p[0]), float64(p[1]), 0}
	u, v, w := at(positions, int(t[0])).minus(q), at(positions, int(t[1])).minus(q), at(positions, int(t[2])).minus(q)
	a, b, c = v.cross(w).z, w.cross(u).z, u.cross(v).z
	return a / (a + b + c), b / (a + b + c), c / (a + b + c)
}

// containing returns where the triangle begins that covers p, or -1.
func containing(positions []float32, indices []uint32, p []float32) int {
	for i := 0; i < len(indices); i += 3 {
		if a, b, c := weights(positions, indices[i:i+3], p); min(a, b, c) > -1e-6 {
			return i
		}
	}
	return -1
}

// distance returns the root mean square distance of two hundred positions of a
// mesh from the nearest of the triangles, relative to its extent.
func distance(m *meshtest.Mesh, indices []uint32) float64 {
	type ball struct {
		a, b, c, middle vector
		radius          float64
	}
	var triangles []ball
	for i := 0; i < len(indices); i += 3 {
		t := ball{a: at(m.Positions, int(indices[i])), b: at(m.Positions, int(indices[i+1])), c: at(m.Positions, int(indices[i+2]))}
		t.middle = t.a.plus(t.b).plus(t.c).times(1.0 / 3)
		t.radius = max(t.a.minus(t.middle).length(), t.b.minus(t.middle).length(), t.c.minus(t.middle).length())
		triangles = append(triangles, t)
	}
	sum, n := 0.0, 0
	for v := 0; v < m.Vertices(); v += 1 + m.Vertices()/200 {
		p := at(m.Positions, v)
		best := math.Inf(1) // squared
		for i := range triangles {
			t := &triangles[i]
			d := p.minus(t.middle)
			if square := d.dot(d); square > t.radius*t.radius && math.Sqrt(square)-t.radius > math.Sqrt(best) {
				continue
			}
			best = min(best, away(p, t.a, t.b, t.c))
		}
		sum += best
		n++
	}
	return math.Sqrt(sum/float64(n)) / float64(Scale(m.Positions))
}

// away returns the square of the distance of p from a triangle (Ericson, "Real-Time
// Collision Detection", 5.1.5).
func away(p, a, b, c vector) float64 {
	ab, ac := b.minus(a), c.minus(a)
	n := ab.cross(ac)
	square := n.dot(n)
	if square > 0 {
		v, w := ac.cross(n).dot(p.minus(a))/square, n.cross(ab).dot(p.minus(a))/square
		if v >= 0 && w >= 0 && v+w <= 1 {
			d := n.dot(p.minus(a))
			return d * d / square
		}
	}
	return min(beside(p, a, b), beside(p, b, c), beside(p, c, a))
}

// beside returns the square of the distance of p from a line from a to b.
func beside(p, a, b vector) float64 {
	ab := b.minus(a)
	t := 0.0
	if l := ab.dot(ab); l > 0 {
		t = math.Min(math.Max(p.minus(a).dot(ab)/l, 0), 1)
	}
	d := p.minus(a.plus(ab.times(t)))
	return d.dot(d)
}
