package optimize

import (
	"context"
	"fmt"
	"math"
)

// overdrawCache is the size of the FIFO that Overdraw uses to count cache misses.
const overdrawCache = 16

// Overdraw takes the result of [VertexCache] and reorders clusters of its triangles. Clusters that
// face outward come first, so that they hide other triangles before these are shaded.
//
// The misses of a cache of 16 vertices increase at most by the factor threshold. 1.05 allows 5 %
// more; 1 or less allows no more misses. positions holds x, y, z of each vertex. Overdraw takes
// about 8 bytes per index, including 4 for the result, and 8 per vertex. Without shared vertices it
// takes 70 per index.
//
// The method is by Sander, Nehab and Barczak, "Fast Triangle Reordering for Vertex Locality and
// Reduced Overdraw", 2007.
func Overdraw(ctx context.Context, indices []uint32, positions []float32, threshold float32) ([]uint32, error) {
	if err := CheckPositions(positions); err != nil {
		return nil, err
	}
	vertices := len(positions) / 3
	if err := CheckTriangles(indices, vertices); err != nil {
		return nil, err
	}
	if threshold-threshold != 0 {
		return nil, fmt.Errorf("threshold %v is not a finite number; use 1.05, for example", threshold)
	}
	before, err := AnalyzeCache(ctx, indices, vertices, CacheModel{Size: overdrawCache})
	if err != nil {
		return nil, err
	}
	// The threshold applies to each cluster as if the cache were empty at its start. Reordering
	// adds misses between clusters that are no longer adjacent. So a smaller threshold may be
	// needed.
	threshold = max(threshold, 1)
	limit := float64(before.Transformed) * float64(threshold)
	for excess := float64(threshold) - 1; ; excess = float64(excess*0.6) - 0.002 {
		clusters, err := cutClusters(ctx, indices, vertices, 1+excess)
		if err != nil {
			return nil, err
		}
		out, err := outwardFirst(ctx, indices, positions, clusters)
		if err != nil {
			return nil, err
		}
		after, err := AnalyzeCache(ctx, out, vertices, CacheModel{Size: overdrawCache})
		if err != nil {
			return nil, err
		}
		if float64(after.Transformed) <= limit {
			return out, nil
		}
		if excess < 0 {
			return append([]uint32(nil), indices...), nil
		}
	}
}

// cutClusters returns the first triangle of each cluster. A cluster ends if the next triangle has
// no corner in the cache, because such a cut causes no misses. If threshold is at least 1, it also
// ends when its misses per triangle are at most threshold times the average between two such cuts.
func cutClusters(ctx context.Context, indices []uint32, vertices int, threshold float64) ([]int, error) {
	look := pace{ctx: ctx}
	triangles := len(indices) / 3
	at := func(t int) []uint32 { return indices[3*t:][:3] }
	var free []int
	cache := newFIFO(vertices, overdrawCache)
	for t := range triangles {
		if err := look.spendWork(2); err != nil {
			return nil, err
		}
		if cache.enterMissing(at(t)) == 3 || t == 0 {
			free = append(free, t)
		}
	}
	if threshold < 1 {
		return free, nil
	}
	var cuts []int
	for i, begin := range free {
		end := triangles
		if i+1 < len(free) {
			end = free[i+1]
		}
		misses := 0
		cache.emptyCache()
		for t := begin; t < end; t++ {
			if err := look.spendWork(2); err != nil {
				return nil, err
			}
			misses += cache.enterMissing(at(t))
		}
		allowed := threshold * float64(misses) / float64(end-begin)
		cuts = append(cuts, begin)
		first := len(cuts)
		cache.emptyCache()
		misses = 0
		for t, n := begin, 1; t < end; t, n = t+1, n+1 {
			if err := look.spendWork(4); err != nil {
				return nil, err
			}
			misses += cache.enterMissing(at(t))
			if float64(misses) <= float64(allowed*float64(n)) && t+1 < end {
				cuts = append(cuts, t+1)
				cache.emptyCache()
				misses, n = 0, 0
			}
		}
		// If the last triangles exceed the threshold, they stay in the previous cluster.
		if left := cuts[len(cuts)-1]; len(cuts) > first && float64(misses) > float64(allowed*float64(end-left)) {
			cuts = cuts[:len(cuts)-1]
		}
	}
	return cuts, nil
}

