package setup

import (
	"context"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/engine"
	"github.com/assetcook/assetcook/cook/internal/likeness"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// A sight describes an asset directory before its first run.
type sight struct {
	cook.Observers

	recipes *recipeset.Set
	found   cook.Count
	// kinds counts sources by recipe and extension.
	kinds           map[string]map[string]int
	copied, leftOut []cook.Kind
	pictures        []string // sorted paths of the images for the recipe image
	engine          string
	flat            bool // whether the images belong to a 2D game
}

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

// sightTree examines an asset directory in a dry run.
func sightTree(ctx context.Context, list []recipe.Recipe, dir string) (*sight, error) {
	set, err := recipeset.New(list...)
	if err != nil {
		return nil, &cook.ConfigError{Err: err}
	}
	s := &sight{recipes: set, engine: engine.Any, kinds: map[string]map[string]int{}}
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

// These limits detect a 2D game from a sample of its images. A game with sprites has few large
// images, and most of its images are partly transparent.
const (
	presetFewest = 8       // minimum number of images
	presetSample = 64      // maximum number of images to read
	presetSide   = 512     // maximum width and height of a small image
	presetBytes  = 1 << 20 // maximum file size of a small image in bytes
	// sceneShare is the maximum number of images per model, or per texture for models, in a 3D
	// scene. If there are more images, the model may be a stray file.
	sceneShare = 20
	// texturedSizes is the number of distinct power-of-two image sizes that indicates textures of a
	// 3D scene. Many engines required such sizes.
	texturedSizes = 4
)

// models are extensions of models and levels in 3D engines that no recipe cooks. The list includes
// .stl, which is used by levels of SuperTux and by 3D printers.
var models = []string{
	".3d", ".3ds", ".ac", ".ase", ".b3d", ".blend", ".bsp", ".dae", ".dpm", ".fbx", ".g3d", ".iqm", ".lwo", ".md2", ".md3",
	".md5mesh", ".mdl", ".mesh", ".ms3d", ".osgb", ".ply", ".psk", ".spm", ".zym",
}

// fittingPreset returns the preset that suits the assets. It returns "3d" for a sufficient share of
// models or of textures for models, and "2d" for small images with alpha. Otherwise it returns "".
func (s *sight) fittingPreset(ctx context.Context, dir string) (string, error) {
	n := len(s.pictures)
	if n < presetFewest {
		return "", nil
	}
	if sceneShare*s.countModels() >= n || sceneShare*countMaps(s.pictures) >= n {
		return "3d", nil
	}
	flat, err := areSprites(ctx, dir, s.pictures)
	if !flat {
		return "", err
	}
	return "2d", err
}

func (s *sight) countModels() (n int) {
	for _, of := range []string{"mesh", "gltf"} {
		for _, sources := range s.kinds[of] {
			n += sources
		}
	}
	for _, k := range slices.Concat(s.copied, s.leftOut) {
		if slices.Contains(models, k.Name) {
			n += k.Files
		}
	}
	return n
}

// countMaps counts images whose names indicate textures for models.
func countMaps(pictures []string) (n int) {
	folders := map[string][]string{}
	for _, p := range pictures {
		folders[path.Dir(p)] = append(folders[path.Dir(p)], path.Base(p))
	}
	for folder, names := range folders {
		said := role.OfNeighbors(names)
		for _, name := range names {
			switch role.OfPath(path.Join(folder, name)).Settle(said[name]).Role() {
			case role.Normal, role.Data, role.Height, role.Lightmap:
				n++
			}
		}
	}
	return n
}

// areSprites reports whether a sample of images is small, has alpha, and has no typical texture
// sizes.
func areSprites(ctx context.Context, dir string, pictures []string) (bool, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false, err
	}
	defer root.Close()
	n := min(len(pictures), presetSample)
	small, clear, powers := 0, 0, 0
	sizes := map[[2]int]bool{}
	for i := range n {
		m, err := smallPicture(ctx, root, pictures[i*len(pictures)/n])
		if err != nil {
			return false, err
		}
		if m == nil {
			continue
		}
		small++
		sizes[[2]int{m.W, m.H}] = true
		if m.W&(m.W-1) == 0 && m.H&(m.H-1) == 0 {
			powers++
		}
		opaque, err := pixmap.Opaque(ctx, m)
		if err != nil {
			return false, err
		}
		if !opaque {
			clear++
		}
	}
	textures := 10*powers >= 9*small && len(sizes) >= texturedSizes
	return 4*small >= 3*n && 2*clear >= n && !textures, nil
}

// smallPicture reads an image. It returns nil if the image is large or damaged, and an error only
// if the context ends.
func smallPicture(ctx context.Context, root *os.Root, name string) (*pixmap.Map, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, ctx.Err()
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, presetBytes+1))
	if err != nil || len(data) > presetBytes {
		return nil, ctx.Err()
	}
	m, _, err := source.Decode(ctx, data, recipe.Ext(name), presetSide)
	if err != nil {
		return nil, ctx.Err()
	}
	return m, nil
}

// assetsOfLastRun returns the assets in the state of the last run.
func assetsOfLastRun(p *cook.Project) ([]survey.Asset, error) {
	out, err := survey.OutputFolder(p.Dir, p.Out)
	if err != nil {
		return nil, err
	}
	return survey.List(out)
}

// PresetOfFirst returns the preset that fits the images of a first run: "2d", "3d" or "". It
// ignores images with a preset in the rules, and images that do not become textures.
func PresetOfFirst(ctx context.Context, p *cook.Project, sum *cook.Summary) string {
	list, err := assetsOfLastRun(p)
	if err != nil {
		return ""
	}
	s := &sight{kinds: map[string]map[string]int{}, copied: sum.Copied, leftOut: sum.LeftOut}
	for i := range list {
		switch m := list[i].Method; m.Recipe {
		case "mesh", "gltf":
			if s.kinds[m.Recipe] == nil {
				s.kinds[m.Recipe] = map[string]int{}
			}
			s.kinds[m.Recipe][recipe.Ext(list[i].Path)]++
		case "image":
			if m.Options["preset"] == strconv.Quote("auto") && hasTexture(list[i].Outputs) {
				s.pictures = append(s.pictures, list[i].Path)
			}
		}
	}
	s.pictures = slices.Compact(s.pictures)
	looks, err := s.fittingPreset(ctx, p.Dir)
	if err != nil {
		return ""
	}
	return looks
}

func hasTexture(outputs []survey.Output) bool {
	return slices.ContainsFunc(outputs, func(o survey.Output) bool { return likeness.IsTexture(o.Path) })
}
