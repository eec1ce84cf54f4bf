package tangent_test

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/internal/mesh/tangent"
)

func Example() {
	ctx := context.Background()
	// This is a square in the plane z = 0 with an upright texture.
	indices := []uint32{0, 1, 2, 2, 1, 3}
	positions := []float32{0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}
	uvs := []float32{0, 0, 1, 0, 0, 1, 1, 1}

	normals, err := tangent.Normals(ctx, indices, positions)
	if err != nil {
		fmt.Println(err)
		return
	}
	tangents, err := tangent.Generate(ctx, indices, positions, normals, uvs)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("normal of the first vertex:", normals[:3])
	fmt.Println("tangent of the first corner:", tangents[:4])
	// Output:
	// normal of the first vertex: [0 0 1]
	// tangent of the first corner: [1 0 0 1]
}
