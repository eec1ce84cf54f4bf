package optimize_test

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/internal/mesh/optimize"
	"github.com/assetcook/assetcook/internal/mesh/optimize/meshtest"
)

func Example() {
	ctx := context.Background()
	m := meshtest.Torus(60, 30, 0.4).Shuffle(1)
	model := optimize.CacheModel{Size: 16}

	// Merge equal vertices.
	remap, unique, err := optimize.Weld(ctx, m.Vertices(), optimize.FloatStream(m.Positions, 3))
	if err != nil {
		fmt.Println(err)
		return
	}
	indices := make([]uint32, len(m.Indices))
	for i, v := range m.Indices {
		indices[i] = remap[v]
	}
	fmt.Println(m.Vertices(), "vertices,", unique, "positions")

	// Put triangles that share vertices next to each other.
	before, _ := optimize.AnalyzeCache(ctx, indices, unique, model)
	indices, err = optimize.VertexCache(ctx, indices, unique)
	if err != nil {
		fmt.Println(err)
		return
	}
	after, _ := optimize.AnalyzeCache(ctx, indices, unique, model)
	fmt.Printf("%.2f transforms a triangle became %.2f\n", before.ACMR, after.ACMR)

	// Output:
	// 1891 vertices, 1800 positions
	// 2.98 transforms a triangle became 0.68
}
