package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/pathname"
)

// How pictures of a 2D game look, as far as a sample of them shows: a game of sprites has
// few large pictures, and most can be seen through.
const (
	presetFewest = 8       // pictures, below which nothing can be said
	presetSample = 64      // pictures that are read
	presetSide   = 512     // pixels a side of a small one
	presetBytes  = 1 << 20 // of its file
)

// models are what games make models of and no recipe cooks; they are copied or left out.
var models = []string{".3ds", ".ac", ".b3d", ".blend", ".dae", ".fbx", ".iqm", ".md2", ".md3", ".md5mesh", ".ms3d", ".ply", ".spm", ".stl"}

// is2D reports whether what lies in a folder looks like a 2D game: pictures that are small
// and have alpha, no models, and none of the maps that only surfaces of models need.
func (s *sight) is2D(ctx context.Context, dir string) (bool, error) {
	pictures := s.pictures
	if len(pictures) < presetFewest || s.kinds["mesh"] != nil || s.kinds["gltf"] != nil {
		return false, nil
	}
	for _, k := range slices.Concat(s.copied, s.leftOut) {
		if slices.Contains(models, k.Name) {
			return false, nil
		}
	}
	for _, path := range pictures {
		switch role.OfPath(path).Role() {
		case role.Normal, role.Data, role.Height, role.Lightmap:
			return false, nil
		}
	}
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

// smallPicture reads a picture, nil if it is large or none. An error is that of the context.
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

// preset writes a rule for the pictures of a 2D game.
func (s *sight) preset(w io.Writer) {
	_, match := s.patterns("image")
	fmt.Fprintf(w, "\n# The pictures are those of a 2D game: small, most with alpha, and no models. If they are not,\n"+
		"# take this rule away; \"pixel\" is for pixel art, \"3d\" for textures of a scene.\n[[rule]]\nmatch  = %s\npreset = \"2d\"\n", match)
}

// note is a line about that rule in a cook.toml, "" if there is none.
func (s *sight) note(config string) string {
	if !s.flat {
		return ""
	}
	return fmt.Sprintf("the pictures look like those of a 2D game: %s has preset = \"2d\" for them\n", pathname.Show(config))
}
