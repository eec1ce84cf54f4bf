package optimize

import (
	"context"
	"fmt"
	"math"
)

// VertexCache orders the triangles so that the GPU reuses a transformed vertex while it is still
// cached. Each triangle keeps the order of its three corners. The result suits caches of any size
// and kind. VertexCache takes about 14 bytes per index, including 4 for the result, and 20 per
// vertex.
//
// The method is by Tom Forsyth, "Linear-Speed Vertex Cache Optimization", 2006. It selects the
// triangle with the highest score. A vertex scores high if it was used recently, and if few
// remaining triangles use it. No score table is best for every mesh, so VertexCache tries several
// and returns the best order.
func VertexCache(ctx context.Context, indices []uint32, vertices int) ([]uint32, error) {
	if err := CheckTriangles(indices, vertices); err != nil {
		return nil, err
	}
	var best []uint32
	least := 0
	for _, scores := range scoreTables() {
		out, err := sortByScore(ctx, indices, vertices, &scores)
		if err != nil {
			return nil, err
		}
		stats, err := AnalyzeCache(ctx, out, vertices, CacheModel{Size: modelSize})
		if err != nil {
			return nil, err
		}
		if best == nil || stats.Transformed < least {
			best, least = out, stats.Transformed
		}
	}
	return best, nil
}

// Strips orders the triangles so that most of them share an edge with the previous triangle.
// Package meshopt compresses this order to fewer bytes than the order of VertexCache, but a vertex
// cache has 8 % more misses.
func Strips(ctx context.Context, indices []uint32, vertices int) ([]uint32, error) {
	if err := CheckTriangles(indices, vertices); err != nil {
		return nil, err
	}
	return sortByScore(ctx, indices, vertices, &stripScores)
}

func sortByScore(ctx context.Context, indices []uint32, vertices int, scores *cacheScores) ([]uint32, error) {
	look := pace{ctx: ctx}
	s, err := newCacheSorter(&look, indices, vertices, scores)
	if err != nil {
		return nil, err
	}
	out := make([]uint32, 0, len(indices))
	for t := s.firstLeft(); t != none; {
		out = append(out, indices[3*t:][:3]...)
		s.drawTriangle(t)
		best, work := s.rescore()
		if err := look.spendWork(10 + work); err != nil {
			return nil, err
		}
		if t = best; t == none {
			t = s.firstLeft()
		}
	}
	return out, nil
}

const none = ^uint32(0)

// A cacheSorter is the state of the search between two triangles.
type cacheSorter struct {
	indices []uint32
	scores  *cacheScores

	// The remaining triangles of vertex v are around[begin[v]:][:live[v]].
	around []uint32
	begin  []uint32
	live   []uint32

	score  []int32 // score of each vertex
	total  []int32 // sum of the scores of each triangle's corners; the value drawn if the triangle has been selected
	recent []uint32
	next   []uint32 // temporary memory for updating recent
	cursor int      // all triangles before this index have been selected
}

// crowd limits the number of remaining triangles of a vertex. Above it, the vertex does not count
// as recent, and its triangle list is not updated. Otherwise each triangle of a large fan would
// visit the list of its center.
const crowd = 128

// drawn marks a selected triangle in the field total.
const drawn = math.MinInt32

func newCacheSorter(look *pace, indices []uint32, vertices int, scores *cacheScores) (s *cacheSorter, err error) {
	s = &cacheSorter{
		indices: indices,
		scores:  scores,
		score:   make([]int32, vertices),
		total:   make([]int32, len(indices)/3),
		recent:  make([]uint32, 0, modelSize+3),
		next:    make([]uint32, 0, modelSize+3),
	}
	if s.around, s.begin, s.live, err = trianglesAround(look, indices, vertices); err != nil {
		return nil, err
	}
	for v := range s.score {
		s.score[v] = s.scores.scoreOf(-1, s.live[v])
	}
	for t := range s.total {
		if err := look.spendWork(2); err != nil {
			return nil, err
		}
		for _, v := range indices[3*t:][:3] {
			s.total[t] += s.score[v]
		}
	}
	return s, nil
}

