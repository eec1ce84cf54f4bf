package optimize

import (
	"fmt"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/assetcook/assetcook/internal/mesh/optimize/meshtest"
	"pgregory.net/rapid"
)

// triples returns the triangles of a list, sorted.
func triples(indices []uint32) [][3]uint32 {
	var list [][3]uint32
	for i := 0; i < len(indices); i += 3 {
		list = append(list, [3]uint32(indices[i:]))
	}
	slices.SortFunc(list, func(a, b [3]uint32) int { return slices.Compare(a[:], b[:]) })
	return list
}

// anyMesh generates a list of random triangles, often with many triangles at one vertex. It may be
// malformed in any way.
func anyMesh(t *rapid.T) (indices []uint32, positions []float32) {
	vertices := rapid.IntRange(1, 40).Draw(t, "vertices")
	n := rapid.IntRange(0, 400).Draw(t, "triangles")
	few := uint32(rapid.IntRange(1, vertices).Draw(t, "corners"))
	m := meshtest.Soup(rapid.Uint64().Draw(t, "seed"), vertices, n)
	for i := range m.Indices {
		if i%3 == 0 {
			m.Indices[i] %= few
		}
	}
	return m.Indices, m.Positions
}

// TestOrdersKeepTriangles checks that reordering keeps every triangle and the order of its corners,
// for any mesh.
func TestOrdersKeepTriangles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		indices, positions := anyMesh(t)
		before := slices.Clone(indices)
		cached, err := VertexCache(t.Context(), indices, len(positions)/3)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(triples(cached), triples(before)) {
			t.Fatal("VertexCache changed the triangles")
		}
		strips, err := Strips(t.Context(), indices, len(positions)/3)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(triples(strips), triples(before)) {
			t.Fatal("Strips changed the triangles")
		}
		drawn, err := Overdraw(t.Context(), cached, positions, rapid.Float32Range(0, 3).Draw(t, "threshold"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(triples(drawn), triples(before)) {
			t.Fatal("Overdraw changed the triangles")
		}
		if !slices.Equal(indices, before) {
			t.Fatal("the argument was written to")
		}
	})
}

// TestOverdrawThreshold checks that Overdraw adds no more cache misses than its threshold allows.
func TestOverdrawThreshold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		indices, positions := anyMesh(t)
		threshold := rapid.Float32Range(0.9, 1.5).Draw(t, "threshold")
		before, err := AnalyzeCache(t.Context(), indices, len(positions)/3, CacheModel{Size: 16})
		if err != nil {
			t.Fatal(err)
		}
		out, err := Overdraw(t.Context(), indices, positions, threshold)
		if err != nil {
			t.Fatal(err)
		}
		after, err := AnalyzeCache(t.Context(), out, len(positions)/3, CacheModel{Size: 16})
		if err != nil {
			t.Fatal(err)
		}
		if float64(after.Transformed) > max(1, float64(threshold))*float64(before.Transformed) {
			t.Fatalf("%d misses became %d", before.Transformed, after.Transformed)
		}
	})
}

func TestFetchOrder(t *testing.T) {
	remap, used, err := FetchOrder(t.Context(), []uint32{4, 2, 0, 0, 2, 5}, 6)
	want := []uint32{2, Unused, 1, Unused, 0, 3}
	if err != nil || used != 4 || !slices.Equal(remap, want) {
		t.Errorf("%v, %d used, %v, want %v", remap, used, err, want)
	}
}

func TestSorted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.OneOf(rapid.Float32Range(-2, 2), rapid.Float32())).Draw(t, "values")
		keys := make([]uint32, len(values))
		for i, f := range values {
			values[i] = f + 0 // adding 0 converts -0 to 0
			keys[i] = descending(values[i])
		}
		order := sorted(keys)
		if len(order) != len(values) {
			t.Fatalf("%d places of %d", len(order), len(values))
		}
		for i := 1; i < len(order); i++ {
			a, b := order[i-1], order[i]
			if values[a] < values[b] || values[a] == values[b] && a >= b {
				t.Fatalf("%v at %d comes before %v at %d", values[a], a, values[b], b)
			}
		}
	})
}

// TestOrdersGolden expects the same orders on every machine.
func TestOrdersGolden(t *testing.T) {
	want := map[string][2]uint32{ // CRC-32 of the indices after VertexCache and Overdraw
		"grid":               {0x14fea997, 0x5052d1d3},
		"shuffled grid":      {0x814987ee, 0x540cd0a4},
		"sphere":             {0x274a3155, 0x878c53bb},
		"sphere with a seam": {0x42887ef2, 0xb49780f4},
		"shuffled torus":     {0xe999fd84, 0xb32103f4},
	}
	for _, s := range meshtest.Samples() {
		cached, err := VertexCache(t.Context(), s.Indices, s.Vertices())
		if err != nil {
			t.Fatal(err)
		}
		drawn, err := Overdraw(t.Context(), cached, s.Positions, 1.05)
		if err != nil {
			t.Fatal(err)
		}
		got := [2]uint32{sum(cached), sum(drawn)}
		if got != want[s.Name] {
			t.Errorf("%q: {%#x, %#x},", s.Name, got[0], got[1])
		}
	}
}

func sum(indices []uint32) uint32 {
	return crc32.ChecksumIEEE([]byte(fmt.Sprint(indices)))
}

// TestOverdrawFree checks moves that cause no cache misses, with a threshold that allows no
// additional misses. The second triangle hides the first and must be moved to the front.
func TestOverdrawFree(t *testing.T) {
	positions := []float32{
		0, 0, 0, 1, 0, 0, 0, 1, 0, // lower triangle, which faces up
		0, 0, 1, 1, 0, 1, 0, 1, 1, // upper triangle, which faces up
	}
	for _, threshold := range []float32{0, 1, 1.05} {
		got, err := Overdraw(t.Context(), []uint32{0, 1, 2, 3, 4, 5}, positions, threshold)
		if want := []uint32{3, 4, 5, 0, 1, 2}; err != nil || !slices.Equal(got, want) {
			t.Errorf("threshold %v: %v, %v, want %v", threshold, got, err, want)
		}
	}
}

// TestStripsFollowEdges counts triangles that share an edge with the previous triangle. Strips must
// return more of them than VertexCache.
func TestStripsFollowEdges(t *testing.T) {
	followers := func(indices []uint32) (n int) {
		for i := 3; i < len(indices); i += 3 {
			shared := 0
			for _, v := range indices[i : i+3] {
				if slices.Contains(indices[i-3:i], v) {
					shared++
				}
			}
			if shared >= 2 {
				n++
			}
		}
		return n
	}
	for _, m := range []*meshtest.Mesh{meshtest.Torus(40, 40, 0.3), meshtest.Sphere(30, 40).Shuffle(1)} {
		vertices := len(m.Positions) / 3
		cached, err := VertexCache(t.Context(), m.Indices, vertices)
		if err != nil {
			t.Fatal(err)
		}
		strips, err := Strips(t.Context(), m.Indices, vertices)
		if err != nil {
			t.Fatal(err)
		}
		if c, s := followers(cached), followers(strips); s <= c || s < len(m.Indices)/3*3/4 {
			t.Errorf("%d of %d triangles share an edge in strips, %d in the order for the cache", s, len(m.Indices)/3, c)
		}
	}
}
