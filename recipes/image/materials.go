package image

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Limits for reading a model's materials. Larger models are ignored.
const (
	maxMaterialsText = 16 << 20
	maxUses          = 4096
	maxUseName       = 512
)

// materials extracts the uses of images from models. Each use is a line with the quoted slot and
// material. The word "transparent" follows if the slot's alpha is transparency and the material is
// not opaque. The lines are sorted. The first bytes of a model determine its format.
var materials = recipe.Extract{Name: "materials", Version: 3, Of: usesIn}

// transparentUse is the optional third word of a line.
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
	return found.usesByPicture(), nil
}

// A place is a material slot that has an image.
type place struct {
	slot, material string
	transparent    bool
}

// uses are the places of images in a model.
type uses struct {
	of    map[string]map[place]bool
	count int
}

// addUse adds a use. opaque means that the material ignores its alpha.
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

func (u *uses) usesByPicture() recipe.Says {
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

// fromGLTF adds the uses in a document. A use is a texture index in a slot of a material or of its
// extensions (glTF 2.0, 5.19 to 5.22).
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
	for i, text := range materials { // one document is parsed at a time, to limit memory
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

// fromMTL adds the uses in a material library (Wavefront's MTL; norm, map_Pr and map_Pm are from
// PBR exporters). The name of a map is the last word of its line, after the options. If a file name
// has spaces, its last word matches no image. A material with d, Tr or map_d is transparent, as in
// the GLB that recipe mesh makes.
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

// A use is a material slot whose texture is the source.
type use struct {
	model, slot, material string
	transparent           bool // whether alpha is transparency
}

// models matches the models in a directory. The source's directory and its parent are searched.
const models = "*.{gltf,glb,mtl}"

// asks reports whether materials may affect the image's role, alpha or metadata. 2D projects have
// no models.
func (o *Image) asks() bool {
	return o.Kind == "material" || !isFlatPreset(o.Preset) && role.Parse(o.Kind).Treatment().Colors
}

// asksRole reports whether materials may set the role.
func (o *Image) asksRole() bool {
	return !o.transparent() && (o.Kind == "material" || o.Kind == "auto")
}

// askFiles implements Traits.Asks.
func (o *Image) askFiles(job *recipe.Job) error {
	if o.asksNeighbors() {
		if _, err := neighborsOf(job); err != nil {
			return err
		}
	}
	if !o.asks() {
		return nil
	}
	_, err := usesOf(job)
	return err
}

// usesOf returns the uses of the source in models.
func usesOf(job *recipe.Job) (found []use, err error) {
	for _, folder := range []string{"", "../"} {
		said, err := job.ReadExtracts(folder+models, materials.Name)
		if err != nil {
			return nil, err
		}
		for _, by := range said {
			for line := range strings.Lines(string(by.Text)) {
				if u, ok := parseUse(by.File, line); ok {
					found = append(found, u)
				}
			}
		}
	}
	return found, nil
}

// parseUse parses a line of the materials extract.
func parseUse(model, line string) (u use, ok bool) {
	u.model = model
	for _, part := range []*string{&u.slot, &u.material} {
		quoted, err := strconv.QuotedPrefix(line)
		if err != nil {
			return u, false
		}
		*part, _ = strconv.Unquote(quoted)
		line = strings.TrimPrefix(line[len(quoted):], " ")
	}
	u.transparent = strings.TrimSpace(line) == transparentUse
	return u, true
}

// readAs returns how the material interprets the image.
func (u use) readAs() role.Slot {
	s := role.OfSlot(u.slot)
	if s.Alpha == role.Opacity && !u.transparent {
		s.Alpha = role.Ignored
	}
	return s
}

// A usage is the role of an image according to materials. The role may be Unknown.
type usage struct {
	role role.Role
	by   string // a clause such as "material ... of ... names it as ..."
	bump bool   // whether the slot is an OBJ slot that may also hold heights
	// number means that alpha is ignored, or is a value other than transparency. numberBy is the
	// reason.
	number   bool
	numberBy string
	gltf     string // the reason to ignore the file's metadata; "" if it is used
	strange  string // description of a use in an unknown slot; "" if a slot is known
}

// askMaterials finds out how materials of models use an image. If they disagree, the role is data,
// which changes no values. An image made by another recipe has no known uses.
func (s *subject) askMaterials(_ context.Context, job *recipe.Job) error {
	if !s.o.asks() {
		return nil
	}
	found, err := usesOf(job)
	if err != nil && !(s.o.Kind != "material" && errors.Is(err, errors.ErrUnsupported)) {
		return err
	}
	o := *s.o
	if s.o = &o; o.asksRole() {
		o.Kind = "auto"
	}
	if i := slices.IndexFunc(found, func(u use) bool { return role.IsGLTFSlot(u.slot) }); i >= 0 {
		s.used.gltf = found[i].String()
	}
	known := slices.DeleteFunc(slices.Clone(found), func(u use) bool { return u.readAs().Role == role.Unknown })
	if len(known) == 0 {
		if len(found) > 0 {
			s.used.strange = found[0].String()
		}
		return nil
	}
	slot, by, suits := joinUses(known)
	if slot.Alpha != role.Opacity {
		s.used.number, s.used.numberBy = true, by
	}
	if !s.o.asksRole() {
		return nil
	}
	s.used.role, s.used.by = slot.Role, by
	s.used.bump = suits && strings.HasSuffix(strings.ToLower(known[0].slot), "bump")
	if !suits {
		job.Warn("treated as data: %s; use a separate image for each use", by)
	}
	o.Kind = s.used.role.String() // the kind affects how the file is decoded
	return o.checkOptions()
}

// joinUses combines all uses of an image. It returns the combined slot, the use that determined it,
// and whether one texture suits all uses.
func joinUses(all []use) (slot role.Slot, by string, suits bool) {
	slot, by = all[0].readAs(), all[0].String()
	for _, u := range all[1:] {
		before := slot.Role
		joined, ok := slot.Join(u.readAs())
		if !ok {
			return joined, fmt.Sprintf("%s, but %s", by, u), false
		}
		if slot = joined; slot.Role != before {
			by = fmt.Sprintf("%s, and %s", u, by)
		}
	}
	return slot, by, true
}

func (u use) String() string {
	return fmt.Sprintf("material %q of %s uses it as %s", u.material, pathname.Show(u.model), u.slot)
}