// outwardFirst sorts clusters by the distance of their center from the center of the mesh, farthest
// first. The distance is measured in the direction that the cluster faces.
func outwardFirst(ctx context.Context, indices []uint32, positions []float32, clusters []int) ([]uint32, error) {
	look := pace{ctx: ctx}
	type cluster struct {
		begin, end     int
		middle, normal vector // means, weighted by area
		area, outward  float64
	}
	list := make([]cluster, len(clusters))
	var middle vector
	var area float64
	for i, begin := range clusters {
		c := &list[i]
		c.begin, c.end = 3*begin, len(indices)
		if i+1 < len(clusters) {
			c.end = 3 * clusters[i+1]
		}
		for k := c.begin; k < c.end; k += 3 {
			if err := look.spendWork(6); err != nil {
				return nil, err
			}
			p, q, r := at(positions, indices[k]), at(positions, indices[k+1]), at(positions, indices[k+2])
			n := q.minus(p).cross(r.minus(p))
			a := n.length()
			c.normal = c.normal.plus(n)
			c.middle = c.middle.plus(p.plus(q).plus(r).times(a / 3))
			c.area += a
		}
		middle = middle.plus(c.middle)
		area += c.area
	}
	if area > 0 {
		middle = middle.times(1 / area)
	}
	for i := range list {
		if c := &list[i]; c.area > 0 {
			out := c.middle.times(1 / c.area).minus(middle).dot(c.normal)
			if l := c.normal.length(); l > 0 {
				c.outward = out / l
			}
		}
	}
	keys := make([]uint32, len(list))
	for i := range list {
		keys[i] = descending(float32(list[i].outward))
	}
	out := make([]uint32, 0, len(indices))
	for _, i := range sorted(keys) {
		if err := look.spendWork(4); err != nil {
			return nil, err
		}
		out = append(out, indices[list[i].begin:list[i].end]...)
	}
	return out, nil
}

// descending returns a sort key that decreases as f increases.
func descending(f float32) uint32 {
	bits := math.Float32bits(f)
	if bits>>31 == 0 {
		return ^bits &^ (1 << 31)
	}
	return bits
}

// sorted returns the indices of the keys in ascending order; equal keys keep their order. It is a
// radix sort with 16-bit digits, because comparing millions of keys would take seconds.
func sorted(keys []uint32) []uint32 {
	order, next := make([]uint32, len(keys)), make([]uint32, len(keys))
	for i := range order {
		order[i] = uint32(i)
	}
	for shift := 0; shift < 32; shift += 16 {
		var begin [1<<16 + 1]uint32
		for _, k := range keys {
			begin[k>>shift&0xffff+1]++
		}
		for d := range len(begin) - 1 {
			begin[d+1] += begin[d]
		}
		for _, i := range order {
			d := keys[i] >> shift & 0xffff
			next[begin[d]] = i
			begin[d]++
		}
		order, next = next, order
	}
	return order
}

// A vector has float64 components, so that the square of a float32 never overflows. Products are
// rounded before they are added, because fused operations would give different results.
type vector struct{ x, y, z float64 }

func at(positions []float32, v uint32) vector {
	p := positions[3*int(v):][:3]
	return vector{float64(p[0]), float64(p[1]), float64(p[2])}
}

func (a vector) plus(b vector) vector  { return vector{a.x + b.x, a.y + b.y, a.z + b.z} }
func (a vector) minus(b vector) vector { return vector{a.x - b.x, a.y - b.y, a.z - b.z} }
func (a vector) times(f float64) vector {
	return vector{float64(a.x * f), float64(a.y * f), float64(a.z * f)}
}
func (a vector) dot(b vector) float64 { return float64(a.x*b.x) + float64(a.y*b.y) + float64(a.z*b.z) }
func (a vector) length() float64      { return math.Sqrt(a.dot(a)) }
func (a vector) cross(b vector) vector {
	return vector{
		float64(a.y*b.z) - float64(a.z*b.y),
		float64(a.z*b.x) - float64(a.x*b.z),
		float64(a.x*b.y) - float64(a.y*b.x),
	}
}
