// Package optimize reorders the triangles and vertices of a mesh so that a GPU
// draws it with less work, and measures what that gained. No vertex moves and no
// triangle changes: only the order does, and vertices that are equal become one.
//
// The usual way of a mesh goes through four steps, in this order:
//
//	Weld         equal vertices become one: fewer to store, and shared ones to cache
//	VertexCache  triangles that share vertices follow each other
//	Overdraw     clusters of triangles that face outward come first
//	FetchOrder   vertices lie in memory in the order of their first use
//
// A mesh is a list of indices, three a triangle, into arrays of vertices. All
// results depend on the arguments only: they are the same on every machine. The
// arguments are never written to. An index that names no vertex and a list that is
// not whole triangles are errors; so is a context that ends, which every function
// looks at some hundred times a second.
package optimize

import (
	"fmt"
	"math"
)

// Unused marks, in the remap of [FetchOrder], a vertex that no triangle uses.
const Unused = ^uint32(0)

// CheckTriangles reports indices that are not whole triangles of vertices 0 to
// vertices-1.
func CheckTriangles(indices []uint32, vertices int) error {
	if len(indices)%3 != 0 {
		return fmt.Errorf("%d indices are not whole triangles: export the mesh as a list of triangles", len(indices))
	}
	if vertices < 0 || int64(vertices) > math.MaxUint32 {
		return fmt.Errorf("%d vertices: 0 to 2^32-1 are possible", vertices)
	}
	if int64(len(indices)) > math.MaxUint32 {
		return fmt.Errorf("%d indices: up to 2^32-1 are possible", len(indices))
	}
	for i, v := range indices {
		if int64(v) >= int64(vertices) {
			return fmt.Errorf("triangle %d uses vertex %d of %d: the mesh is damaged", i/3, v, vertices)
		}
	}
	return nil
}

// CheckPositions reports positions that are not three finite numbers a vertex.
func CheckPositions(positions []float32) error {
	if len(positions)%3 != 0 {
		return fmt.Errorf("%d numbers are not whole positions of x, y, z", len(positions))
	}
	for i, x := range positions {
		if x-x != 0 {
			return fmt.Errorf("vertex %d lies at %v: a position must be a finite number", i/3, x)
		}
	}
	return nil
}
