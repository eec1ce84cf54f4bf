package optimize

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/internal/mesh/optimize/meshtest"
)

func TestRefuses(t *testing.T) {
	nan := float32(math.NaN())
	triangle := []float32{0, 0, 0, 1, 0, 0, 0, 1, 0}
	ctx := t.Context()
	for _, c := range []struct {
		name string
		do   func() error
		want string
	}{
		{"half a triangle", func() error { return CheckTriangles([]uint32{0, 1}, 2) }, "2 indices do not make whole triangles: export the mesh as a list of triangles"},
		{"no such vertex", func() error { return CheckTriangles([]uint32{0, 1, 2, 0, 1, 3}, 3) }, "triangle 1 uses vertex 3 of 3"},
		{"vertices below 0", func() error { return CheckTriangles(nil, -1) }, "-1 vertices"},
		{"not a number", func() error { return CheckPositions([]float32{0, 0, 0, 0, nan, 0}) }, "vertex 1 is at NaN"},
		{"infinite", func() error { return CheckPositions([]float32{float32(math.Inf(-1)), 0, 0}) }, "vertex 0 is at -Inf"},
		{"half a position", func() error { return CheckPositions([]float32{0, 0}) }, "coordinates, 2, is not a multiple of 3"},
		{"weld below 0", func() error { _, _, err := Weld(ctx, -1); return err }, "-1 vertices"},
		{"weld short", func() error { _, _, err := Weld(ctx, 2, Stream{make([]byte, 7), 4}); return err }, "stream 0 has 7 bytes, too few"},
		{"weld no stride", func() error { _, _, err := Weld(ctx, 0, Stream{nil, 0}); return err }, "stream 0"},
		{"cache", func() error { _, err := VertexCache(ctx, []uint32{9, 0, 0}, 3); return err }, "vertex 9 of 3"},
		{"overdraw", func() error { _, err := Overdraw(ctx, []uint32{9, 0, 0}, triangle, 1); return err }, "vertex 9 of 3"},
		{"overdraw threshold", func() error { _, err := Overdraw(ctx, []uint32{0, 1, 2}, triangle, nan); return err }, "threshold NaN"},
		{"overdraw position", func() error { _, err := Overdraw(ctx, []uint32{0, 0, 0}, []float32{nan, 0, 0}, 1); return err }, "is at NaN"},
		{"fetch", func() error { _, _, err := FetchOrder(ctx, []uint32{0, 1, 2}, 2); return err }, "vertex 2 of 2"},
		{"analyze cache", func() error { _, err := AnalyzeCache(ctx, []uint32{0, 1, 2}, 2, CacheModel{Size: 16}); return err }, "vertex 2 of 2"},
		{"cache of 2", func() error { _, err := AnalyzeCache(ctx, nil, 0, CacheModel{Size: 2}); return err }, "size and warp must be at least 3"},
		{"warp of 2", func() error { _, err := AnalyzeCache(ctx, nil, 0, CacheModel{Size: 16, Warp: 2}); return err }, "size and warp must be at least 3"},
		{"analyze fetch", func() error { _, err := AnalyzeFetch(ctx, []uint32{0, 1, 2}, 2, 32); return err }, "vertex 2 of 2"},
		{"vertices of 0 bytes", func() error { _, err := AnalyzeFetch(ctx, nil, 0, 0); return err }, "vertices of 0 bytes"},
		{"analyze overdraw", func() error { _, err := AnalyzeOverdraw(ctx, []uint32{3, 1, 2}, triangle); return err }, "vertex 3 of 3"},
		{"analyze overdraw position", func() error { _, err := AnalyzeOverdraw(ctx, nil, []float32{nan, 0, 0}); return err }, "is at NaN"},
	} {
		if err := c.do(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}

// steps lists all functions that may take a long time. Each is applied to a mesh.
var steps = []struct {
	name string
	do   func(context.Context, *meshtest.Mesh) error
}{
	{"Weld", func(ctx context.Context, m *meshtest.Mesh) error {
		_, _, err := Weld(ctx, m.Vertices(), FloatStream(m.Positions, 3))
		return err
	}},
	{"VertexCache", func(ctx context.Context, m *meshtest.Mesh) error {
		_, err := VertexCache(ctx, m.Indices, m.Vertices())
		return err
	}},
	{"Overdraw", func(ctx context.Context, m *meshtest.Mesh) error {
		_, err := Overdraw(ctx, m.Indices, m.Positions, 1.05)
		return err
	}},
	{"FetchOrder", func(ctx context.Context, m *meshtest.Mesh) error {
		_, _, err := FetchOrder(ctx, m.Indices, m.Vertices())
		return err
	}},
	{"AnalyzeCache", func(ctx context.Context, m *meshtest.Mesh) error {
		_, err := AnalyzeCache(ctx, m.Indices, m.Vertices(), CacheModel{Size: 16})
		return err
	}},
	{"AnalyzeFetch", func(ctx context.Context, m *meshtest.Mesh) error {
		_, err := AnalyzeFetch(ctx, m.Indices, m.Vertices(), 32)
		return err
	}},
	{"AnalyzeOverdraw", func(ctx context.Context, m *meshtest.Mesh) error {
		_, err := AnalyzeOverdraw(ctx, m.Indices, m.Positions)
		return err
	}},
}

// TestCancel checks that every step checks the context and returns its error. Many triangles around
// one vertex must not take quadratic time.
func TestCancel(t *testing.T) {
	grid, fan := meshtest.Grid(300, 300, nil), meshtest.Fan(200000)
	for _, s := range steps {
		if err := s.do(meshtest.NewPatience(1), grid); !errors.Is(err, context.Canceled) {
			t.Errorf("%s of a grid: error %v after the first look", s.name, err)
		}
		looks := meshtest.NewPatience(1000)
		if err := s.do(looks, fan); err != nil {
			t.Errorf("%s of a fan: %v after %d looks", s.name, err, looks.Looks)
		}
	}
}

func TestWeld(t *testing.T) {
	negative := float32(math.Copysign(0, -1))
	for _, c := range []struct {
		name    string
		n       int
		streams []Stream
		want    []uint32
	}{
		{"nothing", 0, nil, nil},
		{"no stream", 3, nil, []uint32{0, 0, 0}},
		{"order of first use", 4, []Stream{{[]byte("baab"), 1}}, []uint32{0, 1, 1, 0}},
		{"all streams count", 3, []Stream{{[]byte("aaa"), 1}, {[]byte("112233"), 2}}, []uint32{0, 1, 2}},
		{"the last byte counts", 2, []Stream{{[]byte("abcdefghijkabcdefghijl"), 11}}, []uint32{0, 1}},
		{"more data than vertices", 2, []Stream{{[]byte("xxyy"), 1}}, []uint32{0, 0}},
		{"zeros", 2, []Stream{FloatStream([]float32{0, 1, negative, 1}, 2)}, []uint32{0, 0}},
	} {
		got, unique, err := Weld(t.Context(), c.n, c.streams...)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
		if c.n > 0 && unique != int(slices.Max(got))+1 {
			t.Errorf("%s: %d unique of %v", c.name, unique, got)
		}
	}
}

// TestWeldLaws checks that vertices are merged if and only if their bytes are equal.
func TestWeldLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 200).Draw(t, "n")
		var streams []Stream
		for range rapid.IntRange(1, 3).Draw(t, "streams") {
			stride := rapid.IntRange(1, 20).Draw(t, "stride")
			data := make([]byte, n*stride)
			for _, at := range rapid.SliceOfN(rapid.IntRange(0, max(0, len(data)-1)), 0, 40).Draw(t, "ones") {
				if at < len(data) {
					data[at] = 1
				}
			}
			streams = append(streams, Stream{data, stride})
		}
		key := func(v int) string {
			var b bytes.Buffer
			for _, s := range streams {
				b.Write(s.Data[v*s.Stride:][:s.Stride])
			}
			return b.String()
		}
		remap, unique, err := Weld(t.Context(), n, streams...)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]uint32{}
		for v, u := range remap {
			want, ok := seen[key(v)]
			if !ok {
				want = uint32(len(seen))
				seen[key(v)] = want
			}
			if u != want {
				t.Fatalf("vertex %d became %d, want %d", v, u, want)
			}
		}
		if unique != len(seen) {
			t.Fatalf("%d unique, want %d", unique, len(seen))
		}
	})
}

// TestWeldMany checks that vertices are not merged if only their hashes collide.
func TestWeldMany(t *testing.T) {
	const n = 1 << 17
	values := make([]float32, n)
	for v := range values {
		values[v] = float32(v % (n / 2))
	}
	remap, unique, err := Weld(t.Context(), n, FloatStream(values, 1))
	if err != nil || unique != n/2 {
		t.Fatalf("%d unique, %v, want %d", unique, err, n/2)
	}
	for v, u := range remap {
		if int(u) != v%(n/2) {
			t.Fatalf("vertex %d became %d", v, u)
		}
	}
}
