package mesh

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/tangent"
)

// A look is what the materials of a primitive ask of its geometry.
type look struct {
	unlit    bool   // all of them are
	unseen   bool   // nothing is drawn of it
	blend    bool   // one does
	must     bool   // tangents cannot be left to who draws it, as there is no normal map to make them by
	coords   uint64 // bits of the coordinates that textures have
	normalUV int    // number of the coordinates that tangents follow, -1 for none
}

// looks reads what all materials ask for.
func looks(doc *gltf.Document) ([]look, error) {
	materials, err := doc.Objects("materials")
	if err != nil {
		return nil, err
	}
	list := make([]look, len(materials))
	for i := range doc.Materials {
		m := &doc.Materials[i]
		list[i] = look{
			unlit:    m.IsUnlit(),
			blend:    m.AlphaMode == "BLEND",
			coords:   coordsOf(materials[i]),
			normalUV: -1,
		}
		if texture := m.TangentTexture(); texture != nil && !list[i].unlit {
			list[i].normalUV, list[i].must = texture.Coordinates(), m.Normal == nil
		}
	}
	return list, nil
}

// lookOf returns what the material of a primitive and those of its variants ask for.
func lookOf(list []look, p *gltf.Primitive) look {
	l := look{normalUV: -1}
	if p.Material != nil {
		l = list[*p.Material]
	}
	for _, m := range p.Extensions.Variants.Mappings {
		other := list[m.Material]
		l.unlit = l.unlit && other.unlit
		l.blend = l.blend || other.blend
		l.must = l.must || other.must
		l.coords |= other.coords
		if l.normalUV < 0 {
			l.normalUV = other.normalUV
		}
	}
	return l
}

// shade makes the normals and tangents that are missing. Flat normals of a mesh that
// morphs are left to who draws it: they turn with the triangles. What is for physics only
// gets none.
func (o *Mesh) shade(ctx context.Context, g *geometry, l look) error {
	if g.mode != triangles {
		return nil
	}
	if g.stream("NORMAL") == nil && o.Normals != "none" && g.targets == 0 && !l.unlit && !l.unseen {
		if err := o.makeNormals(ctx, g); err != nil {
			return fmt.Errorf("normals: %w", err)
		}
	}
	uv := g.stream(fmt.Sprintf("TEXCOORD_%d", l.normalUV))
	if o.Tangents && g.stream("TANGENT") == nil && g.stream("NORMAL") != nil && l.normalUV >= 0 && uv != nil && !l.unlit {
		if err := makeTangents(ctx, g, uv.name); err != nil {
			return fmt.Errorf("tangents: %w", err)
		}
	}
	return nil
}

func (o *Mesh) makeNormals(ctx context.Context, g *geometry) error {
	// Tangents without normals are to be ignored (glTF 2.0, section 3.7.2.1).
	for i := range g.streams {
		if s := &g.streams[i]; s.name == "TANGENT" && s.target == base {
			g.streams = append(g.streams[:i], g.streams[i+1:]...)
			break
		}
	}
	positions := g.stream("POSITION").data.Floats()
	var normals []float32
	var err error
	if o.Normals == "smooth" {
		normals, err = tangent.Normals(ctx, g.indices, positions)
	} else {
		normals, err = tangent.FlatNormals(ctx, g.indices, positions)
		if err == nil {
			err = g.unroll(ctx)
		}
	}
	if err != nil {
		return err
	}
	g.stats.normals = o.Normals
	return g.attach(ctx, "NORMAL", normals, 3)
}

func makeTangents(ctx context.Context, g *geometry, uv string) error {
	tangents, err := tangent.Generate(ctx, g.indices, g.stream("POSITION").data.Floats(),
		g.stream("NORMAL").data.Floats(), g.stream(uv).data.Floats())
	if err != nil {
		return err
	}
	// glTF's v points down, MikkTSpace's up.
	for i := 3; i < len(tangents); i += 4 {
		tangents[i] = -tangents[i]
	}
	if err := g.unroll(ctx); err != nil {
		return err
	}
	g.stats.tangents = true
	return g.attach(ctx, "TANGENT", tangents, 4)
}

// attach adds an attribute of all vertices and welds those that it leaves equal.
func (g *geometry) attach(ctx context.Context, name string, values []float32, width int) error {
	g.streams = append(g.streams, stream{name: name, target: base, accessor: made, data: gltf.FloatArray(values, width)})
	return g.weld(ctx)
}
