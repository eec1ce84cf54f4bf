package mesh

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/gltfcheck"
	"github.com/assetcook/assetcook/internal/mesh/model"
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
		c.doc.SetObjects("materials", p.materials)
	}
	return nil
}

// A plainer makes copies of materials without some of their textures.
type plainer struct {
	doc       *model.Document
	materials []model.Object
	known     map[string]int // copies by material and the coordinates that lack
	room      int            // bytes that copies may still take
}

// primitive replaces the materials of a primitive, and of its variants.
func (p *plainer) primitive(of *gltfcheck.Primitive, text *model.Object, r *repairs, where string) error {
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
	variants, err := model.ParseObject(orEmpty(extension(*text, extVariants)))
	if err != nil || variants.Member("mappings") == nil {
		return err
	}
	mappings, err := model.ParseList(variants.Member("mappings"))
	if err != nil {
		return err
	}
	for i := range mappings {
		m, err := model.ParseObject(mappings[i])
		if err != nil {
			return err
		}
		var material int
		if json.Unmarshal(m.Member("material"), &material) != nil || material < 0 || material >= len(p.doc.Materials) {
			continue
		}
		n, err := p.plain(material, of.Attributes)
		if err != nil {
			return err
		}
		if n != material {
			r.noteRepair("a textured material on a primitive without the texture's coordinates, drawn without the texture", where, 1)
			m.SetInt("material", n)
			mappings[i] = m.Text()
		}
	}
	variants.Set("mappings", model.ListText(mappings))
	extensions, err := model.ParseObject(text.Member("extensions"))
	if err != nil {
		return err
	}
	extensions.Set(extVariants, variants.Text())
	text.Set("extensions", extensions.Text())
	return nil
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
	var parsed gltfcheck.Material
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
func withoutTextures(o model.Object, has func(texCoord int) bool) (model.Object, error) {
	kept := make(model.Object, 0, len(o))
	for _, m := range o {
		inner := m.Key == "pbrMetallicRoughness" || m.Key == "extensions" || strings.HasPrefix(m.Key, "KHR_materials_")
		if inner || strings.HasSuffix(m.Key, "Texture") && len(m.Value) > 0 && m.Value[0] == '{' {
			members, err := model.ParseObject(m.Value)
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

// texCoordOf returns the number of a texture's coordinates, which KHR_texture_transform
// may replace.
func texCoordOf(texture model.Object) int {
	n := 0
	for _, text := range []json.RawMessage{texture.Member("texCoord"), transformOf(texture)} {
		if text != nil {
			json.Unmarshal(text, &n) // has been checked
		}
	}
	return n
}

func transformOf(texture model.Object) json.RawMessage {
	transform, err := model.ParseObject(orEmpty(extension(texture, extTransform)))
	if err != nil {
		return nil
	}
	return transform.Member("texCoord")
}
