package simplify

import (
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/mesh/optimize/meshtest"
	"pgregory.net/rapid"
)

func simplified(t testing.TB, m *meshtest.Mesh, o Options) (indices []uint32, reached float32) {
	t.Helper()
	out, reached, err := Simplify(t.Context(), m.Indices, m.Positions, o)
	if err != nil {
		t.Fatal(err)
	}
	return out, reached
}

// peer holds the errors that meshoptimizer (b5b2c439, August 2026) reports for the samples, reduced
// to a half, a fifth and a twentieth of their triangles.
var peer = map[string][3]float64{
	"grid":               {0.000712, 0.001581, 0.004977},
	"shuffled grid":      {0.000712, 0.001544, 0.004977},
	"sphere":             {0.001196, 0.001921, 0.008707},
	"sphere with a seam": {0.000386, 0.001857, 0.009724},
	"shuffled torus":     {0.000232, 0.000689, 0.002441},
}

// distances are the measured errors of the same results: the root mean square distance of the
// sample's vertices to the nearest triangle.
var distances = map[string][3]float64{
	"grid":               {0.000218, 0.000678, 0.002310},
	"sphere":             {0.000524, 0.001341, 0.005346},
	"sphere with a seam": {0.000248, 0.001044, 0.005717},
	"shuffled torus":     {0.000119, 0.000363, 0.001330},
}

// TestLikePeer checks that the target is missed by at most one collapse. The error must not be much
// larger than meshoptimizer's.
func TestLikePeer(t *testing.T) {
	for _, s := range meshtest.Samples() {
		for i, part := range []float64{0.5, 0.2, 0.05} {
			target := int(float64(len(s.Indices)/3)*part) * 3
			out, reached := simplified(t, s.Mesh, Options{Target: target, MaxError: 1})
			if len(out) > target || len(out) < target-6 {
				t.Errorf("%s: %d indices left of %d, want %d", s.Name, len(out), len(s.Indices), target)
			}
			if want := peer[s.Name][i]; float64(reached) > 1.6*want {
				t.Errorf("%s at %v: error %v, the peer reports %v", s.Name, part, reached, want)
			}
			if want, ok := distances[s.Name]; ok {
				if got := distance(s.Mesh, out); got > 1.2*want[i] {
					t.Errorf("%s at %v: %v away on average, the peer's is %v", s.Name, part, got, want[i])
				}
			}
		}
	}
}

// TestMaxError checks that neither the reported error nor the measured distance of the surfaces
// exceeds the requested error.
func TestMaxError(t *testing.T) {
	for i, s := range meshtest.Samples() {
		if i%2 == 1 {
			continue // skip this sample, because it is similar to the previous one
		}
		before := len(s.Indices)
		for _, limit := range []float32{0.001, 0.008} {
			out, reached := simplified(t, s.Mesh, Options{MaxError: limit})
			if reached > limit || reached < limit/2 {
				t.Errorf("%s: error %v, want up to %v", s.Name, reached, limit)
			}
			if got := distance(s.Mesh, out); got > float64(limit) {
				t.Errorf("%s: %v away on average, want up to %v", s.Name, got, limit)
			}
			if len(out) >= before {
				t.Errorf("%s: %d indices at %v, no fewer than before", s.Name, len(out), limit)
			}
			before = len(out)
		}
	}
}

// TestFree checks that edges without cost collapse: a flat field is reduced to two triangles. With
// LockBorder, all vertices on the border must remain.
func TestFree(t *testing.T) {
	m := meshtest.Grid(16, 16, nil)
	out, reached := simplified(t, m, Options{})
	if len(out) != 6 || reached > 1e-6 {
		t.Errorf("a flat field has %d indices left, error %v, want 6", len(out), reached)
	}
	if area := area(m.Positions, out); math.Abs(area-1) > 1e-6 {
		t.Errorf("its area is %v, want 1", area)
	}
	out, _ = simplified(t, m, Options{LockBorder: true})
	used := map[uint32]bool{}
	for _, v := range out {
		used[v] = true
	}
	for v := range uint32(m.Vertices()) {
		x, y := m.Positions[3*v], m.Positions[3*v+1]
		edge := x == 0 || x == 1 || y == 0 || y == 1
		if edge && !used[v] {
			t.Errorf("vertex %d at %v, %v of the locked border is gone", v, x, y)
		}
	}
	if len(out) != 3*62 { // a polygon with 64 corners has 62 triangles
		t.Errorf("a flat field with a locked border has %d indices left, want %d", len(out), 3*62)
	}
}

