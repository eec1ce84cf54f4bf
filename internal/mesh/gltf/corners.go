package gltf

import (
	"context"
	"fmt"
)

// A Picker reads the triangles, lines or points of primitives and the vertices they use.
// A primitive of few triangles over many vertices costs little.
type Picker struct {
	doc   *Document
	place []uint32 // new number of each vertex in use, Nowhere outside of Pick and Forget
}

// NewPicker returns a picker for a document whose buffers are loaded.
func NewPicker(doc *Document) *Picker { return &Picker{doc: doc} }

// A Picked is the part of a primitive that was read.
type Picked struct {
	Indices  []uint32 // corners; of triangles also for strips and fans
	Elements []uint32 // numbers of the vertices in their accessors, in order of first use
}

// Pick reads the first corners of a primitive. The caller calls Forget before the next
// Pick, even after an error.
func (p *Picker) Pick(ctx context.Context, of *Primitive, corners int) (Picked, error) {
	var picked Picked
	count := int(p.doc.Accessors[of.Attributes["POSITION"]].Count)
	var err error
	if picked.Indices, err = p.corners(ctx, of, corners, count); err != nil {
		return picked, err
	}
	if of.Topology() >= Triangles {
		if picked.Indices, err = AsTriangles(ctx, picked.Indices, of.Topology()); err != nil {
			return picked, err
		}
	}
	for len(p.place) < count {
		p.place = append(p.place, Nowhere)
	}
	picked.Elements, err = Compact(ctx, picked.Indices, p.place)
	return picked, err
}

// Forget makes the picker ready for the next primitive.
func (p *Picker) Forget(picked Picked) {
	for _, v := range picked.Elements {
		p.place[v] = Nowhere
	}
}

// Gather returns an attribute of the picked vertices.
func (p *Picker) Gather(ctx context.Context, picked Picked, accessor int32) (Array, error) {
	return p.doc.Gather(ctx, accessor, picked.Elements, p.place)
}

// corners returns the first indices of a primitive; without indices, vertices in turn.
func (p *Picker) corners(ctx context.Context, of *Primitive, n, vertices int) ([]uint32, error) {
	if of.Indices == nil {
		indices := make([]uint32, n)
		for i := range indices {
			indices[i] = uint32(i)
		}
		return indices, nil
	}
	array, err := p.doc.First(ctx, *of.Indices, n)
	if err != nil {
		return nil, err
	}
	indices := array.Uints()
	return indices, Chunks(ctx, n, func(from, to int) error {
		for i, v := range indices[from:to] {
			if int64(v) >= int64(vertices) {
				return fmt.Errorf("index %d is vertex %d of %d", from+i, v, vertices)
			}
		}
		return nil
	})
}
