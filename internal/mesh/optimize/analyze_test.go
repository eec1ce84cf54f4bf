package optimize

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/assetcook/assetcook/internal/mesh/optimize/meshtest"
)

// peer holds results of meshoptimizer (b5b2c439, August 2026) for the samples, in their original
// order and in the order that meshoptimizer computes.
var peer = map[string]struct {
	fifo, fifoNVIDIA, warps, fifoAMD, warpsAMD int
	covered, shaded, fetched                   int64
	cached, cachedNVIDIA                       int // misses after meshopt_optimizeVertexCache
	drawn                                      int // misses after meshopt_optimizeOverdraw with threshold 1.05
	drawnShaded                                int64
}{
	"grid":               {20200, 21526, 673, 20800, 325, 102784, 121126, 367296, 12554, 15813, 13145, 110373},
	"shuffled grid":      {59898, 59906, 1993, 59924, 952, 102784, 119496, 3041408, 13161, 16500, 13788, 111079},
	"sphere":             {9863, 10507, 329, 10180, 160, 308616, 308616, 176512, 7238, 8444, 7391, 308616},
	"sphere with a seam": {12198, 12792, 400, 12581, 197, 308584, 308584, 221760, 8004, 9844, 8325, 308584},
	"shuffled torus":     {95932, 95936, 3195, 95958, 1524, 154188, 172502, 5741888, 22008, 26943, 23018, 154994},
}

func TestAnalyzeLikePeer(t *testing.T) {
	for _, s := range meshtest.Samples() {
		want := peer[s.Name]
		for _, c := range []struct {
			model         CacheModel
			misses, warps int
		}{
			{CacheModel{Size: 16}, want.fifo, 1},
			{CacheModel{Size: 32, Warp: 32, Group: 32}, want.fifoNVIDIA, want.warps},
			{CacheModel{Size: 14, Warp: 64, Group: 128}, want.fifoAMD, want.warpsAMD},
		} {
			got := misses(t, s.Indices, s.Vertices(), c.model)
			if got.Transformed != c.misses || got.Warps != c.warps {
				t.Errorf("%s: %+v gives %+v, want %d misses in %d warps", s.Name, c.model, got, c.misses, c.warps)
			}
			if acmr := float64(c.misses) / float64(len(s.Indices)/3); got.ACMR != acmr {
				t.Errorf("%s: ACMR %v, want %v", s.Name, got.ACMR, acmr)
			}
			if atvr := float64(c.misses) / float64(s.Vertices()); got.ATVR != atvr && s.Name != "sphere with a seam" {
				t.Errorf("%s: ATVR %v, want %v", s.Name, got.ATVR, atvr)
			}
		}
		fetch, err := AnalyzeFetch(t.Context(), s.Indices, s.Vertices(), 36)
		if err != nil || fetch.Bytes != want.fetched {
			t.Errorf("%s: %d bytes fetched, %v, want %d", s.Name, fetch.Bytes, err, want.fetched)
		}
		// Small differences are allowed, because a pixel whose center is on an edge may belong to
		// either triangle.
		drawn, err := AnalyzeOverdraw(t.Context(), s.Indices, s.Positions)
		if err != nil || !near(drawn.Covered, want.covered, 0.001) || !near(drawn.Shaded, want.shaded, 0.001) {
			t.Errorf("%s: %+v, %v, want %d shaded of %d", s.Name, drawn, err, want.shaded, want.covered)
		}
	}
}

func TestCacheModels(t *testing.T) {
	for _, c := range []struct {
		name    string
		indices []uint32
		model   CacheModel
		misses  int
		warps   int
	}{
		{"all fit", []uint32{0, 1, 2, 2, 1, 3, 0, 1, 3}, CacheModel{Size: 4}, 4, 1},
		{"the first leaves", []uint32{0, 1, 2, 2, 1, 3, 0, 1, 3}, CacheModel{Size: 3}, 6, 1},
		{"a group ends", []uint32{0, 1, 2, 0, 1, 2, 0, 1, 2}, CacheModel{Size: 8, Group: 2}, 6, 2},
		{"a warp is full", []uint32{0, 1, 2, 2, 1, 3}, CacheModel{Size: 8, Warp: 3}, 6, 2},
		{"a warp is not full", []uint32{0, 1, 2, 2, 1, 3}, CacheModel{Size: 8, Warp: 4}, 4, 1},
	} {
		if got := misses(t, c.indices, 4, c.model); got.Transformed != c.misses || got.Warps != c.warps {
			t.Errorf("%s: %+v, want %d misses in %d warps", c.name, got, c.misses, c.warps)
		}
	}
}