// trianglesAround lists the triangles at each vertex v, in order, as around[begin[v]:][:count[v]].
// If a vertex is two corners of a triangle, its list has the triangle twice.
func trianglesAround(look *pace, indices []uint32, vertices int) (around, begin, count []uint32, err error) {
	count = make([]uint32, vertices)
	for _, v := range indices {
		if err := look.spendWork(1); err != nil {
			return nil, nil, nil, err
		}
		count[v]++
	}
	begin = make([]uint32, vertices)
	sum := uint32(0)
	for v, n := range count {
		begin[v] = sum
		sum += n
	}
	around = make([]uint32, len(indices))
	for i, v := range indices {
		if err := look.spendWork(1); err != nil {
			return nil, nil, nil, err
		}
		around[begin[v]] = uint32(i / 3)
		begin[v]++
	}
	for v, n := range count {
		begin[v] -= n
	}
	return around, begin, count, nil
}

// drawTriangle removes a triangle from the lists and moves its corners to the front of the recent
// vertices.
func (s *cacheSorter) drawTriangle(t uint32) {
	corners := s.indices[3*t:][:3]
	s.total[t] = drawn
	for _, v := range corners {
		switch n := s.live[v]; {
		case n > crowd+1:
		case n == crowd+1:
			s.tidy(v)
		default:
			list := s.around[s.begin[v]:][:n]
			for i, other := range list {
				if other == t {
					list[i] = list[n-1]
					break
				}
			}
		}
		s.live[v]--
	}
	s.next = append(s.next[:0], corners...)
	for _, v := range s.recent {
		if v != corners[0] && v != corners[1] && v != corners[2] {
			s.next = append(s.next, v)
		}
	}
	s.recent, s.next = s.next, s.recent
}

// tidy removes selected triangles from the list of a vertex that no longer has too many; see crowd.
func (s *cacheSorter) tidy(v uint32) {
	end := uint32(len(s.around))
	if int(v)+1 < len(s.begin) {
		end = s.begin[v+1]
	}
	list := s.around[s.begin[v]:end]
	kept := list[:0]
	for _, t := range list {
		if s.total[t] != drawn {
			kept = append(kept, t)
		}
	}
}

// rescore updates the scores of the recent vertices, and removes the vertices that no longer fit in
// the cache. It returns the best triangle around the recent vertices, or none, and the number of
// triangles that it examined.
func (s *cacheSorter) rescore() (best uint32, work int) {
	best, top := none, int32(drawn)
	for place, v := range s.recent {
		live := s.live[v]
		if live == 0 || live > crowd {
			continue
		}
		if place >= modelSize {
			place = -1
		}
		score := s.scores.scoreOf(place, live)
		change := score - s.score[v]
		s.score[v] = score
		work += int(live)
		for _, t := range s.around[s.begin[v]:][:live] {
			total := s.total[t] + change
			s.total[t] = total
			if total > top {
				best, top = t, total
			}
		}
	}
	if len(s.recent) > modelSize {
		s.recent = s.recent[:modelSize]
	}
	return best, work
}

// firstLeft returns the first remaining triangle, or none.
func (s *cacheSorter) firstLeft() uint32 {
	for ; s.cursor < len(s.total); s.cursor++ {
		if s.total[s.cursor] != drawn {
			return uint32(s.cursor)
		}
	}
	return none
}

// modelSize is the number of recent vertices that have a score for recency. A cache model larger
// than the GPU's cache gives a bad order; 16 is suitable for GPUs with 12 to 32 entries.
const modelSize = 16

// cacheScores holds two tables whose scores are added for each vertex, in thousandths.
type cacheScores struct {
	place [1 + modelSize]int32 // score by 1 + the index among recent vertices; element 0 is for other vertices
	live  [9]int32             // score by the number of remaining triangles; the last element is for 8 and more
}

func (c *cacheScores) scoreOf(place int, live uint32) int32 {
	return c.place[1+place] + c.live[min(live, 8)]
}

