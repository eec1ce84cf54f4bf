package optimize

import (
	"context"
	"testing"

	"github.com/assetcook/assetcook/internal/mesh/optimize/meshtest"
)

// peer has the results of meshoptimizer (b5b2c439, August 2026) for the samples, in their
// own order and in its order.
var peer = map[string]struct {
	fifo, fifoNVIDIA, warps, fifoAMD, warpsAMD int
	covered, shaded, fetched                   int64
	cached, cachedNVIDIA                       int // misses after its meshopt_optimizeVertexCache
	drawn                                      int // misses after its meshopt_optimizeOverdraw at 1.05
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
		// Edges that meet the middle of a pixel may fall to either side.
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

// Our orders are as good as the peer's, or better.
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
	flat, err4 := AnalyzeOverdraw(ctx, []uint32{0, 1, 2}, make([]float32, 9)) // all at one point
	if cache != (CacheStats{}) || fetch != (FetchStats{}) || drawn != (OverdrawStats{}) || flat != (OverdrawStats{}) ||
		err1 != nil || err2 != nil || err3 != nil || err4 != nil {
		t.Errorf("%+v %+v %+v %+v %v %v %v %v", cache, fetch, drawn, flat, err1, err2, err3, err4)
	}
}
