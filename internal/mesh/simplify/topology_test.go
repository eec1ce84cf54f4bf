package simplify

import (
	"math"
	"testing"

	"github.com/assetcook/assetcook/internal/mesh/optimize"
	"github.com/assetcook/assetcook/internal/mesh/optimize/meshtest"
)

// TestClosedStaysClosed checks that a closed surface stays closed: every edge has a triangle on
// both sides. The number of holes through the surface must not change, and no triangle may face
// inward.
func TestClosedStaysClosed(t *testing.T) {
	for _, c := range []struct {
		name  string
		mesh  *meshtest.Mesh
		euler int
		thick float64
	}{
		{"sphere", meshtest.Sphere(40, 20).Smooth(), 2, 0},
		{"sphere with a seam", meshtest.Sphere(40, 20), 2, 0},
		{"torus", meshtest.Torus(60, 30, 0.4).Smooth(), 0, 0.4},
		{"torus with seams", meshtest.Torus(60, 30, 0.4), 0, 0.4},
	} {
		for _, target := range []int{2000, 600, 150, 0} {
			out, _ := simplified(t, c.mesh, Options{Target: target, MaxError: 10})
			vertices, edges := count(c.mesh.Positions, out)
			for e, n := range edges {
				if n != 1 || edges[[2][3]float32{e[1], e[0]}] != 1 {
					t.Errorf("%s at %d: %d triangles on one side of the edge %v", c.name, target, n, e)
					break
				}
			}
			if len(out) < 12 {
				t.Errorf("%s at %d: %d triangles hold nothing", c.name, target, len(out)/3)
			}
			if got := vertices - len(edges)/2 + len(out)/3; got != c.euler {
				t.Errorf("%s at %d: Euler characteristic %d, want %d", c.name, target, got, c.euler)
			}
			if target < 150 {
				continue // too few triangles: a sphere is a tetrahedron and a torus has no full ring
			}
			for i := 0; i < len(out); i += 3 {
				// A thin triangle on a saddle of the torus may be perpendicular to the surface.
				if cos := outward(c.mesh.Positions, out[i:i+3], c.thick); cos < -0.1 {
					t.Errorf("%s at %d: triangle %v faces inward, cosine %v", c.name, target, out[i:i+3], cos)
				}
			}
		}
	}
}

// TestBorderStays checks that borders stay simple lines without pinched points. It simplifies a
// field with a hole, and a strip with all vertices on the border.
func TestBorderStays(t *testing.T) {
	ring := meshtest.Grid(30, 30, meshtest.Hills(0.2))
	kept := ring.Indices[:0]
	for i := 0; i < len(ring.Indices); i += 3 {
		p := point(ring.Positions, ring.Indices[i])
		if p[0] < 0.3 || p[0] > 0.6 || p[1] < 0.3 || p[1] > 0.6 {
			kept = append(kept, ring.Indices[i:i+3]...)
		}
	}
	ring.Indices = kept
	// The strip is so narrow and so curved that collapsing an edge across it has the lowest cost.
	narrow := meshtest.Grid(60, 1, func(x, y float64) float64 { return meshtest.Hills(0.5)(x, 0) })
	for i := 1; i < len(narrow.Positions); i += 3 {
		narrow.Positions[i] *= 0.001
	}
	for _, c := range []struct {
		name    string
		mesh    *meshtest.Mesh
		euler   int
		targets []int
	}{
		{"narrow strip", narrow, 1, []int{200, 100, 0}},
		{"ring", ring, 0, []int{3000, 1000, 400}},
		{"strip", meshtest.Grid(60, 1, meshtest.Hills(0.5)), 1, []int{200, 100, 0}},
	} {
		before := area(flat(c.mesh.Positions), c.mesh.Indices)
		for _, target := range c.targets {
			out, _ := simplified(t, c.mesh, Options{Target: target, MaxError: 10})
			vertices, edges := count(c.mesh.Positions, out)
			open := map[[3]float32]int{} // number of border edges that start at each point
			for e, n := range edges {
				if n != 1 {
					t.Errorf("%s at %d: %d triangles on one side of the edge %v", c.name, target, n, e)
				}
				if edges[[2][3]float32{e[1], e[0]}] == 0 {
					open[e[0]]++
				}
			}
			all := 0
			for p, n := range open {
				all += n
				if n != 1 {
					t.Errorf("%s at %d: %d borders leave %v", c.name, target, n, p)
				}
			}
			if got := vertices - (len(edges)+all)/2 + len(out)/3; got != c.euler {
				t.Errorf("%s at %d: Euler characteristic %d, want %d", c.name, target, got, c.euler)
			}
			if after := area(flat(c.mesh.Positions), out); target > 200 && math.Abs(after-before) > 0.01*before {
				t.Errorf("%s at %d: it covers %v, before %v", c.name, target, after, before)
			}
		}
	}
}