// TestAttributes checks that triangles remain where an attribute changes.
func TestAttributes(t *testing.T) {
	m := meshtest.Grid(32, 32, nil)
	color := make([]float32, m.Vertices())
	for v := range color {
		if m.Positions[3*v] > 0.5 {
			color[v] = 1
		}
	}
	step := func(o Options) float64 { // returns the mean error of the color
		out, _ := simplified(t, m, o)
		var sum float64
		for v := range color {
			i := containing(m.Positions, out, m.Positions[3*v:][:2])
			if i < 0 {
				t.Fatalf("vertex %d is no longer covered", v)
			}
			a, b, c := weights(m.Positions, out[i:i+3], m.Positions[3*v:][:2])
			got := a*float64(color[out[i]]) + b*float64(color[out[i+1]]) + c*float64(color[out[i+2]])
			sum += math.Abs(got - float64(color[v]))
		}
		return sum / float64(len(color))
	}
	target := 300
	blind := step(Options{Target: target, MaxError: 1, Attributes: []Attribute{{Values: color, Width: 1}}})
	seeing := step(Options{Target: target, MaxError: 1, Attributes: []Attribute{{Values: color, Width: 1, Weight: 1}}})
	if blind < 0.02 || seeing > 0.002 {
		t.Errorf("the color is off by %v without a weight and %v with one", blind, seeing)
	}
	out, _ := simplified(t, m, Options{MaxError: 0.001, Attributes: []Attribute{{Values: m.UVs, Width: 2, Weight: 1}}})
	if len(out) != 6 {
		t.Errorf("a linear attribute leaves %d indices, want 6", len(out))
	}
}