// TestOrdersLikePeer expects orders that are better than meshoptimizer's, or worse by at most 3 %.
func TestOrdersLikePeer(t *testing.T) {
	const within = 1.03
	for _, s := range meshtest.Samples() {
		want := peer[s.Name]
		cached, err := VertexCache(t.Context(), s.Indices, s.Vertices())
		if err != nil {
			t.Fatal(err)
		}
		drawn, err := Overdraw(t.Context(), cached, s.Positions, 1.05)
		if err != nil {
			t.Fatal(err)
		}
		if got := misses(t, cached, s.Vertices(), CacheModel{Size: 16}).Transformed; float64(got) > within*float64(want.cached) {
			t.Errorf("%s: %d misses of a FIFO of 16, the peer has %d", s.Name, got, want.cached)
		}
		if got := misses(t, drawn, s.Vertices(), CacheModel{Size: 16}).Transformed; float64(got) > within*float64(want.drawn) {
			t.Errorf("%s: %d misses after Overdraw, the peer has %d", s.Name, got, want.drawn)
		}
		seen, err := AnalyzeOverdraw(t.Context(), drawn, s.Positions)
		if err != nil || float64(seen.Shaded) > within*float64(want.drawnShaded) {
			t.Errorf("%s: %d pixels shaded, %v, the peer has %d", s.Name, seen.Shaded, err, want.drawnShaded)
		}
	}
}

func misses(t *testing.T, indices []uint32, vertices int, model CacheModel) CacheStats {
	t.Helper()
	stats, err := AnalyzeCache(t.Context(), indices, vertices, model)
	if err != nil {
		t.Fatal(err)
	}
	return stats
}

func near(got, want int64, part float64) bool {
	return float64(got) > float64(want)*(1-part) && float64(got) < float64(want)*(1+part)
}

func TestAnalyzeNothing(t *testing.T) {
	ctx := context.Background()
	cache, err1 := AnalyzeCache(ctx, nil, 5, CacheModel{Size: 16})
	fetch, err2 := AnalyzeFetch(ctx, nil, 5, 16)
	drawn, err3 := AnalyzeOverdraw(ctx, nil, make([]float32, 15))
	flat, err4 := AnalyzeOverdraw(ctx, []uint32{0, 1, 2}, make([]float32, 9)) // triangle whose vertices are all at one point
	if cache != (CacheStats{}) || fetch != (FetchStats{}) || drawn != (OverdrawStats{}) || flat != (OverdrawStats{}) ||
		err1 != nil || err2 != nil || err3 != nil || err4 != nil {
		t.Errorf("%+v %+v %+v %+v %v %v %v %v", cache, fetch, drawn, flat, err1, err2, err3, err4)
	}
}

// FetchStats holds the amount of vertex memory that was read.
type FetchStats struct {
	Bytes    int64   // number of bytes read, in whole cache lines
	Overhead float64 // Bytes divided by the size of the used vertices; 1 is optimal
}

// AnalyzeFetch counts the bytes that are read through a direct-mapped cache of 128 KiB with lines
// of 64 bytes. Each vertex takes size bytes, from 1 to 256.
func AnalyzeFetch(ctx context.Context, indices []uint32, vertices, size int) (FetchStats, error) {
	if err := CheckTriangles(indices, vertices); err != nil {
		return FetchStats{}, err
	}
	if size < 1 || size > 256 {
		return FetchStats{}, fmt.Errorf("vertices of %d bytes: 1 to 256 are possible", size)
	}
	const line, lines = 64, 128 << 10 / 64
	var cache [lines]int64 // number of the cached memory line plus 1; 0 if empty
	used := make([]bool, vertices)
	var stats FetchStats
	count := 0
	look := pace{ctx: ctx}
	for _, v := range indices {
		if err := look.spendWork(1 + size/line); err != nil {
			return FetchStats{}, err
		}
		if !used[v] {
			used[v] = true
			count++
		}
		start := int64(v) * int64(size)
		for at := start / line; at*line < start+int64(size); at++ {
			if cache[at%lines] != at+1 {
				cache[at%lines] = at + 1
				stats.Bytes += line
			}
		}
	}
	if count > 0 {
		stats.Overhead = float64(stats.Bytes) / float64(count) / float64(size)
	}
	return stats, nil
}

// OverdrawStats holds how often pixels of the mesh were shaded.
type OverdrawStats struct {
	Covered  int64   // number of pixels that show the mesh
	Shaded   int64   // number of times that a pixel passed the depth test
	Overdraw float64 // Shaded divided by Covered; 1 is optimal
}

// view is the width and height in pixels of the images of AnalyzeOverdraw.
const view = 256

// AnalyzeOverdraw draws the mesh from six sides along the axes, 256 pixels wide, with back faces
// culled, and counts the pixels. It takes 1 MiB of memory.
func AnalyzeOverdraw(ctx context.Context, indices []uint32, positions []float32) (OverdrawStats, error) {
	if err := CheckPositions(positions); err != nil {
		return OverdrawStats{}, err
	}
	if err := CheckTriangles(indices, len(positions)/3); err != nil {
		return OverdrawStats{}, err
	}
	origin, extent := box(indices, positions)
	var stats OverdrawStats
	if extent == 0 {
		return stats, nil
	}
	look := pace{ctx: ctx}
	sides := new([2]picture)
	for axis := range 3 {
		sides[0].clear()
		sides[1].clear()
		for t := 0; t < len(indices); t += 3 {
			var corners [3]corner
			for k := range corners {
				p := at(positions, indices[t+k]).minus(origin).times(view / extent)
				corners[k] = turned(p, axis)
			}
			if err := look.spendWork(10 + drawFacing(sides, corners)); err != nil {
				return OverdrawStats{}, err
			}
		}
		for i := range sides {
			for _, n := range sides[i].shaded {
				stats.Shaded += int64(n)
				if n > 0 {
					stats.Covered++
				}
			}
		}
	}
	if stats.Covered > 0 {
		stats.Overdraw = float64(stats.Shaded) / float64(stats.Covered)
	}
	return stats, nil
}