// TestSlitStays checks that a slit from the border to the middle of a field keeps its two sides
// apart, up to its end.
func TestSlitStays(t *testing.T) {
	m := meshtest.Grid(20, 20, nil)
	right := map[uint32]uint32{} // copies of the vertices on the slit, for the triangles to its right
	for i, v := range m.Indices {
		p := point(m.Positions, v)
		if p[0] != 0.5 || p[1] >= 0.5 || middle(m.Positions, m.Indices[i/3*3:][:3]) < 0.5 {
			continue
		}
		if _, ok := right[v]; !ok {
			right[v] = uint32(m.Vertices())
			m.Positions = append(m.Positions, p[:]...)
		}
		m.Indices[i] = right[v]
	}
	twins := map[uint32]bool{}
	for _, v := range right {
		twins[v] = true
	}
	for _, target := range []int{1000, 300, 0} {
		out, _ := simplified(t, m, Options{Target: target, MaxError: 0.05})
		for i := 0; i < len(out); i += 3 {
			at := middle(m.Positions, out[i:i+3])
			for _, v := range out[i : i+3] {
				if _, left := right[v]; left && at > 0.5 || twins[v] && at < 0.5 {
					t.Errorf("at %d: triangle %v, around %v, has a corner of the other side", target, out[i:i+3], at)
				}
			}
		}
	}
}

// middle returns the x coordinate of the center of a triangle.
func middle(positions []float32, t []uint32) float32 {
	return (positions[3*t[0]] + positions[3*t[1]] + positions[3*t[2]]) / 3
}

// TestSeamStays checks that triangles stay on their side of a seam: no triangle extends from one
// end of the texture to the other.
func TestSeamStays(t *testing.T) {
	m := meshtest.Sphere(60, 30)
	for _, target := range []int{5000, 2000, 600} {
		out, _ := simplified(t, m, Options{Target: target, MaxError: 1})
		if len(out) > target {
			t.Errorf("%d indices left, want %d", len(out), target)
		}
		left, right := 0, 0
		for i := 0; i < len(out); i += 3 {
			low, high := float32(2), float32(-1)
			for _, v := range out[i : i+3] {
				if math.Abs(float64(m.Positions[3*v+2])) < 0.999 { // the texture coordinate u has no meaning at a pole
					low, high = min(low, m.UVs[2*v]), max(high, m.UVs[2*v])
				}
			}
			if high-low > 0.5 {
				t.Errorf("at %d: triangle %v spans u from %v to %v", target, out[i:i+3], low, high)
			}
			if low == 0 {
				left++
			}
			if high == 1 {
				right++
			}
		}
		if left == 0 || right == 0 {
			t.Errorf("at %d: the seam is gone: %d triangles on one side, %d on the other", target, left, right)
		}
	}
}

// TestWedgesWithoutWay checks that unconnected surfaces with vertices at the same positions do not
// tear.
func TestWedgesWithoutWay(t *testing.T) {
	// Every triangle has three separate vertices, so nothing may move.
	grid := meshtest.Grid(8, 8, nil)
	m := new(meshtest.Mesh)
	for i, v := range grid.Indices {
		m.Indices = append(m.Indices, uint32(i))
		m.Positions = append(m.Positions, grid.Positions[3*v:][:3]...)
	}
	out, _ := simplified(t, m, Options{MaxError: 0.01})
	if got := area(m.Positions, out); math.Abs(got-1) > 1e-6 {
		t.Errorf("the field covers %v, want 1", got)
	}
}

