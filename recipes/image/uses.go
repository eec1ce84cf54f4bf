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

// A use is that a material has the source in a slot.
type use struct{ model, slot, material string }

// models are the files that are asked: those of the folder, and of the one above.
const models = "*.{gltf,glb,mtl}"

// asks reports whether materials are asked what the picture is for. Games that are flat have no
// models.
func (o *Image) asks() bool {
	return !o.transparent() && (o.Kind == "material" || o.Kind == "auto" && !flat(o.Preset))
}

// Asks implements recipe.Asker.
func (o *Image) Asks(job *recipe.Job) error {
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

// parseUse reads a line of the extract.
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
	return u, true
}

// A usage is the role in which materials use a picture, Unknown if that is not known.
type usage struct {
	role role.Role
	by   string // "material ... of ... names it as ..."
	bump bool   // a slot of OBJ that holds heights as well
}

// askMaterials finds out how materials of models use a picture. Where they disagree it is data,
// which changes no number. A picture that another recipe made cannot be asked about.
func (s *subject) askMaterials(_ context.Context, job *recipe.Job) error {
	if !s.o.asks() {
		return nil
	}
	found, err := usesOf(job)
	if err != nil && !(s.o.Kind == "auto" && errors.Is(err, errors.ErrUnsupported)) {
		return err
	}
	o := *s.o
	s.o, o.Kind = &o, "auto"
	found = slices.DeleteFunc(found, func(u use) bool { return role.OfSlot(u.slot) == role.Unknown })
	if len(found) == 0 {
		return nil
	}
	first := found[0]
	s.used = usage{role.OfSlot(first.slot), first.String(), strings.HasSuffix(strings.ToLower(first.slot), "bump")}
	for _, u := range found[1:] {
		if role.OfSlot(u.slot) != s.used.role {
			s.used = usage{role: role.Data, by: fmt.Sprintf("%s, but %s", first, u)}
			job.Warn("taken for data: %s; a picture for each would suit both", s.used.by)
			break
		}
	}
	o.Kind = s.used.role.String() // it is decoded as that
	return o.Check()
}

func (u use) String() string {
	return fmt.Sprintf("material %q of %s names it as %s", u.material, pathname.Show(u.model), u.slot)
}
