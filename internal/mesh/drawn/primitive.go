package drawn

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/optimize"
	"github.com/assetcook/assetcook/internal/mesh/tangent"
)

const (
	maxVertices   = 1 << 24 // limit of vertices per accessor
	maxInfluences = 4       // limit of joint sets per vertex; each has four joints
)

// A geometry holds the part of a primitive that is drawn, in mesh space.
type geometry struct {
	positions, normals []float32
	indices            []uint32
	made               bool // set if normals were computed from positions
	picked             gltf.Picked
	joints             [][]uint32 // joints of each set, four per vertex
	weights            [][]float32
	targets            []map[string]int32
}

// triangles returns the number of triangles that a primitive declares.
func (b *builder) triangles(p *gltf.Primitive) int64 {
	positions, ok := p.Attributes["POSITION"]
	if !ok {
		return 0
	}
	corners := b.doc.Accessors[positions].Count
	if p.Indices != nil {
		corners = b.doc.Accessors[*p.Indices].Count
	}
	if p.Topology() == gltf.Triangles {
		return corners / 3
	}
	return max(corners-2, 0)
}

// loadTriangles reads the first n triangles of a primitive and the vertices that they use. The
// caller must call Picker.Forget afterwards.
func (b *builder) loadTriangles(ctx context.Context, p *gltf.Primitive, n int, skinned bool) (*geometry, error) {
	corners := 3 * n
	if p.Topology() != gltf.Triangles {
		corners = n + 2
	}
	g := &geometry{targets: p.Targets}
	var err error
	if g.picked, err = b.picker.Pick(ctx, p, corners); err != nil {
		return nil, err
	}
	g.indices = g.picked.Indices
	if g.positions, err = b.floats(ctx, g, p.Attributes, "POSITION"); err != nil {
		return nil, err
	}
	if g.normals, err = b.floats(ctx, g, p.Attributes, "NORMAL"); err != nil {
		return nil, err
	}
	if b.weld {
		if err := b.weldVertices(ctx, g, p); err != nil {
			return nil, err
		}
	}
	if g.made = g.normals == nil; g.made {
		if g.normals, err = tangent.Normals(ctx, g.indices, g.positions); err != nil {
			return nil, err
		}
	}
	for i := 0; skinned && i < maxInfluences; i++ {
		joints, ok := p.Attributes[fmt.Sprintf("JOINTS_%d", i)]
		if !ok {
			break
		}
		array, err := b.picker.Gather(ctx, g.picked, joints)
		if err != nil {
			return nil, err
		}
		weights, err := b.floats(ctx, g, p.Attributes, fmt.Sprintf("WEIGHTS_%d", i))
		if err != nil {
			return nil, err
		}
		if weights == nil {
			break
		}
		g.joints, g.weights = append(g.joints, array.Uints()), append(g.weights, weights)
	}
	return g, nil
}

// floats reads a vertex attribute. It returns nil if the primitive lacks the attribute.
func (b *builder) floats(ctx context.Context, g *geometry, attributes map[string]int32, name string) ([]float32, error) {
	accessor, ok := attributes[name]
	if !ok {
		return nil, nil
	}
	array, err := b.picker.Gather(ctx, g.picked, accessor)
	if err == nil {
		err = array.Finite(ctx, "vertex")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return array.Floats(), nil
}

// weldVertices merges vertices with equal positions, normals and texture coordinates.
func (b *builder) weldVertices(ctx context.Context, g *geometry, p *gltf.Primitive) error {
	streams := []optimize.Stream{optimize.FloatStream(g.positions, 3)}
	if g.normals != nil {
		streams = append(streams, optimize.FloatStream(g.normals, 3))
	}
	coordinates, err := b.floats(ctx, g, p.Attributes, "TEXCOORD_0")
	if err != nil {
		return err
	}
	if coordinates != nil {
		streams = append(streams, optimize.FloatStream(coordinates, 2))
	}
	remap, n, err := optimize.Weld(ctx, len(g.picked.Elements), streams...)
	if err != nil {
		return err
	}
	for from, to := range remap { // no unread vertex is overwritten, because to <= from
		copy(g.positions[3*to:], g.positions[3*from:][:3])
		if g.normals != nil {
			copy(g.normals[3*to:], g.normals[3*from:][:3])
		}
	}
	g.positions = g.positions[:3*n]
	if g.normals != nil {
		g.normals = g.normals[:3*n]
	}
	for i, v := range g.indices {
		g.indices[i] = remap[v]
	}
	return nil
}