func point(positions []float32, v uint32) [3]float32 { return [3]float32(positions[3*v:]) }

// count returns the number of points that the triangles use. It also returns the number of
// triangles at each directed edge.
func count(positions []float32, indices []uint32) (points int, edges map[[2][3]float32]int) {
	seen := map[[3]float32]bool{}
	edges = map[[2][3]float32]int{}
	for c, v := range indices {
		p := point(positions, v)
		seen[p] = true
		edges[[2][3]float32{p, point(positions, indices[optimize.NextCorner(uint32(c))])}]++
	}
	return len(seen), edges
}

// outward returns the cosine between the normal of a triangle and the outward direction of a torus
// of the given thickness. If the thickness is 0, it is a sphere.
func outward(positions []float32, t []uint32, thick float64) float64 {
	a, b, c := vectorAt(positions, int(t[0])), vectorAt(positions, int(t[1])), vectorAt(positions, int(t[2]))
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
		a, b, c := vectorAt(positions, int(indices[i])), vectorAt(positions, int(indices[i+1])), vectorAt(positions, int(indices[i+2]))
		sum += b.minus(a).cross(c.minus(a)).length() / 2
	}
	return sum
}

// flat returns positions with z set to 0.
func flat(positions []float32) []float32 {
	out := append([]float32(nil), positions...)
	for i := 2; i < len(out); i += 3 {
		out[i] = 0
	}
	return out
}

// weights returns the barycentric coordinates of p in a triangle that is seen from above.
func weights(positions []float32, t []uint32, p []float32) (a, b, c float64) {
	q := vector{float64(p[0]), float64(p[1]), 0}
	u, v, w := vectorAt(positions, int(t[0])).minus(q), vectorAt(positions, int(t[1])).minus(q), vectorAt(positions, int(t[2])).minus(q)
	a, b, c = v.cross(w).z, w.cross(u).z, u.cross(v).z
	return a / (a + b + c), b / (a + b + c), c / (a + b + c)
}

// containing returns the offset in indices of the triangle that contains p, or -1.
func containing(positions []float32, indices []uint32, p []float32) int {
	for i := 0; i < len(indices); i += 3 {
		if a, b, c := weights(positions, indices[i:i+3], p); min(a, b, c) > -1e-6 {
			return i
		}
	}
	return -1
}

// distance returns the root mean square distance between two hundred positions of a mesh and the
// nearest triangles, relative to the mesh's extent.
func distance(m *meshtest.Mesh, indices []uint32) float64 {
	type ball struct {
		a, b, c, middle vector
		radius          float64
	}
	var triangles []ball
	for i := 0; i < len(indices); i += 3 {
		t := ball{a: vectorAt(m.Positions, int(indices[i])), b: vectorAt(m.Positions, int(indices[i+1])), c: vectorAt(m.Positions, int(indices[i+2]))}
		t.middle = t.a.plus(t.b).plus(t.c).times(1.0 / 3)
		t.radius = max(t.a.minus(t.middle).length(), t.b.minus(t.middle).length(), t.c.minus(t.middle).length())
		triangles = append(triangles, t)
	}
	sum, n := 0.0, 0
	for v := 0; v < m.Vertices(); v += 1 + m.Vertices()/200 {
		p := vectorAt(m.Positions, v)
		best := math.Inf(1) // square of the smallest distance
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

// away returns the square of the distance from p to a triangle (Ericson, "Real-Time Collision
// Detection", 5.1.5).
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

// beside returns the square of the distance from p to the line through a and b.
func beside(p, a, b vector) float64 {
	ab := b.minus(a)
	t := 0.0
	if l := ab.dot(ab); l > 0 {
		t = math.Min(math.Max(p.minus(a).dot(ab)/l, 0), 1)
	}
	d := p.minus(a.plus(ab.times(t)))
	return d.dot(d)
}
