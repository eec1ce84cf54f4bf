package image

import (
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
	root, ok := gltf.ParseUnchecked(text)
	if !ok {
		return
	}
	images, imagesErr := root.Objects("images")
	textures, texturesErr := root.Objects("textures")
	materials, materialsErr := root.List("materials")
	if imagesErr != nil || texturesErr != nil || materialsErr != nil {
		return
	}
	files := gltf.ExternalFiles(images)
	for i, text := range materials { // one after the other, to limit the memory
		m, err := gltf.ParseObject(text)
		if err != nil {
			continue
		}
		var name string
		if json.Unmarshal(m.Member("name"), &name) != nil || name == "" {
			name = strconv.Itoa(i)
		}
		gltf.EachImage(m, role.IsGLTFSlot, textures, len(images), func(slot string, image int) {
			u.addUse(files[image], slot, name, gltf.IsOpaque(m))
		})
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