func TestRefuses(t *testing.T) {
	positions := []float32{0, 0, 0, 1, 0, 0, 0, 1, 0}
	nan := float32(math.NaN())
	triangle := []uint32{0, 1, 2}
	with := func(a Attribute) Options { return Options{Attributes: []Attribute{a}} }
	for _, c := range []struct {
		name      string
		indices   []uint32
		positions []float32
		options   Options
		want      string
	}{
		{"index", []uint32{0, 1, 3}, positions, Options{}, "vertex 3 of 3"},
		{"position", triangle, []float32{0, 0, 0, 1, 0, 0, 0, nan, 0}, Options{}, "vertex 2 is at NaN"},
		{"error", triangle, positions, Options{MaxError: -1}, "the largest error, -1, is out of range; 0.01 is 1"},
		{"error not a number", triangle, positions, Options{MaxError: nan}, "the largest error, NaN, is out of range; 0.01 is 1"},
		{"too few", triangle, positions, with(Attribute{Values: make([]float32, 5), Width: 2, Weight: 1}), "attribute 0 has 5 numbers, which do not match 2 numbers per vertex for 3"},
		{"width", triangle, positions, with(Attribute{Values: make([]float32, 15), Width: 5, Weight: 1}), "attribute 0 has 15 numbers, which do not match 5"},
		{"weight", triangle, positions, with(Attribute{Values: make([]float32, 3), Width: 1, Weight: nan}), "the weight NaN"},
		{"value", triangle, positions, with(Attribute{Values: []float32{0, nan, 0}, Width: 1, Weight: 1}), "vertex 1 has NaN in attribute 0"},
		{"numbers", triangle, positions, Options{Attributes: slices.Repeat([]Attribute{{Values: make([]float32, 12), Width: 4}}, 9)}, "a vertex has 36 numbers"},
	} {
		_, _, err := Simplify(t.Context(), c.indices, c.positions, c.options)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}

func TestCancel(t *testing.T) {
	m := meshtest.Grid(120, 120, meshtest.Hills(0.1))
	looks := meshtest.NewPatience(0)
	if _, _, err := Simplify(looks, m.Indices, m.Positions, Options{MaxError: 1}); err != nil || looks.Looks < 20 {
		t.Fatalf("%v after %d looks", err, looks.Looks)
	}
	for limit := 1; limit < looks.Looks; limit += 11 {
		if _, _, err := Simplify(meshtest.NewPatience(limit), m.Indices, m.Positions, Options{MaxError: 1}); !errors.Is(err, meshtest.NewPatience(1).Err()) {
			t.Errorf("error %v when the context ends at look %d", err, limit)
		}
	}
}

// TestCrowd checks that many triangles around one vertex do not take quadratic time, and that the
// rest of the mesh still collapses.
func TestCrowd(t *testing.T) {
	m := meshtest.Fan(30000)
	hub, err := newMesh(t.Context(), m.Indices, m.Positions, &Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := hub.connectTriangles(); err != nil {
		t.Fatal(err)
	}
	for _, e := range hub.edges {
		_, from := hub.moves(&e, false)
		_, to := hub.moves(&e, true)
		if (from || to) && (e.from == 0 || e.to == 0) {
			t.Fatalf("the edge from %d to %d, one of them the hub, may collapse", e.from, e.to)
		}
	}
	looks := meshtest.NewPatience(1000)
	out, _, err := Simplify(looks, m.Indices, m.Positions, Options{MaxError: 1, Target: 9000})
	if err != nil || len(out) > 9000 {
		t.Errorf("%d indices, %v after %d looks", len(out), err, looks.Looks)
	}
}

// TestEffort checks that normal meshes need far less than the work limit, even down to the last
// triangle. The limit must stop a search that would take too long.
func TestEffort(t *testing.T) {
	for _, s := range meshtest.Samples() {
		m, err := newMesh(t.Context(), s.Indices, s.Positions, &Options{})
		if err != nil {
			t.Fatal(err)
		}
		all := m.effort
		if err := m.collapseUntil(0, 1); err != nil {
			t.Fatal(err)
		}
		if m.effort < all/2 {
			t.Errorf("%s: %d of %d left", s.Name, m.effort, all)
		}
		m, err = newMesh(t.Context(), s.Indices, s.Positions, &Options{})
		if err != nil {
			t.Fatal(err)
		}
		before := len(m.triangles)
		m.effort = 0
		if err := m.collapseUntil(0, 1); err != nil || len(m.triangles) != before {
			t.Errorf("%s: %v, %d of %d indices left without effort", s.Name, err, len(m.triangles), before)
		}
	}
}

// TestAnyMesh simplifies random meshes. Each resulting triangle must have its corners at three
// different positions of the mesh. The indices must not be modified.
func TestAnyMesh(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := meshtest.Soup(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 60).Draw(t, "vertices"), rapid.IntRange(0, 200).Draw(t, "triangles"))
		before := slices.Clone(m.Indices)
		o := Options{
			Target:     rapid.IntRange(-3, 300).Draw(t, "target"),
			MaxError:   rapid.SampledFrom([]float32{0, 0.1, 1, float32(math.Inf(1))}).Draw(t, "error"),
			LockBorder: rapid.Bool().Draw(t, "lock"),
		}
		if rapid.Bool().Draw(t, "attributes") {
			o.Attributes = []Attribute{{m.Normals, 3, 0.5}, {m.UVs, 2, 1}}
		}
		out, reached, err := Simplify(t.Context(), m.Indices, m.Positions, o)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(m.Indices, before) {
			t.Fatal("the argument was written to")
		}
		if reached-reached != 0 || len(out) > len(before) || len(out)%3 != 0 {
			t.Fatalf("error %v, %d indices of %d", reached, len(out), len(before))
		}
		for i := 0; i < len(out); i += 3 {
			a, b, c := point(m.Positions, out[i]), point(m.Positions, out[i+1]), point(m.Positions, out[i+2])
			if a == b || b == c || a == c {
				t.Fatalf("triangle %v has two corners at one point", out[i:i+3])
			}
		}
	})
}

func TestGolden(t *testing.T) {
	want := map[string]uint32{ // CRC-32 of the indices and the error
		"grid": 0x40d48aae, "shuffled grid": 0xb57eeee2, "sphere": 0x310bcf0e,
		"sphere with a seam": 0x6a9ee3c2, "shuffled torus": 0x59e54d03,
	}
	for _, s := range meshtest.Samples() {
		o := Options{Target: len(s.Indices) / 30 * 3, MaxError: 1}
		if len(s.Normals) > 0 {
			o.Attributes = []Attribute{{s.Normals, 3, 0.5}, {s.UVs, 2, 0.2}}
		}
		out, reached := simplified(t, s.Mesh, o)
		if got := crc32.ChecksumIEEE([]byte(fmt.Sprint(out, reached))); got != want[s.Name] {
			t.Errorf("%q: %#x,", s.Name, got)
		}
	}
}