// scoreTables returns two score tables, each found by a random search of about 15,000 steps. The
// search minimized cache misses on a dozen game characters and on simple shapes, for a FIFO of 16
// vertices and for two models of GPU warps. The first table favors grids. Forsyth's formula has 9 %
// more misses.
func scoreTables() [2]cacheScores {
	return [...]cacheScores{
		{
			place: [...]int32{0, 1280, 1080, 1232, 1316, 971, 1116, 1371, 1490, 974, 1441, 1424, 1407, 1430, 1244, 884, 1040},
			live:  [...]int32{0, 2211, 2236, 1632, 1002, 1118, 588, 561, 602},
		},
		{
			place: [...]int32{0, 1207, 822, 1275, 1496, 1115, 1318, 1500, 1386, 651, 1349, 1253, 1315, 482, 1079, 642, 815},
			live:  [...]int32{0, 2500, 2117, 1610, 1081, 897, 765, 760, 908},
		},
	}
}

// stripScores favors the corners of the last triangle. A random search found scores that minimize
// the compressed size of ten models.
var stripScores = cacheScores{
	place: [...]int32{0, 587, 638, 638, 379, 390, 483, 390, 470, 517, 0, 0, 317, 425, 140, 188, 383},
	live:  [...]int32{0, 1141, 902, 689, 580, 496, 520, 500, 468},
}

// A pace checks the context every few milliseconds of work.
type pace struct {
	ctx  context.Context
	done int
}

// spendWork counts work, in units of about ten nanoseconds. If the context is canceled, it returns
// the context's error.
func (p *pace) spendWork(work int) error {
	if p.done += work; p.done < 1<<17 {
		return nil
	}
	p.done = 0
	return p.ctx.Err()
}

// A CacheModel models the vertex cache of a GPU. Warp and Group are 0 for a plain FIFO.
type CacheModel struct {
	Size  int // number of vertices in the FIFO, at least 3
	Warp  int // number of vertices per warp, at least 3; each warp starts with an empty cache
	Group int // the cache is emptied after this number of triangles
}

// CacheStats holds the number of vertex transforms with a cache model.
type CacheStats struct {
	Transformed int     // number of vertex transforms
	Warps       int     // number of started warps; at most one without Warp and Group
	ACMR        float64 // transforms per triangle: from 0.5 for large regular meshes up to 3
	ATVR        float64 // transforms per used vertex; 1 is optimal
}

// AnalyzeCache simulates a vertex cache and counts its misses.
func AnalyzeCache(ctx context.Context, indices []uint32, vertices int, model CacheModel) (CacheStats, error) {
	if err := CheckTriangles(indices, vertices); err != nil {
		return CacheStats{}, err
	}
	if model.Size < 3 || model.Size > 1<<20 || model.Warp < 0 || model.Warp == 1 || model.Warp == 2 || model.Group < 0 {
		return CacheStats{}, fmt.Errorf("the cache %+v is too small: size and warp must be at least 3", model)
	}
	fifo := newFIFO(vertices, model.Size)
	var stats CacheStats
	warp, group := 0, 0
	look := pace{ctx: ctx}
	for i := 0; i+2 < len(indices); i += 3 {
		if err := look.spendWork(3); err != nil {
			return CacheStats{}, err
		}
		t := indices[i : i+3 : i+3]
		if model.Group > 0 && group == model.Group || model.Warp > 0 && warp+fifo.countMissing(t) > model.Warp {
			warp, group = 0, 0
			fifo.emptyCache()
		}
		if warp == 0 {
			stats.Warps++
		}
		n := fifo.enterMissing(t)
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

// A fifo is a cache that evicts the vertex that entered first. It stores only the time when each
// vertex entered: the last size vertices are in the cache.
type fifo struct {
	entered []int64 // time when each vertex entered; 0 if it never did
	now     int64
	size    int64
}

func newFIFO(vertices, size int) *fifo {
	return &fifo{entered: make([]int64, vertices), now: int64(size) + 1, size: int64(size)}
}

func (f *fifo) emptyCache() { f.now += f.size + 1 }

// countMissing returns the number of corners of a triangle that are not in the cache.
func (f *fifo) countMissing(triangle []uint32) int {
	n := 0
	for _, v := range triangle {
		if f.now-f.entered[v] > f.size {
			n++
		}
	}
	return n
}

// enterMissing adds the missing vertices of a triangle to the cache and returns their number.
func (f *fifo) enterMissing(triangle []uint32) int {
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
