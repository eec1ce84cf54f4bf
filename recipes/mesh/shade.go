package mesh

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/assetcook/assetcook/internal/gltfcheck"
	"github.com/assetcook/assetcook/internal/mesh/model"
	"github.com/assetcook/assetcook/internal/mesh/tangent"
)

// A look is what the materials of a primitive ask of its geometry.
type look struct {
	unlit    bool   // all of them are
	unseen   bool   // nothing is drawn of it
	blend    bool   // one does
	must     bool   // tangents cannot be left to who draws it, as there is no normal map to make them by
	coords   uint64 // bits of the coordinates that textures have
	normalUV int    // number of the coordinates that tangents follow, -1 for none; see tangentSpace
}

// looks reads what all materials ask for.
func looks(doc *model.Document) ([]look, error) {
	materials, err := doc.Objects("materials")
	if err != nil {
		return nil, err
	}
	list := make([]look, len(materials))
	for i := range doc.Materials {
		m := &doc.Materials[i]
		list[i] = look{
			unlit:    extension(materials[i], extUnlit) != nil,
			blend:    m.AlphaMode == "BLEND",
			coords:   coordsOf(materials[i]),
			normalUV: -1,
		}
		if !list[i].unlit {
			list[i].normalUV = tangentSpace(materials[i])
			list[i].must = list[i].normalUV >= 0 && m.Normal == nil
		}
	}
	return list, nil
}

// tangentSpace returns the number of the coordinates along which tangents point: those of
// the normal map, or of what else asks for tangents; -1 if nothing does.
func tangentSpace(material model.Object) int {
	coat, err := model.ParseObject(orEmpty(extension(material, "KHR_materials_clearcoat")))
	if err != nil {
		return -1
	}
	anisotropy, err := model.ParseObject(orEmpty(extension(material, "KHR_materials_anisotropy")))
	if err != nil {
		return -1
	}
	for _, text := range []json.RawMessage{
		material.Member("normalTexture"), coat.Member("clearcoatNormalTexture"), anisotropy.Member("anisotropyTexture"),
	} {
		if text == nil {
			continue
		}
		texture, err := model.ParseObject(text)
		if err != nil {
			return -1
		}
		return texCoordOf(texture)
	}
	return -1
}

// lookOf returns what the material of a primitive and those of its variants ask for.
func lookOf(list []look, p *gltfcheck.Primitive, text model.Object) look {
	l := look{normalUV: -1}
	if p.Material != nil {
		l = list[*p.Material]
	}
	var variants struct {
		Mappings []struct {
			Material *int `json:"material"`
		} `json:"mappings"`
	}
	of := extension(text, extVariants)
	if of == nil || json.Unmarshal(of, &variants) != nil {
		return l
	}
	for _, m := range variants.Mappings {
		if m.Material == nil || *m.Material < 0 || *m.Material >= len(list) {
			continue
		}
		other := list[*m.Material]
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
	g.streams = append(g.streams, stream{name: name, target: base, accessor: made, data: model.FloatArray(values, width)})
	return g.weld(ctx)
}
