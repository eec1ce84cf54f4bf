package optimize

import (
	"context"
	"fmt"
)

// A CacheModel is the vertex cache of a GPU. Warp and Group are 0 for a plain FIFO.
type CacheModel struct {
	Size  int // vertices that the FIFO holds, 3 or more
	Warp  int // vertices transformed together, 3 or more; a triangle that does not fit in starts the next one, with an empty cache
	Group int // triangles after which the cache is emptied
}

// CacheStats says how often vertices were transformed.
type CacheStats struct {
	Transformed int     // vertices, each time counted
	Warps       int     // begun; one at most without Warp and Group
	ACMR        float64 // transformed a triangle: 0.5 is the best of a large regular mesh, 3 the worst
	ATVR        float64 // transformed a used vertex: 1 is the best
}

// AnalyzeCache counts the misses of a vertex cache.
func AnalyzeCache(ctx context.Context, indices []uint32, vertices int, model CacheModel) (CacheStats, error) {
	if err := CheckTriangles(indices, vertices); err != nil {
		return CacheStats{}, err
	}
	if model.Size < 3 || model.Size > 1<<20 || model.Warp < 0 || model.Warp == 1 || model.Warp == 2 || model.Group < 0 {
		return CacheStats{}, fmt.Errorf("no cache works with %+v: size and warp need 3 at least", model)
	}
	fifo := newFIFO(vertices, model.Size)
	var stats CacheStats
	warp, group := 0, 0
	look := pace{ctx: ctx}
	for i := 0; i+2 < len(indices); i += 3 {
		if err := look.step(3); err != nil {
			return CacheStats{}, err
		}
		t := indices[i : i+3 : i+3]
		if model.Group > 0 && group == model.Group || model.Warp > 0 && warp+fifo.missing(t) > model.Warp {
			warp, group = 0, 0
			fifo.empty()
		}
		if warp == 0 {
			stats.Warps++
		}
		n := fifo.draw(t)
		warp += n
		stats.Transformed += n
		group++
	}
	used := 0
	for _, at := range fifo.entered {
		if at > 0 {
			used++
		}
	}
	if used > 0 {
		stats.ACMR = float64(stats.Transformed) / float64(len(indices)/3)
		stats.ATVR = float64(stats.Transformed) / float64(used)
	}
	return stats, nil
}

// A fifo is a cache that forgets the vertex which entered first. It holds those
// among the last size that entered; no list is needed, only when each did.
type fifo struct {
	entered []int64 // of each vertex, 0 for never
	now     int64
	size    int64
}

func newFIFO(vertices, size int) *fifo {
	return &fifo{entered: make([]int64, vertices), now: int64(size) + 1, size: int64(size)}
}

func (f *fifo) empty() { f.now += f.size + 1 }

// missing counts the corners of a triangle that are not in the cache.
func (f *fifo) missing(triangle []uint32) int {
	n := 0
	for _, v := range triangle {
		if f.now-f.entered[v] > f.size {
			n++
		}
	}
	return n
}

// draw enters missing vertices and returns their number.
func (f *fifo) draw(triangle []uint32) int {
	n := 0
	for _, v := range triangle {
		if f.now-f.entered[v] > f.size {
			f.entered[v] = f.now
			f.now++
			n++
		}
	}
	return n
}
