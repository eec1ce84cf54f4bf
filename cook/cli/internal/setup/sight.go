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

// A sight describes an asset directory as a first run would find it.
type sight struct {
	cook.Observers

	recipes *recipeset.Set
	found   cook.Count
	// kinds counts sources by recipe and extension.
	kinds           map[string]map[string]int
	copied, leftOut []cook.Kind
	pictures        []string // paths of the recipe image's sources, sorted
	engine          string   // the engine that loads the artifacts
	flat            bool     // the images belong to a 2D game
}

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

// sightTree examines an asset directory as a first run would.
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

// These limits apply to the sample that detects a 2D game: a game with sprites has few large
// images, and most of its images are partly transparent.
const (
	presetFewest = 8       // minimum number of images; a smaller sample is inconclusive
	presetSample = 64      // number of images to read
	presetSide   = 512     // maximum side of a small image, in pixels
	presetBytes  = 1 << 20 // maximum file size of a small image
	// sceneShare is the minimum ratio of models, and of maps for the surfaces of models, to all
	// images in a 3D scene: one in 20. A lower ratio may come from a stray name or an image of
	// a model.
	sceneShare = 20
	// texturedSizes is the number of distinct sizes from which images with power-of-two sides
	// may be textures of a scene, because many engines required such sides.
	texturedSizes = 4
)

// models are extensions of models and levels of 3D engines that no recipe cooks. Their files
// are copied or left out. Levels of SuperTux are .stl files, as are models for 3D printers.
var models = []string{
	".3d", ".3ds", ".ac", ".ase", ".b3d", ".blend", ".bsp", ".dae", ".dpm", ".fbx", ".g3d", ".iqm", ".lwo", ".md2", ".md3",
	".md5mesh", ".mdl", ".mesh", ".ms3d", ".osgb", ".ply", ".psk", ".spm", ".zym",
}

// fittingPreset returns the preset that suits the assets: "3d" if a sufficient share are
// models, or maps that only surfaces of models need; "2d" if the images are small and have
// alpha; "" if neither is clear.
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

// countModels counts the models.
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

// countMaps counts images whose names indicate maps for the surfaces of models.
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

// areSprites reports whether the images in a sample are small, have alpha, and are unlikely to
// be textures.
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

// smallPicture reads an image. It returns nil if the image is large or damaged. The only error
// is the end of the context.
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

// assetsOfLastRun lists the assets of a project as its last run left them.
func assetsOfLastRun(p *cook.Project) ([]survey.Asset, error) {
	out, err := survey.OutputFolder(p.Dir, p.Out)
	if err != nil {
		return nil, err
	}
	return survey.List(out)
}

// PresetOfFirst returns the preset that fits the images of a first run: "2d", "3d", or "" if
// neither is clear. Images with a preset in the rules do not count, nor do images that become no
// textures.
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
	s.pictures = slices.Compact(s.pictures) // one entry for each target
	looks, err := s.fittingPreset(ctx, p.Dir)
	if err != nil {
		return ""
	}
	return looks
}

// hasTexture reports whether an output is a texture, which may have mipmaps.
func hasTexture(outputs []survey.Output) bool {
	return slices.ContainsFunc(outputs, func(o survey.Output) bool { return likeness.IsTexture(o.Path) })
}
