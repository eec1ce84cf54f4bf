package mesh

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// loadGeometry reads a primitive: the vertices in use, in the order of their first use.
func loadGeometry(ctx context.Context, doc *gltf.Document, picker *gltf.Picker, p *gltf.Primitive) (*geometry, error) {
	g := &geometry{mode: min(p.Topology(), triangles), targets: len(p.Targets), indexAccessor: made}
	corners := int(doc.Accessors[p.Attributes["POSITION"]].Count)
	g.stats.sourceVertices = corners
	if p.Indices != nil {
		a := &doc.Accessors[*p.Indices]
		if a.BufferView == nil || a.Sparse != nil {
			return nil, errors.New("indices have no bufferView, or replace some of them by a list of its own")
		}
		g.indexAccessor, corners = *p.Indices, int(a.Count)
	}
	picked, err := picker.Pick(ctx, p, corners)
	defer picker.Forget(picked)
	if err != nil {
		return nil, err
	}
	if p.Indices != nil || g.mode == triangles {
		g.indices = picked.Indices
	}
	for target, attributes := range p.AttributeSets() {
		for _, name := range slices.Sorted(maps.Keys(attributes)) {
			s := stream{name: name, target: target - 1, accessor: attributes[name]}
			if s.data, err = picker.Gather(ctx, picked, s.accessor); err == nil {
				if err = s.data.Finite(ctx, "vertex"); err != nil {
					err = fmt.Errorf("%.40s: %w", name, err)
				}
			}
			if err != nil && s.target != base {
				err = fmt.Errorf("target %d: %w", s.target, err)
			}
			if err != nil {
				return nil, err
			}
			g.streams = append(g.streams, s)
		}
	}
	return g, nil
}
