package setup

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// A sight is an asset directory as a first run would find it.
type sight struct {
	recipes *recipeset.Set
	found   cook.Count
	// kinds counts sources by recipe and extension.
	kinds           map[string]map[string]int
	copied, leftOut []cook.Kind
	pictures        []string // paths of the recipe image's sources, sorted
	engine          string   // the engine that loads the artifacts, "" for none
	flat            bool     // the images belong to a 2D game
}

func (s *sight) Stage(string)               {}
func (s *sight) Planned(int, time.Duration) {}
func (s *sight) Step(_, _, _ string)        {}
func (s *sight) Reading(_, _ int, _ int64)  {}
func (s *sight) Note(string)                {}

// Event counts a source.
func (s *sight) Event(e cook.Event) {
	if e.Recipe == "" || e.Recipe == recipeset.Fallback || e.Outcome == cook.Started || e.Outcome == cook.Warned {
		return
	}
	if s.kinds[e.Recipe] == nil {
		s.kinds[e.Recipe] = map[string]int{}
	}
	s.kinds[e.Recipe][recipe.Ext(e.Path)]++
	if e.Recipe == "image" {
		s.pictures = append(s.pictures, e.Path)
	}
}

// sightTree looks at an asset directory as a first run would.
func sightTree(ctx context.Context, list []recipe.Recipe, dir string) (*sight, error) {
	set, err := recipeset.New(list...)
	if err != nil {
		return nil, &cook.ConfigError{Err: err}
	}
	s := &sight{recipes: set, kinds: map[string]map[string]int{}}
	nowhere, err := os.MkdirTemp("", "cook-init-")
	if err != nil {
		return nil, err
	}
	defer busyfile.RemoveAll(nowhere)
	project := cook.Project{Dir: dir, Out: filepath.Join(nowhere, "out"), Cache: filepath.Join(nowhere, "store"), Recipes: list}
	summary, err := cook.Cook(ctx, project, cook.CookOptions{DryRun: true, EveryAsset: true, Observer: s})
	s.found, s.copied, s.leftOut = summary.Found, summary.Copied, summary.LeftOut
	if err == nil {
		slices.Sort(s.pictures)
		var looks string
		looks, err = s.fittingPreset(ctx, dir)
		s.flat = looks == "2d"
	}
	return s, err
}

// Limits of the sample that recognizes a 2D game: a game of sprites has few large images,
// and most of its images are transparent in places.
const (
	presetFewest = 8       // images; a smaller sample decides nothing
	presetSample = 64      // images to read
	presetSide   = 512     // longest side of a small image, in pixels
	presetBytes  = 1 << 20 // largest file of a small image
)

// models are extensions of model files that no recipe cooks. They are copied or left out.
var models = []string{".3ds", ".ac", ".b3d", ".blend", ".dae", ".fbx", ".iqm", ".md2", ".md3", ".md5mesh", ".ms3d", ".ply", ".spm", ".stl"}

// fittingPreset returns the preset that fits the assets: "3d" with models, or with maps that only the
// surfaces of models need, "2d" with small images that have alpha, "" if neither is clear.
func (s *sight) fittingPreset(ctx context.Context, dir string) (string, error) {
	if len(s.pictures) < presetFewest {
		return "", nil
	}
	if s.hasModels() || slices.ContainsFunc(s.pictures, isMap) {
		return "3d", nil
	}
	flat, err := areSprites(ctx, dir, s.pictures)
	if !flat {
		return "", err
	}
	return "2d", err
}

// hasModels reports whether there are models.
func (s *sight) hasModels() bool {
	return s.kinds["mesh"] != nil || s.kinds["gltf"] != nil ||
		slices.ContainsFunc(slices.Concat(s.copied, s.leftOut), func(k cook.Kind) bool { return slices.Contains(models, k.Name) })
}

// isMap reports whether an image is named like a map for the surface of a model.
func isMap(path string) bool {
	switch role.OfPath(path).Role() {
	case role.Normal, role.Data, role.Height, role.Lightmap:
		return true
	}
	return false
}

// areSprites reports whether the images of a sample are small and have alpha.
func areSprites(ctx context.Context, dir string, pictures []string) (bool, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false, err
	}
	defer root.Close()
	n := min(len(pictures), presetSample)
	small, clear := 0, 0
	for i := range n {
		m, err := smallPicture(ctx, root, pictures[i*len(pictures)/n])
		if err != nil {
			return false, err
		}
		if m == nil {
			continue
		}
		small++
		opaque, err := pixmap.Opaque(ctx, m)
		if err != nil {
			return false, err
		}
		if !opaque {
			clear++
		}
	}
	return 4*small >= 3*n && 2*clear >= n, nil
}

// smallPicture reads an image, nil if the image is large or damaged. The only error is that the
// context ended.
func smallPicture(ctx context.Context, root *os.Root, path string) (*pixmap.Map, error) {
	f, err := root.Open(path)
	if err != nil {
		return nil, ctx.Err()
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, presetBytes+1))
	if err != nil || len(data) > presetBytes {
		return nil, ctx.Err()
	}
	m, _, err := source.Decode(ctx, data, recipe.Ext(path), presetSide)
	if err != nil {
		return nil, ctx.Err()
	}
	return m, nil
}

// PresetOfFirst returns the preset that fits the images of a first run: "2d", "3d", or "" if
// neither is clear. Pictures with a preset in the rules do not count.
func PresetOfFirst(ctx context.Context, p *cook.Project, sum *cook.Summary) string {
	out, err := survey.OutputFolder(p.Dir, p.Out)
	if err != nil {
		return ""
	}
	list, err := survey.List(out)
	if err != nil {
		return ""
	}
	s := &sight{kinds: map[string]map[string]int{}, copied: sum.Copied, leftOut: sum.LeftOut}
	for i := range list {
		switch m := list[i].Method; m.Recipe {
		case "mesh", "gltf":
			s.kinds[m.Recipe] = map[string]int{}
		case "image":
			if m.Options["preset"] == strconv.Quote("auto") {
				s.pictures = append(s.pictures, list[i].Path)
			}
		}
	}
	s.pictures = slices.Compact(s.pictures) // one for each target
	looks, err := s.fittingPreset(ctx, p.Dir)
	if err != nil {
		return ""
	}
	return looks
}
