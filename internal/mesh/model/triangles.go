package model

import (
	"context"
	"fmt"
)

// Modes of primitives that are made of triangles (glTF 2.0, section 5.24.4).
const (
	Triangles     = 4
	TriangleStrip = 5
	TriangleFan   = 6
)

// AsTriangles makes triangles of the corners of triangles, a strip or a fan (glTF 2.0,
// section 3.7.2.1), all with their winding.
func AsTriangles(ctx context.Context, corners []uint32, mode int) ([]uint32, error) {
	if mode == Triangles {
		if len(corners)%3 != 0 {
			return nil, fmt.Errorf("%d corners are not whole triangles", len(corners))
		}
		return corners, nil
	}
	if len(corners) < 3 {
		return nil, fmt.Errorf("%d corners are no triangle", len(corners))
	}
	list := make([]uint32, 0, 3*(len(corners)-2))
	err := Chunks(ctx, len(corners)-2, func(from, to int) error {
		for i := from; i < to; i++ {
			a, b, c := corners[i], corners[i+1+i%2], corners[i+2-i%2]
			if mode == TriangleFan {
				a, b, c = corners[i+1], corners[i+2], corners[0]
			}
			// Strips are stitched together by triangles without area.
			if a != b && b != c && c != a {
				list = append(list, a, b, c)
			}
		}
		return nil
	})
	if len(list) == 0 && err == nil {
		return corners[:3:3], nil
	}
	return list, err
}

// Compact numbers the vertices that indices name anew, in place and in the order of their
// first use, and returns their old numbers. place is Nowhere for every vertex before, and
// the new number of those in use afterwards.
func Compact(ctx context.Context, indices, place []uint32) (elements []uint32, err error) {
	err = Chunks(ctx, len(indices), func(from, to int) error {
		for i, v := range indices[from:to] {
			if place[v] == Nowhere {
				place[v] = uint32(len(elements))
				elements = append(elements, v)
			}
			indices[from+i] = place[v]
		}
		return nil
	})
	return elements, err
}
