package image

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A use is a slot of a material whose texture is the source.
type use struct {
	model, slot, material string
	transparent           bool // alpha is transparency
}

// models matches the models of a directory. The source's directory and its parent are searched.
const models = "*.{gltf,glb,mtl}"

// asks reports whether the uses by materials affect the picture's role, alpha or metadata. 2D
// projects have no models.
func (o *Image) asks() bool {
	return o.Kind == "material" || !flat(o.Preset) && role.Parse(o.Kind).Treatment().Colors
}

// asksRole reports whether materials decide the role.
func (o *Image) asksRole() bool {
	return !o.transparent() && (o.Kind == "material" || o.Kind == "auto")
}

// askFiles implements Traits.Asks.
func (o *Image) askFiles(job *recipe.Job) error {
	if !o.asks() {
		return nil
	}
	_, err := usesOf(job)
	return err
}

// usesOf finds the uses of the source.
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

// parseUse parses a line of the extract.
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

// is returns how the material reads the picture.
func (u use) is() role.Slot {
	s := role.OfSlot(u.slot)
	if s.Alpha == role.Opacity && !u.transparent {
		s.Alpha = role.Ignored
	}
	return s
}

// A usage is the role in which materials use a picture, Unknown if that is not known.
type usage struct {
	role role.Role
	by   string // "material ... of ... names it as ..."
	bump bool   // a slot of OBJ that may hold heights too
	// number means that alpha is ignored or a number, not transparency; numberBy is the reason.
	number   bool
	numberBy string
	gltf     string // why the file's metadata is ignored, "" otherwise
	strange  string // the use by an unknown slot, if no known slot decides
}

// askMaterials finds out how materials of models use a picture. If they disagree, it is data,
// which changes no number. The uses of a picture made by another recipe are unknown.
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
	known := slices.DeleteFunc(slices.Clone(found), func(u use) bool { return u.is().Role == role.Unknown })
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
		job.Warn("taken for data: %s; a picture for each would suit both", by)
	}
	o.Kind = s.used.role.String() // decides how it is decoded
	return o.checkOptions()
}

// joinUses returns the combined use of a picture, the decisive use, and whether one texture suits
// all uses.
func joinUses(all []use) (slot role.Slot, by string, suits bool) {
	slot, by = all[0].is(), all[0].String()
	for _, u := range all[1:] {
		before := slot.Role
		joined, ok := slot.Join(u.is())
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
	return fmt.Sprintf("material %q of %s names it as %s", u.material, pathname.Show(u.model), u.slot)
}
