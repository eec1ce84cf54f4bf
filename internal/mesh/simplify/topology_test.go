package simplify

import (
	"math"
	"testing"

	"github.com/assetcook/assetcook/internal/mesh/optimize/meshtest"
)

// A closed surface stays one: every edge has a triangle on both sides, the number of
// holes through it is the same, and no triangle faces inward.
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
				continue // a tetrahedron of a sphere, and less than a ring of a torus
			}
			for i := 0; i < len(out); i += 3 {
				// Where a ring is a saddle, a sliver may stand upright.
				if cos := outward(c.mesh.Positions, out[i:i+3], c.thick); cos < -0.1 {
					t.Errorf("%s at %d: triangle %v faces inward, cosine %v", c.name, target, out[i:i+3], cos)
				}
			}
		}
	}
}

// Borders stay lines that nothing pinches: around a field with a hole, and on a strip with
// all vertices on the border.
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
	// A strip that is bent so much, and so narrow, that to cross it is the cheapest way.
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
			open := map[[3]float32]int{} // ways out of a point along the border
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

// A slit from the border to the middle of a field keeps its sides apart to its end.
func TestSlitStays(t *testing.T) {
	m := meshtest.Grid(20, 20, nil)
	right := map[uint32]uint32{} // the twins of vertices on the slit
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

// middle returns the x of the middle of a triangle.
func middle(positions []float32, t []uint32) float32 {
	return (positions[3*t[0]] + positions[3*t[1]] + positions[3*t[2]]) / 3
}

// Triangles at a seam keep to their side of it: none spans the texture from one end
// to the other.
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
				if math.Abs(float64(m.Positions[3*v+2])) < 0.999 { // u means nothing at a pole
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

// Vertices that lie at one position but belong to unconnected surfaces do not tear.
func TestWedgesWithoutWay(t *testing.T) {
	// Every triangle has its own three vertices: nothing may move.
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
