package mesh

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/tangent"
)

// A look lists the attributes that the materials of a primitive need.
type look struct {
	unlit    bool   // whether all materials are unlit
	unseen   bool   // whether the primitive is never drawn
	blend    bool   // whether a material blends
	must     bool   // whether viewers cannot make tangents, because there is no normal map
	coords   uint64 // bit set of the texture coordinate sets in use
	normalUV int    // coordinate set for tangents; -1 for none
}

// readLooks reads the look of each material.
func readLooks(doc *gltf.Document) ([]look, error) {
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

// lookOf returns the combined look of a primitive's material and its variants.
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

// shadeGeometry makes missing normals. It makes missing tangents if the options ask for them or
// viewers cannot make them. Meshes with morph targets get no flat normals, because morphing would
// rotate them with the triangles. Viewers compute them instead. Collision meshes get no normals.
func (o *meshOptions) shadeGeometry(ctx context.Context, g *geometry, l look) error {
	if g.mode != triangles {
		return nil
	}
	if g.findStream("NORMAL") == nil && o.Normals != "none" && g.targets == 0 && !l.unlit && !l.unseen {
		if err := o.makeNormals(ctx, g); err != nil {
			return fmt.Errorf("normals: %w", err)
		}
	}
	uv := g.findStream(fmt.Sprintf("TEXCOORD_%d", l.normalUV))
	if (o.Tangents || l.must) && g.findStream("TANGENT") == nil && g.findStream("NORMAL") != nil && l.normalUV >= 0 && uv != nil && !l.unlit {
		if err := makeTangents(ctx, g, uv.name); err != nil {
			return fmt.Errorf("tangents: %w", err)
		}
	}
	return nil
}

func (o *meshOptions) makeNormals(ctx context.Context, g *geometry) error {
	// Tangents without normals must be ignored (glTF 2.0, section 3.7.2.1).
	for i := range g.streams {
		if s := &g.streams[i]; s.name == "TANGENT" && s.target == base {
			g.streams = append(g.streams[:i], g.streams[i+1:]...)
			break
		}
	}
	positions := g.findStream("POSITION").data.Floats()
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
	return g.attachAttribute(ctx, "NORMAL", normals, 3)
}

func makeTangents(ctx context.Context, g *geometry, uv string) error {
	tangents, err := tangent.Generate(ctx, g.indices, g.findStream("POSITION").data.Floats(),
		g.findStream("NORMAL").data.Floats(), g.findStream(uv).data.Floats())
	if err != nil {
		return err
	}
	// v points down in glTF and up in MikkTSpace.
	for i := 3; i < len(tangents); i += 4 {
		tangents[i] = -tangents[i]
	}
	if err := g.unroll(ctx); err != nil {
		return err
	}
	g.stats.tangents = true
	return g.attachAttribute(ctx, "TANGENT", tangents, 4)
}

// attachAttribute adds an attribute to all vertices, and then welds equal vertices.
func (g *geometry) attachAttribute(ctx context.Context, name string, values []float32, width int) error {
	g.streams = append(g.streams, stream{name: name, target: base, accessor: made, use: gltf.VertexData, data: gltf.FloatArray(values, width)})
	return g.weld(ctx)
}

// repairTextures handles primitives that lack the coordinates of a material's texture, which glTF
// forbids. It gives them a copy of the material without that texture. The texture could not be
// drawn anyway.
func (c *cooking) repairTextures() error {
	materials, err := c.doc.Objects("materials")
	if err != nil || len(materials) == 0 {
		return err
	}
	p := plainer{doc: c.doc, materials: materials, known: map[string]int{}, room: 1<<20 + 4*len(c.doc.Text)}
	for i := range c.primitives {
		for j := range c.primitives[i] {
			where := fmt.Sprintf("mesh %d primitive %d", i, j)
			if err := p.replaceMaterials(&c.doc.Meshes[i].Primitives[j], &c.primitives[i][j], &c.repairs, where); err != nil {
				return fmt.Errorf("%s: %w", where, err)
			}
		}
	}
	if len(p.materials) > len(materials) {
		c.doc.Root.SetObjects("materials", p.materials)
	}
	return nil
}

// A plainer makes copies of materials without some of their textures.
type plainer struct {
	doc       *gltf.Document
	materials []gltf.Object
	known     map[string]int // indexes of the copies, by material and missing coordinates
	room      int            // number of bytes that further copies may take
}

// replaceMaterials replaces the materials of a primitive, and of its variants.
func (p *plainer) replaceMaterials(of *gltf.Primitive, text *gltf.Object, r *repairs, where string) error {
	if of.Material != nil {
		n, err := p.withoutMissingCoords(int(*of.Material), of.Attributes)
		if err != nil {
			return err
		}
		if n != int(*of.Material) {
			r.noteRepair("a primitive with a textured material has no texture coordinates, so it is drawn without the texture; export the coordinates", where, 1)
			text.SetInt("material", n)
			number := int32(n)
			of.Material = &number
		}
	}
	mappings := of.Extensions.Variants.Mappings
	if len(mappings) == 0 {
		return nil
	}
	return text.Edit("extensions", func(extensions *gltf.Object) error {
		return extensions.Edit(extVariants, func(variants *gltf.Object) error {
			objects, err := variants.Objects("mappings")
			if err != nil {
				return err
			}
			for i := range mappings {
				n, err := p.withoutMissingCoords(int(mappings[i].Material), of.Attributes)
				if err != nil {
					return err
				}
				if n != int(mappings[i].Material) {
					r.noteRepair("a primitive with a textured material has no texture coordinates, so it is drawn without the texture; export the coordinates", where, 1)
					objects[i].SetInt("material", n)
					mappings[i].Material = int32(n)
				}
			}
			variants.SetObjects("mappings", objects)
			return nil
		})
	})
}

// withoutMissingCoords returns the index of a material whose textures all have coordinates in
// attributes. It returns the same index if no coordinates are missing.
func (p *plainer) withoutMissingCoords(material int, attributes map[string]int32) (int, error) {
	var lacks []string
	has := func(texCoord int) bool {
		name := fmt.Sprintf("TEXCOORD_%d", texCoord)
		if _, ok := attributes[name]; ok {
			return true
		}
		if !slices.Contains(lacks, name) {
			lacks = append(lacks, name)
		}
		return false
	}
	copied, err := withoutTextures(p.materials[material], has)
	if err != nil || len(lacks) == 0 {
		return material, err
	}
	key := fmt.Sprint(material, lacks)
	if n, ok := p.known[key]; ok {
		return n, nil
	}
	text := copied.Text()
	if p.room -= len(text); p.room < 0 {
		return 0, fmt.Errorf("too many textured materials are on primitives without texture coordinates; export the coordinates")
	}
	var parsed gltf.Material
	if err := json.Unmarshal(text, &parsed); err != nil {
		return 0, err
	}
	n := len(p.materials)
	p.materials = append(p.materials, copied)
	p.doc.Materials = append(p.doc.Materials, parsed)
	p.known[key] = n
	return n, nil
}

// withoutTextures returns a copy of a material, or of a part of a material. The copy lacks the
// textures whose coordinates are missing.
func withoutTextures(o gltf.Object, has func(texCoord int) bool) (gltf.Object, error) {
	kept := make(gltf.Object, 0, len(o))
	for _, m := range o {
		inner := m.Key == "pbrMetallicRoughness" || m.Key == "extensions" || strings.HasPrefix(m.Key, "KHR_materials_")
		if inner || strings.HasSuffix(m.Key, "Texture") && len(m.Value) > 0 && m.Value[0] == '{' {
			members, err := gltf.ParseObject(m.Value)
			if err != nil {
				return nil, err
			}
			if !inner {
				if members.Member("index") != nil && !has(texCoordOf(members)) {
					continue
				}
			} else {
				if members, err = withoutTextures(members, has); err != nil {
					return nil, err
				}
				m.Value = members.Text()
			}
		}
		kept = append(kept, m)
	}
	return kept, nil
}

// texCoordOf returns the coordinate set of a texture.
func texCoordOf(texture gltf.Object) int {
	var info gltf.TextureInfo
	if json.Unmarshal(texture.Text(), &info) != nil {
		return 0 // the texture info of an unknown extension
	}
	return info.Coordinates()
}
