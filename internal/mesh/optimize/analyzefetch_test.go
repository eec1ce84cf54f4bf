package optimize

import (
	"context"
	"fmt"
)

// FetchStats says how much vertex memory was read.
type FetchStats struct {
	Bytes    int64   // read, in whole cache lines
	Overhead float64 // Bytes over the size of the vertices used: 1 is the best
}

// AnalyzeFetch counts the bytes read through a directly mapped cache of 128 KiB in
// lines of 64 bytes, when each vertex takes size bytes, 1 to 256.
func AnalyzeFetch(ctx context.Context, indices []uint32, vertices, size int) (FetchStats, error) {
	if err := CheckTriangles(indices, vertices); err != nil {
		return FetchStats{}, err
	}
	if size < 1 || size > 256 {
		return FetchStats{}, fmt.Errorf("vertices of %d bytes: 1 to 256 are possible", size)
	}
	const line, lines = 64, 128 << 10 / 64
	var cache [lines]int64 // 1 + the line of memory that is held
	used := make([]bool, vertices)
	var stats FetchStats
	count := 0
	look := pace{ctx: ctx}
	for _, v := range indices {
		if err := look.step(1 + size/line); err != nil {
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
