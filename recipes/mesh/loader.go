package mesh

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/assetcook/assetcook/internal/gltfcheck"
	"github.com/assetcook/assetcook/internal/mesh/model"
)

// A loader takes geometries out of a document.
type loader struct {
	doc *model.Document
	// place is where each vertex of an accessor goes, Nowhere outside of load; one for
	// all primitives, so that one of few triangles over many vertices costs little.
	place []uint32
}

// load reads a primitive: the vertices that it uses, in the order of their first use.
func (l *loader) load(ctx context.Context, p *gltfcheck.Primitive) (*geometry, error) {
	count := int(l.doc.Accessors[p.Attributes["POSITION"]].Count)
	g := &geometry{mode: triangles, targets: len(p.Targets), indexAccessor: made}
	if p.Mode != nil {
		g.mode = int(*p.Mode)
	}
	var err error
	if g.indices, err = l.indices(ctx, p, count); err != nil {
		return nil, err
	}
	if p.Indices != nil {
		g.indexAccessor = *p.Indices
	}
	if g.mode >= triangles {
		if g.indices, err = model.AsTriangles(ctx, g.indices, g.mode); err != nil {
			return nil, err
		}
		g.mode = triangles
	}
	elements, err := l.compact(ctx, g.indices, count)
	defer l.forget(elements)
	if err != nil {
		return nil, err
	}
	if p.Indices == nil && g.mode != triangles {
		g.indices = nil
	}
	g.stats.sourceVertices = count
	add := func(target int, attributes map[string]int32) error {
		for _, name := range slices.Sorted(maps.Keys(attributes)) {
			s := stream{name: name, target: target, accessor: attributes[name]}
			if s.data, err = l.doc.Gather(ctx, s.accessor, elements, l.place); err != nil {
				return err
			}
			if err := s.data.Finite(ctx, "vertex"); err != nil {
				return fmt.Errorf("%.40s: %w", name, err)
			}
			g.streams = append(g.streams, s)
		}
		return nil
	}
	if err := add(base, p.Attributes); err != nil {
		return nil, err
	}
	for i, t := range p.Targets {
		if err := add(i, t); err != nil {
			return nil, fmt.Errorf("target %d: %w", i, err)
		}
	}
	return g, nil
}

// indices returns the indices of a primitive; where it has none, all vertices in turn.
func (l *loader) indices(ctx context.Context, p *gltfcheck.Primitive, count int) ([]uint32, error) {
	if p.Indices == nil {
		indices := make([]uint32, count)
		for i := range indices {
			indices[i] = uint32(i)
		}
		return indices, nil
	}
	a := &l.doc.Accessors[*p.Indices]
	if a.BufferView == nil || a.Sparse != nil {
		return nil, fmt.Errorf("indices have no bufferView, or replace some of them by a list of its own")
	}
	array, err := l.doc.Dense(ctx, *p.Indices)
	if err != nil {
		return nil, err
	}
	indices := array.Uints()
	return indices, model.Chunks(ctx, len(indices), func(from, to int) error {
		for i, v := range indices[from:to] {
			if int64(v) >= int64(count) {
				return fmt.Errorf("index %d is vertex %d of %d", from+i, v, count)
			}
		}
		return nil
	})
}

// compact numbers the vertices anew in the order of their first use, in place, and
// returns their old numbers. l.place has the new ones until forget.
func (l *loader) compact(ctx context.Context, indices []uint32, count int) (elements []uint32, err error) {
	for len(l.place) < count {
		l.place = append(l.place, model.Nowhere)
	}
	return model.Compact(ctx, indices, l.place)
}

func (l *loader) forget(elements []uint32) {
	for _, v := range elements {
		l.place[v] = model.Nowhere
	}
}
