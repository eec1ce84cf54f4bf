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
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A use is that a material has the source in a slot.
type use struct{ model, slot, material string }

// maxModels is how many models of a folder are asked at most: each is a dependency.
const maxModels = 64

// usesOf finds the uses of the source in the models of its folder and of the one above.
func (s *subject) usesOf(job *recipe.Job) (found []use, err error) {
	folders := []string{""}
	if job.InFolder() {
		folders = append(folders, "../")
	}
	for _, folder := range folders {
		models, err := job.Glob(folder + "*.{gltf,glb,mtl}")
		if err != nil {
			return nil, err
		}
		if len(models) > maxModels {
			s.because("%d models are in %s: more than %d, so none is asked what the picture is for", len(models), folderName(folder), maxModels)
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

// roleOfSlot is the kind of picture that a slot holds; other slots say nothing. Those of glTF
// are of its specification, 3.9, and of the extensions that the Khronos Group has ratified.
var roleOfSlot = map[string]string{
	"baseColorTexture": "color", "emissiveTexture": "color", "diffuseTexture": "color", "sheenColorTexture": "color",
	"specularColorTexture": "color", "specularGlossinessTexture": "color", "diffuseTransmissionColorTexture": "color",
	"normalTexture": "normal", "clearcoatNormalTexture": "normal",
	"metallicRoughnessTexture": "data", "occlusionTexture": "data", "clearcoatTexture": "data", "clearcoatRoughnessTexture": "data",
	"transmissionTexture": "data", "thicknessTexture": "data", "specularTexture": "data", "sheenRoughnessTexture": "data",
	"iridescenceTexture": "data", "iridescenceThicknessTexture": "data", "anisotropyTexture": "data", "diffuseTransmissionTexture": "data",

	"map_Kd": "color", "map_Ks": "color", "map_Ke": "color", "map_Ka": "color",
	"norm": "normal", "map_Bump": "normal", "map_bump": "normal", "bump": "normal",
	"map_Pr": "data", "map_Pm": "data", "map_Ns": "data", "map_d": "data", "disp": "data",
}

// askMaterials finds out the kind of a picture whose option says that materials decide. Where
// they disagree it is data, which changes no number; where none names it, it is as with auto.
func (s *subject) askMaterials(_ context.Context, job *recipe.Job) error {
	if s.o.Kind != "material" {
		return nil
	}
	o := *s.o
	s.o, o.Kind = &o, "auto"
	if o.Premultiply || o.Coverage > 0 || o.WeighAlpha {
		return nil // the options say that alpha is transparency
	}
	found, err := s.usesOf(job)
	if err != nil {
		return err
	}
	found = slices.DeleteFunc(found, func(u use) bool { return roleOfSlot[u.slot] == "" })
	if len(found) == 0 {
		s.because("no material of a model in its folder or in the one above names it")
		return nil
	}
	s.use, o.Kind = &found[0], roleOfSlot[found[0].slot]
	for _, u := range found[1:] {
		if roleOfSlot[u.slot] != o.Kind {
			o.Kind = "data"
			s.because("kind data: %s, but %s", s.use, u)
			job.Warn("kind data: %s, but %s; a picture for each would suit both", s.use, u)
			return nil
		}
	}
	if o.Kind != "normal" { // whose content has a say
		s.because("kind %s: %s", o.Kind, s.use)
	}
	return o.Check()
}

// normalByUse returns what a picture of some content is that a material uses as a normal map.
func (s *subject) normalByUse(job *recipe.Job, c pixmap.Content) string {
	s.reasons = s.reasons[:len(s.reasons)-1] // of kindOf, which speaks of the name
	switch {
	case s.kind == "normal":
		s.because("kind normal: %s", s.use)
		return "normal"
	case strings.HasSuffix(strings.ToLower(s.use.slot), "bump"): // mostly of heights
		s.because("kind data: %s, and it holds no unit vectors", s.use)
	default:
		s.because("kind data: %s, but it holds no unit vectors", s.use)
		job.Warn("kind data: %s, but only %.4g %% of its pixels are nearly unit vectors", s.use, 100*c.Near)
	}
	return "data"
}

func (u use) String() string {
	return fmt.Sprintf("material %q of %s names it as %s", u.material, pathname.Show(u.model), u.slot)
}
