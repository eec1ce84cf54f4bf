package image

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A use is that a material has the source in a slot.
type use struct{ model, slot, material string }

// How many models of a folder are asked at most, each of which becomes a dependency: where
// options have materials decide, and where they are asked in doubt.
const (
	maxModels        = 64
	maxModelsInDoubt = 16
)

// usesOf finds the uses of the source in the models of its folder and of the one above.
func (s *subject) usesOf(job *recipe.Job, most int) (found []use, err error) {
	folders := []string{""}
	if job.InFolder() {
		folders = append(folders, "../")
	}
	for _, folder := range folders {
		models, err := job.Glob(folder + "*.{gltf,glb,mtl}")
		if err != nil {
			return nil, err
		}
		if len(models) > most {
			s.because("%d models are in %s: more than %d, so none is asked what the picture is for", len(models), folderName(folder), most)
			continue
		}
		for _, model := range models {
			lines, err := job.ReadExtract(model, materials.Name)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			for line := range strings.Lines(string(lines)) {
				if u, ok := parseUse(model, line); ok {
					found = append(found, u)
				}
			}
		}
	}
	return found, nil
}

func folderName(folder string) string {
	if folder == "" {
		return "its folder"
	}
	return "the folder above"
}

// parseUse reads a line of the extract.
func parseUse(model, line string) (u use, ok bool) {
	u.model = model
	for _, part := range []*string{new(string), &u.slot, &u.material} {
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

// askMaterials finds out how materials of at most so many models a folder use a picture.
// Where they disagree it is data, which changes no number; where none names it, it is as
// with auto.
func (s *subject) askMaterials(job *recipe.Job, most int) error {
	defer job.Step("read materials")()
	o := *s.o
	s.o, o.Kind = &o, "auto"
	if o.transparent() {
		return nil
	}
	found, err := s.usesOf(job, most)
	if err != nil {
		return err
	}
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

// askInDoubt asks materials about what would be taken for colors and may be numbers. What
// they say decides how it is decoded.
func (s *subject) askInDoubt(ctx context.Context, job *recipe.Job) error {
	e, err := s.evidence(ctx)
	if err != nil || !e.inDoubt() {
		return err
	}
	asked := &subject{o: s.o}
	if err := asked.askMaterials(job, maxModelsInDoubt); err != nil {
		return err
	}
	if asked.used.role.Treatment().Colors {
		s.used, s.reasons = asked.used, append(s.reasons, asked.reasons...)
		return nil
	}
	s.pictures = nil
	if err := asked.load(ctx, job); err != nil {
		return err
	}
	if err := asked.cut(ctx, job); err != nil {
		return err
	}
	*s = *asked
	return nil
}

func (u use) String() string {
	return fmt.Sprintf("material %q of %s names it as %s", u.material, pathname.Show(u.model), u.slot)
}