// box returns the minimum corner and the longest side of the box around a mesh.
func box(indices []uint32, positions []float32) (least vector, extent float64) {
	if len(indices) == 0 {
		return
	}
	least = at(positions, indices[0])
	most := least
	for _, v := range indices {
		p := at(positions, v)
		least = vector{min(least.x, p.x), min(least.y, p.y), min(least.z, p.z)}
		most = vector{max(most.x, p.x), max(most.y, p.y), max(most.z, p.z)}
	}
	size := most.minus(least)
	return least, max(size.x, size.y, size.z)
}

// picture is an image of the mesh, seen from one side. It holds depths, and how often each pixel
// was shaded.
type picture struct {
	near   [view * view]float32
	shaded [view * view]uint32
}

func (p *picture) clear() {
	for i := range p.near {
		p.near[i] = float32(math.Inf(-1))
	}
	clear(p.shaded[:])
}

// corner is a position in an image, in sixteenths of a pixel, and its depth. Nearer corners have
// higher depths.
type corner struct {
	x, y int32
	near float64
}

// turned returns p as seen from the positive end of the axis.
func turned(p vector, axis int) corner {
	switch axis {
	case 0:
		p = vector{p.y, p.z, p.x}
	case 1:
		p = vector{p.z, p.x, p.y}
	}
	return corner{int32(math.Floor(float64(16*p.x) + 0.5)), int32(math.Floor(float64(16*p.y) + 0.5)), p.z}
}

// drawFacing draws a triangle into the image of the side that it faces, and returns how many pixels
// it tested.
func drawFacing(sides *[2]picture, c [3]corner) (work int) {
	// area is twice the area of the triangle. It is positive if the corners are counterclockwise.
	area := int64(c[1].x-c[0].x)*int64(c[2].y-c[0].y) - int64(c[1].y-c[0].y)*int64(c[2].x-c[0].x)
	if area == 0 {
		return 0
	}
	side := &sides[0]
	if area < 0 { // swap near and far for a triangle that is seen from the back
		side = &sides[1]
		c[1], c[2] = c[2], c[1]
		for k := range c {
			c[k].near = -c[k].near
		}
		area = -area
	}
	// The depth is a linear function of the position in the image.
	d1, d2 := c[1].near-c[0].near, c[2].near-c[0].near
	dx := (float64(d1*float64(c[2].y-c[0].y)) - float64(d2*float64(c[1].y-c[0].y))) / float64(area)
	dy := (float64(d2*float64(c[1].x-c[0].x)) - float64(d1*float64(c[2].x-c[0].x))) / float64(area)

	// The center of a pixel is at 8 sixteenths of its size.
	low, high := (min(c[0].y, c[1].y, c[2].y)+7)>>4, (max(c[0].y, c[1].y, c[2].y)+7)>>4
	for y := max(low, 0); y < min(high, view); y++ {
		left, right := int32(0), int32(view)
		for k := range c {
			left, right = between(c[k], c[(k+1)%3], y<<4+8, left, right)
		}
		work += 4
		for x := left; x < right; x++ {
			work++
			mx, my := x<<4+8, y<<4+8
			near := float32(c[0].near + float64(dx*float64(mx-c[0].x)) + float64(dy*float64(my-c[0].y)))
			if i := y*view + x; near >= side.near[i] {
				side.near[i] = near
				side.shaded[i]++
			}
		}
	}
	return work
}

// between narrows the pixels left to right-1 of a row at height y. It keeps the pixels whose center
// is to the left of the edge from a to b. Two triangles at one edge run along it in opposite
// directions. A center on the edge belongs only to the triangle whose edge runs down, or to the
// right.
func between(a, b corner, y, left, right int32) (int32, int32) {
	// A point is to the left if dx*(y-a.y) - dy*(x-a.x) >= least.
	dx, dy := int64(b.x-a.x), int64(b.y-a.y)
	least := int64(1)
	if dy < 0 || dy == 0 && dx > 0 {
		least = 0
	}
	room := dx*int64(y-a.y) - least
	switch {
	case dy > 0:
		right = min(right, int32((floor(room, dy)+int64(a.x)-8)>>4)+1)
	case dy < 0:
		left = max(left, int32((-floor(room, -dy)+int64(a.x)-8+15)>>4))
	case room < 0:
		right = left
	}
	return left, right
}

// floor returns a/b rounded down, for b above 0.
func floor(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
