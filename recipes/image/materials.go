package image

import (
	"bytes"
	"encoding/json"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// Limits for reading a model's materials. Larger models are ignored.
const (
	maxMaterialsText = 16 << 20
	maxUses          = 4096
	maxUseName       = 512
)

// materials extracts the uses of pictures from models. Each use is a line with the quoted slot and
// material, and the word transparent if the slot's alpha is transparency and the material is not
// opaque. The lines are sorted. The first bytes of a model decide its format.
var materials = recipe.Extract{Name: "materials", Version: 3, Of: usesIn}

// transparentUse is the third word of such a line.
const transparentUse = "transparent"

func usesIn(file io.ReaderAt, size int64) (recipe.Says, error) {
	text, isGLB, err := gltf.ReadText(file, size, maxMaterialsText)
	if text == nil {
		return nil, err
	}
	found := uses{of: map[string]map[place]bool{}}
	if isGLB || gltf.IsJSON(text) {
		found.fromGLTF(text)
	} else {
		found.fromMTL(text)
	}
	return found.says(), nil
}

// A place is a slot of a material that has a picture.
type place struct {
	slot, material string
	transparent    bool
}

// uses are the places of pictures in a model.
type uses struct {
	of    map[string]map[place]bool
	count int
}

// addUse adds a use. opaque means that the material ignores the alpha of its colors.
func (u *uses) addUse(picture, slot, material string, opaque bool) {
	if picture == "" || len(picture)+len(slot)+len(material) > maxUseName {
		return
	}
	picture, at := path.Clean(picture), place{slot, material, !opaque && role.OfSlot(slot).Alpha == role.Opacity}
	if u.of[picture] == nil {
		u.of[picture] = map[place]bool{}
	}
	if !u.of[picture][at] {
		u.of[picture][at] = true
		u.count++
	}
}

func (u *uses) says() recipe.Says {
	if u.count > maxUses {
		return nil
	}
	says := recipe.Says{}
	for picture, places := range u.of {
		var lines []string
		for at := range places {
			line := strconv.Quote(at.slot) + " " + strconv.Quote(at.material)
			if at.transparent {
				line += " " + transparentUse
			}
			lines = append(lines, line+"\n")
		}
		slices.Sort(lines)
		says[picture] = []byte(strings.Join(lines, ""))
	}
	return says
}

// fromGLTF adds the uses of a document: each slot of a material or its extensions with the index
// of a texture (glTF 2.0, 5.19 to 5.22).
func (u *uses) fromGLTF(text []byte) {
	var doc struct {
		Images []struct {
			URI *string `json:"uri"`
		} `json:"images"`
		Textures []struct {
			Source     *int `json:"source"`
			Extensions map[string]struct {
				Source *int `json:"source"`
			} `json:"extensions"`
		} `json:"textures"`
		Materials []json.RawMessage `json:"materials"` // one after the other, to limit the memory
	}
	if json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &doc) != nil {
		return
	}
	opaque := false
	use := func(source *int, slot, material string) {
		if source == nil || *source < 0 || *source >= len(doc.Images) {
			return
		}
		if uri := doc.Images[*source].URI; uri != nil && !gltf.IsDataURI(*uri) {
			if name, err := gltf.FileOfURI(*uri); err == nil {
				u.addUse(name, slot, material, opaque)
			}
		}
	}
	var visit func(members map[string]json.RawMessage, material string, depth int)
	visit = func(members map[string]json.RawMessage, material string, depth int) {
		for key, value := range members {
			if key == "extras" || depth > 3 { // material, extensions, one of them
				continue
			}
			var child map[string]json.RawMessage
			if json.Unmarshal(value, &child) != nil {
				continue
			}
			var index struct {
				Index *int `json:"index"`
			}
			if !role.IsGLTFSlot(key) || json.Unmarshal(value, &index) != nil || index.Index == nil {
				visit(child, material, depth+1)
				continue
			}
			if i := *index.Index; i >= 0 && i < len(doc.Textures) {
				use(doc.Textures[i].Source, key, material)
				for _, e := range doc.Textures[i].Extensions {
					use(e.Source, key, material)
				}
			}
		}
	}
	for i, text := range doc.Materials {
		var m map[string]json.RawMessage
		var name, mode string
		if json.Unmarshal(text, &m) != nil {
			continue
		}
		opaque = m["alphaMode"] == nil || json.Unmarshal(m["alphaMode"], &mode) == nil && mode == "OPAQUE"
		if json.Unmarshal(m["name"], &name) != nil || name == "" {
			name = strconv.Itoa(i)
		}
		visit(m, name, 0)
	}
}

// fromMTL adds the uses of a material library. The name of a map is the last word of its line,
// behind the options (Wavefront's MTL; norm, map_Pr and map_Pm are from PBR exporters). If a name
// has spaces, its last word names no picture. A material with d, Tr or map_d is transparent, as
// in the GLB of the recipe mesh.
func (u *uses) fromMTL(text []byte) {
	type use struct{ picture, slot string }
	var material string
	var of []use
	opaque := true
	end := func() {
		for _, x := range of {
			u.addUse(x.picture, x.slot, material, opaque)
		}
		of, opaque = of[:0], true
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		last := words[len(words)-1]
		switch words[0] {
		case "newmtl":
			end()
			material = strings.Join(words[1:], " ")
		case "d", "Tr":
			x, err := strconv.ParseFloat(last, 64)
			opaque = opaque && (err != nil || (words[0] == "d" && x >= 1) || (words[0] == "Tr" && x <= 0))
		case "map_d":
			opaque = false
		}
		if role.OfSlot(words[0]).Role != role.Unknown && len(of) <= maxUses {
			of = append(of, use{strings.ReplaceAll(last, `\`, "/"), words[0]})
		}
	}
	end()
}
