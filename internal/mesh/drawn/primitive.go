package drawn

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/internal/gltfcheck"
	"github.com/assetcook/assetcook/internal/mesh/model"
	"github.com/assetcook/assetcook/internal/mesh/optimize"
	"github.com/assetcook/assetcook/internal/mesh/tangent"
)

const (
	maxVertices   = 1 << 24 // of an accessor
	maxInfluences = 4       // sets of four joints a vertex
)

// A geometry is what is drawn of a primitive, in the space of its mesh.
type geometry struct {
	positions, normals []float32
	indices            []uint32
	made               bool       // normals, from positions
	elements           []uint32   // where the vertices are in their accessors
	joints             [][]uint32 // four a vertex in each set
	weights            [][]float32
	targets            []map[string]int32
}

// triangles returns how many triangles a primitive claims to have, 0 if it has none.
func (b *builder) triangles(p *gltfcheck.Primitive) int64 {
	positions, ok := p.Attributes["POSITION"]
	if !ok {
		return 0
	}
	corners := b.doc.Accessors[positions].Count
	if p.Indices != nil {
		corners = b.doc.Accessors[*p.Indices].Count
	}
	if modeOf(p) == model.Triangles {
		return corners / 3
	}
	return max(corners-2, 0)
}

func modeOf(p *gltfcheck.Primitive) int {
	if p.Mode == nil {
		return model.Triangles
	}
	return int(*p.Mode)
}

// load reads the first n triangles of a primitive and the vertices that they use. b.place
// has the vertices' numbers until forget.
func (b *builder) load(ctx context.Context, p *gltfcheck.Primitive, n int, skinned bool) (*geometry, error) {
	corners := 3 * n
	if modeOf(p) != model.Triangles {
		corners = n + 2
	}
	g := &geometry{targets: p.Targets}
	count := int(b.doc.Accessors[p.Attributes["POSITION"]].Count)
	if err := b.indices(ctx, g, p, corners, count); err != nil {
		return nil, err
	}
	var err error
	if g.indices, err = model.AsTriangles(ctx, g.indices, modeOf(p)); err != nil {
		return nil, err
	}
	for len(b.place) < count {
		b.place = append(b.place, model.Nowhere)
	}
	if g.elements, err = model.Compact(ctx, g.indices, b.place); err != nil {
		return nil, err
	}
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
		array, err := b.doc.Gather(ctx, joints, g.elements, b.place)
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

// indices reads the first corners of a primitive.
func (b *builder) indices(ctx context.Context, g *geometry, p *gltfcheck.Primitive, corners, count int) error {
	if p.Indices == nil {
		g.indices = make([]uint32, corners)
		for i := range g.indices {
			g.indices[i] = uint32(i)
		}
		return nil
	}
	array, err := b.doc.First(ctx, *p.Indices, corners)
	if err != nil {
		return err
	}
	g.indices = array.Uints()
	for i, v := range g.indices {
		if int64(v) >= int64(count) {
			return fmt.Errorf("index %d is vertex %d of %d", i, v, count)
		}
	}
	return nil
}

// forget makes b.place ready for the next geometry.
func (b *builder) forget(g *geometry) {
	for _, v := range g.elements {
		b.place[v] = model.Nowhere
	}
}

// floats reads an attribute of the vertices, nil if there is none.
func (b *builder) floats(ctx context.Context, g *geometry, attributes map[string]int32, name string) ([]float32, error) {
	accessor, ok := attributes[name]
	if !ok {
		return nil, nil
	}
	array, err := b.doc.Gather(ctx, accessor, g.elements, b.place)
	if err == nil {
		err = array.Finite(ctx, "vertex")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return array.Floats(), nil
}

// weldVertices makes corners that are equal in all that is read one vertex.
func (b *builder) weldVertices(ctx context.Context, g *geometry, p *gltfcheck.Primitive) error {
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
	remap, n, err := optimize.Weld(ctx, len(g.elements), streams...)
	if err != nil {
		return err
	}
	for from, to := range remap { // to is never behind from
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
