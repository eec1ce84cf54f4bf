package quantize_test

import (
	"fmt"

	"github.com/assetcook/assetcook/internal/mesh/quantize"
)

func ExampleGrid() {
	box := quantize.Empty()
	box.Add([]float32{-1, 0, 2, 3, 1, 2})
	grid, _ := quantize.NewGrid(box, 0, 8)
	n := grid.Position(0.5, 0)
	fmt.Printf("0.5 is line %d of %d, at %.3f, no more than %.4f off\n", n, grid.Top, grid.At(n, 0), grid.Error())
	// Output: 0.5 is line 96 of 255, at 0.506, no more than 0.0078 off
}
