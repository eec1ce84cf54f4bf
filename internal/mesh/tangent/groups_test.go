package tangent

import (
	"math"
	"testing"

	"github.com/assetcook/assetcook/internal/mesh/optimize/meshtest"
)

// around returns the members of a group whose directions go all the way round, and some
// that have none.
func around(n int) []member {
	group := make([]member, n)
	for i := range group {
		a := 2 * math.Pi * float64(i) / float64(n)
		s := vec{float32(math.Cos(a)), float32(math.Sin(a)), 0}
		group[i] = member{
			corner: uint32(i), s: s, t: vec{-s[1], s[0], 0},
			part: s.times(float32(1+i%5) / 3), any: i%7 == 3,
		}
	}
	return group
}

// Members are compared with each other, but what each counts for is known before: the
// mesh here has no positions to compute it from.
func TestSettle(t *testing.T) {
	group := around(24)
	group[0].s, group[0].t = vec{1, 0, 0}, vec{0, 1, 0}
	group[12].s, group[12].t = vec{-1, 0, 0}, vec{0, -1, 0} // with the product -1
	m := &mesh{ctx: t.Context(), tangents: make([]float32, 4*len(group))}
	if err := m.settle(group, true); err != nil {
		t.Fatal(err)
	}
	if vec(m.tangents[4*0:]) == vec(m.tangents[4*12:]) {
		t.Error("members that are opposite have the same")
	}
	for i, g := range group {
		var sum vec
		for j, h := range group {
			alike := g.any || i == j || g.s.dot(h.s) > -1 && g.t.dot(h.t) > -1
			if !h.any && alike {
				sum = sum.plus(h.part)
			}
		}
		if got, want := vec(m.tangents[4*i:]), sum.unit(); got != want {
			t.Errorf("member %d has %v, want %v", i, got, want)
		}
	}
}

// Comparing the corners at a vertex with each other ends where it would cost too much.
func TestHubs(t *testing.T) {
	for _, n := range []int{manyFaces, manyFaces + 1, 4000} {
		fan := meshtest.Fan(n)
		for v := 1; v < fan.Vertices(); v++ { // u grows to all sides, at no place mirrored
			fan.UVs[2*v], fan.UVs[2*v+1] = 1, float32(v)/16
		}
		fan.UVs[0], fan.UVs[1] = 0, 0
		looks := meshtest.NewPatience(0)
		if _, err := Generate(looks, fan.Indices, fan.Positions, fan.Normals, fan.UVs); err != nil || looks.Looks > 10 {
			t.Errorf("a fan of %d triangles: %d looks, %v", n, looks.Looks, err)
		}
	}
}
