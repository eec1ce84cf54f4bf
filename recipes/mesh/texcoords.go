package mesh

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// repairTextures gives primitives that lack the coordinates of a material's texture a
// copy of the material without that texture: it could not be drawn, and glTF forbids it.
func (c *cooking) repairTextures() error {
	materials, err := c.doc.Objects("materials")
	if err != nil || len(materials) == 0 {
		return err
	}
	p := plainer{doc: c.doc, materials: materials, known: map[string]int{}, room: 1<<20 + 4*len(c.doc.Text)}
	for i := range c.primitives {
		for j := range c.primitives[i] {
			where := fmt.Sprintf("mesh %d primitive %d", i, j)
			if err := p.primitive(&c.doc.Meshes[i].Primitives[j], &c.primitives[i][j], &c.repairs, where); err != nil {
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
	known     map[string]int // copies by material and the coordinates that lack
	room      int            // bytes that copies may still take
}

// primitive replaces the materials of a primitive, and of its variants.
func (p *plainer) primitive(of *gltf.Primitive, text *gltf.Object, r *repairs, where string) error {
	if of.Material != nil {
		n, err := p.plain(int(*of.Material), of.Attributes)
		if err != nil {
			return err
		}
		if n != int(*of.Material) {
			r.noteRepair("a textured material on a primitive without the texture's coordinates, drawn without the texture", where, 1)
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
				n, err := p.plain(int(mappings[i].Material), of.Attributes)
				if err != nil {
					return err
				}
				if n != int(mappings[i].Material) {
					r.noteRepair("a textured material on a primitive without the texture's coordinates, drawn without the texture", where, 1)
					objects[i].SetInt("material", n)
					mappings[i].Material = int32(n)
				}
			}
			variants.SetObjects("mappings", objects)
			return nil
		})
	})
}

// plain returns the number of a material whose textures all have coordinates: the same
// one if it is such.
func (p *plainer) plain(material int, attributes map[string]int32) (int, error) {
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
		return 0, fmt.Errorf("too many materials with textures on primitives without their coordinates")
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

// withoutTextures returns a material, or a part of one, without the textures whose
// coordinates are not there.
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

// texCoordOf returns the coordinates of a texture.
func texCoordOf(texture gltf.Object) int {
	var info gltf.TextureInfo
	if json.Unmarshal(texture.Text(), &info) != nil {
		return 0 // the texture of an unknown extension
	}
	return info.Coordinates()
}
