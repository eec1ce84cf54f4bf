package simplify_test

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/internal/mesh/optimize/meshtest"
	"github.com/assetcook/assetcook/internal/mesh/simplify"
)

func Example() {
	m := meshtest.Torus(120, 60, 0.4)
	for _, part := range []int{2, 8, 32} {
		indices, reached, err := simplify.Simplify(context.Background(), m.Indices, m.Positions, simplify.Options{
			Target:   len(m.Indices) / part,
			MaxError: 0.01,
			Attributes: []simplify.Attribute{
				{Values: m.Normals, Width: 3, Weight: 0.5},
				{Values: m.UVs, Width: 2, Weight: 0.5},
			},
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%d triangles of %d: error %.4f\n", len(indices)/3, len(m.Indices)/3, reached*simplify.Scale(m.Positions))
	}
	// Output:
	// 7200 triangles of 14400: error 0.0024
	// 1800 triangles of 14400: error 0.0070
	// 518 triangles of 14400: error 0.0278
}
