package tangent

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/assetcook/assetcook/internal/mesh/optimize/meshtest"
)

// TestNormalsOfSphere checks that normals of a sphere point away from its center, also at its seam
// and its poles.
func TestNormalsOfSphere(t *testing.T) {
	m := meshtest.Sphere(60, 30)
	got, err := Normals(t.Context(), m.Indices, m.Positions)
	if err != nil {
		t.Fatal(err)
	}
	for v := range m.Vertices() {
		n, want := vec(got[3*v:]), vec(m.Positions[3*v:])
		if l := n.length(); l < 0.99999 || l > 1.00001 || n.dot(want) < 0.9999 {
			t.Errorf("vertex %d at %v has %v", v, want, n)
		}
	}
}

// TestNormalsOfCube checks that normals are weighted by angles. The normal at a corner of a cube
// must not depend on how the faces are split into triangles.
func TestNormalsOfCube(t *testing.T) {
	var positions []float32
	for i := range 8 {
		positions = append(positions, float32(i&1), float32(i>>1&1), float32(i>>2&1))
	}
	var indices []uint32
	for _, q := range [][4]uint32{{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}} {
		indices = append(indices, q[0], q[1], q[2], q[2], q[3], q[0])
	}
	got, err := Normals(t.Context(), indices, positions)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range got {
		want := (2*float64(positions[i]) - 1) / math.Sqrt(3)
		if math.Abs(float64(x)-want) > 1e-6 {
			t.Errorf("corner %d has %v, want %v", i/3, got[i/3*3:][:3], want)
		}
	}
	flat, err := FlatNormals(t.Context(), indices, positions)
	if err != nil {
		t.Fatal(err)
	}
	want := []float32{0, 0, -1, 0, 0, 1, 0, -1, 0, 0, 1, 0, -1, 0, 0, 1, 0, 0}
	for c := range indices {
		if !slices.Equal(flat[3*c:][:3], want[c/6*3:][:3]) {
			t.Errorf("corner %d has %v, want %v", c, flat[3*c:][:3], want[c/6*3:][:3])
		}
	}
}

// TestNormalsOfNothing checks that normals have length 1 even at vertices without triangles.
func TestNormalsOfNothing(t *testing.T) {
	positions := []float32{0, 0, 0, 1, 0, 0, 2, 0, 0, 5, 5, 5}
	indices := []uint32{0, 1, 2, 1, 1, 0}
	smooth, err1 := Normals(t.Context(), indices, positions)
	flat, err2 := FlatNormals(t.Context(), indices, positions)
	if err1 != nil || err2 != nil || len(smooth) != 12 || len(flat) != 18 {
		t.Fatalf("%v %v, %v %v", smooth, err1, flat, err2)
	}
	for i, x := range slices.Concat(smooth, flat) {
		if want := float32(i % 3 / 2); x != want {
			t.Errorf("number %d is %v, want %v", i, x, want)
		}
	}
}

// TestNormalsOfAnySize checks that scaling a mesh by a huge or tiny factor does not change its
// normals.
func TestNormalsOfAnySize(t *testing.T) {
	for _, size := range []float32{1e-38, 1e-20, 1, 1e20, 1e38} {
		got, err := Normals(t.Context(), []uint32{0, 1, 2}, []float32{0, 0, 0, 0, size, 0, 0, 0, size})
		if err != nil || !slices.Equal(got, []float32{1, 0, 0, 1, 0, 0, 1, 0, 0}) {
			t.Errorf("size %v: %v, %v", size, got, err)
		}
	}
}

func TestAcos(t *testing.T) {
	for i := -1000; i <= 1000; i++ {
		x := float64(i) / 1000
		if got, want := acos(x), math.Acos(x); math.Abs(got-want) > 2e-15 {
			t.Errorf("acos(%v) = %v, want %v", x, got, want)
		}
	}
	for x, want := range map[float64]float64{1: 0, -1: math.Pi, 0: math.Pi / 2} {
		if got := acos(x); got != want {
			t.Errorf("acos(%v) = %v, want %v", x, got, want)
		}
	}
	// The terms are (2n)! / (4^n n!^2 (2n+1)).
	for n, got := range asinTerms() {
		over := new(big.Int).MulRange(int64(n)+1, int64(2*n))
		under := new(big.Int).MulRange(1, int64(n))
		under.Lsh(under, uint(2*n)).Mul(under, big.NewInt(int64(2*n+1)))
		want, _ := new(big.Rat).SetFrac(over, under).Float64()
		if math.Abs(got-want) > 1e-15*want {
			t.Errorf("term %d is %v, want %v", n, got, want)
		}
	}
}

// around returns the members of a group whose directions form a full circle. Some members have no
// direction.
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

// TestSettle calls setGroupTangents for members whose contribution is already computed, so it needs
// no positions.
func TestSettle(t *testing.T) {
	group := around(24)
	group[0].s, group[0].t = vec{1, 0, 0}, vec{0, 1, 0}
	group[12].s, group[12].t = vec{-1, 0, 0}, vec{0, -1, 0} // member 12 is opposite to member 0
	m := &mesh{ctx: t.Context(), tangents: make([]float32, 4*len(group))}
	if err := m.setGroupTangents(group, true); err != nil {
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

// TestHubs checks that corners at a vertex are compared with each other only if their number is
// small.
func TestHubs(t *testing.T) {
	for _, n := range []int{manyFaces, manyFaces + 1, 4000} {
		fan := meshtest.Fan(n)
		for v := 1; v < fan.Vertices(); v++ { // u grows outward from the center, so nothing is mirrored
			fan.UVs[2*v], fan.UVs[2*v+1] = 1, float32(v)/16
		}
		fan.UVs[0], fan.UVs[1] = 0, 0
		looks := meshtest.NewPatience(0)
		if _, err := Generate(looks, fan.Indices, fan.Positions, fan.Normals, fan.UVs); err != nil || looks.Looks > 10 {
			t.Errorf("a fan of %d triangles: %d looks, %v", n, looks.Looks, err)
		}
	}
}
