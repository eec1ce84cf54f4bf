// Package simplify makes a mesh of fewer triangles that looks like the given one, for
// levels of detail. It collapses edges in the order of the resulting error, measured by
// quadrics (Garland and Heckbert, "Surface Simplification Using Quadric Error Metrics",
// 1997; for attributes Hoppe, "New Quadric Metric for Simplifying Meshes with Appearance
// Attributes", 1999). A vertex only ever moves onto one of its neighbors, so that all
// levels share the vertices of the first.
//
// The result is the same on every machine.
package simplify

import (
	"context"
	"fmt"
	"math"

	"github.com/assetcook/assetcook/internal/mesh/optimize"
)

// Options bound the simplification. Simplify stops at Target or MaxError, whichever is
// first, or if no edge can collapse without breaking the mesh.
type Options struct {
	// Target is how many indices to reach, three a triangle. The result may end one
	// collapse below, two triangles as a rule.
	Target int
	// MaxError is relative to the mesh's extent: 0.01 is 1 % of Scale. Values below a
	// millionth, the rounding of positions, count as a millionth: 0 collapses free edges.
	MaxError float32
	// LockBorder keeps the vertices at open edges, where another mesh may join.
	LockBorder bool
	// Attributes shall look alike besides the shape. Other attributes are ignored.
	Attributes []Attribute
}

// An Attribute is what each vertex has besides a position: a normal, a color, a
// texture coordinate.
type Attribute struct {
	Values []float32 // Width numbers a vertex
	Width  int       // 1 to 4
	// Weight says how much a difference of 1 all over a part of the surface counts:
	// as much as if that part had moved by Weight times its own width. 0.5 is right
	// for normals, 0 is not looked at.
	Weight float32
}

// maxNumbers is how many numbers the attributes of a vertex may have together.
const maxNumbers = 32

// Simplify returns the triangles of a mesh with fewer of them, and the error that it
// made, relative to the mesh's extent as [Scale] has it: the root of the mean square
// of how far the surface around a vertex moved, and its attributes by their weights,
// where it is worst. positions holds x, y, z of each vertex.
//
// Vertices at one position are a seam: they collapse together, along the seam. Open
// borders, seams and holes keep their topology, and no triangle flips over. Triangles
// with two corners at one position are left out. It takes about 40 bytes an index and
// 190 a vertex, and with attributes 90 a vertex more and 40 for each of their numbers.
func Simplify(ctx context.Context, indices []uint32, positions []float32, o Options) (out []uint32, reached float32, err error) {
	if err := checkSimplify(indices, positions, &o); err != nil {
		return nil, 0, err
	}
	m, err := newMesh(ctx, indices, positions, &o)
	if err != nil {
		return nil, 0, err
	}
	limit := max(float64(o.MaxError), 1e-6)
	limit = min(float64(limit*limit), math.MaxFloat32) // below the cost of what may not be
	if err := m.reduce(o.Target, limit); err != nil {
		return nil, 0, err
	}
	return m.triangles, float32(math.Sqrt(m.reached)), nil
}

// Scale is the extent of a mesh, the longest side of the box around its positions:
// the error of [Simplify] times this is a distance in the units of the positions.
func Scale(positions []float32) float32 {
	_, extent := box(positions)
	return float32(min(extent, math.MaxFloat32))
}

// box returns the least corner of the box around positions and its longest side.
func box(positions []float32) (least vector, extent float64) {
	if len(positions) < 3 {
		return
	}
	least = at(positions, 0)
	most := least
	for v := range len(positions) / 3 {
		p := at(positions, v)
		least = vector{min(least.x, p.x), min(least.y, p.y), min(least.z, p.z)}
		most = vector{max(most.x, p.x), max(most.y, p.y), max(most.z, p.z)}
	}
	size := most.minus(least)
	return least, max(size.x, size.y, size.z)
}

func checkSimplify(indices []uint32, positions []float32, o *Options) error {
	if err := optimize.CheckPositions(positions); err != nil {
		return err
	}
	if err := optimize.CheckTriangles(indices, len(positions)/3); err != nil {
		return err
	}
	if !(o.MaxError >= 0) {
		return fmt.Errorf("an error of %v at most: 0.01 is 1 %% of the mesh's extent", o.MaxError)
	}
	numbers := 0
	for i, a := range o.Attributes {
		if a.Width < 1 || a.Width > 4 || len(a.Values) != len(positions)/3*a.Width {
			return fmt.Errorf("attribute %d has %d numbers of %d a vertex for %d vertices", i, len(a.Values), a.Width, len(positions)/3)
		}
		if !(a.Weight >= 0 && a.Weight <= 1e6) {
			return fmt.Errorf("attribute %d has the weight %v: 0 to 1000000 are possible", i, a.Weight)
		}
		for k, x := range a.Values {
			if x-x != 0 {
				return fmt.Errorf("vertex %d has %v in attribute %d: it must be a finite number", k/a.Width, x, i)
			}
		}
		numbers += a.Width
	}
	if numbers > maxNumbers {
		return fmt.Errorf("attributes of %d numbers a vertex: up to %d are possible", numbers, maxNumbers)
	}
	return nil
}
