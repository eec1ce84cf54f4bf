package image

import (
	"image/color"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// The names of neighboring files must decide the role if the image's own name is ambiguous. cook
// why must say so.
func TestNeighborsDecideTheRole(t *testing.T) {
	gray := encodePNG(t, gradient(80, 80))
	for _, tc := range []struct {
		path, beside string
		srgb         bool
		levels       int
		format       texture.Format
		why          string
	}{
		{"a/m_r.png", "m_l.png m_d.png", true, 7, texture.BC7, "role color: neither the path nor the pixels suggest another role: its name suggests data, but the directory has no other map of the same surface"},
		{"a/m_r.png", "m_n.png", false, 7, texture.BC7, "role data: its path suggests data, and the image is gray"},
		{"a/m_r.png", "m_n.txt", true, 7, texture.BC7, "the directory has no other map of the same surface"},
		{"a/n.png", "m.png l.png", true, 7, texture.BC7, "role color: neither the path nor the pixels suggest another role, as other names in the directory show"},
		{"earthbump.png", "earth.png", false, 7, texture.R8, "role height: its path says height, as other names in the directory show"},
		{"earthbump.png", "moon.png", true, 7, texture.BC7, "role color"},
		{"AO.png", "AD.png FR.png", true, 7, texture.BC7, "no other map"},
		{"AO.png", "Normal.png", false, 7, texture.BC7, "role data: its path says occlusion, as other names in the directory show"},
		{"gfx16/st_metal.png", "st_wood.png", true, 7, texture.BC7, "no other map"},
		{"move1.png", "fly1.png fly2.png", true, 1, texture.RGBA8, "role sprite: its path says sprite, as other names in the directory show"},
		{"fly1.png", "a1.png a2.png b.png c.png", true, 7, texture.RGBA8, "role color: neither the path nor the pixels suggest another role, as other names in the directory show"},
		{"boom_256.png", "boom_512.png", true, 7, texture.BC7, "role color: neither the path nor the pixels suggest another role: its number is a size or a tile"},
		{"terrain.png", "elev.png", true, 7, texture.BC7, "role color"},
	} {
		tree := fstest.MapFS{tc.path: {Data: gray}}
		for name := range strings.FieldsSeq(tc.beside) {
			tree[strings.TrimSuffix(tc.path, tc.path[strings.LastIndexByte(tc.path, '/')+1:])+name] = &fstest.MapFile{}
		}
		r := Recipe()
		o := options(func(o *Image) {
			o.Quality = "fast"
			if i := r.Hinted(tc.path); i >= 0 {
				o.Named = r.Hints[i].Value.(string)
			}
		})
		tex, res := cookTree(t, o, tree, tc.path)
		if res.Err != nil || tex.SRGB != tc.srgb || len(tex.Levels) != tc.levels || tex.Format != tc.format {
			t.Errorf("%s beside %s: sRGB %v, %d levels, %v, error %v", tc.path, tc.beside, tex.SRGB, len(tex.Levels), tex.Format, res.Err)
		}
		lines, _ := recipetest.Explain(t, r, o, tree, tc.path)
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, tc.why) }) {
			t.Errorf("%s beside %s: %q, want %q", tc.path, tc.beside, lines, tc.why)
		}
	}
}

// Gray images named by the letters of an alphabet must be colors, without a warning. A letter gives a
// warning if the directory may be a surface.
func TestLettersGiveWarningsOnlyBesideMaps(t *testing.T) {
	gray := encodePNG(t, gradient(20, 20))
	r := Recipe()
	for _, tc := range []struct {
		names string
		warn  bool
	}{
		{"a b c d e f g h i j k l m n o p q r s t u v w x y z", false},
		{"A B C D E F G H I J K L M N O P Q R S T U V W X Y Z", false},
		{"key_a key_b key_c key_d key_g key_m key_n", false},
		{"0 1 2 3 r s", false},
		{"x", false},
		{"normal small large", false},
		{"c f h m r t", true},
	} {
		tree := fstest.MapFS{}
		for name := range strings.FieldsSeq(tc.names) {
			tree[name+".png"] = &fstest.MapFile{Data: gray}
		}
		for path := range tree {
			o := options(func(o *Image) {
				o.Quality = "fast"
				if i := r.Hinted(path); i >= 0 {
					o.Named = r.Hints[i].Value.(string)
				}
			})
			tex, res := cookTree(t, o, tree, path)
			if res.Err != nil || !tex.SRGB || (len(res.Warned) > 0) != tc.warn {
				t.Errorf("%s in %s: sRGB %v, warnings %q, error %v", path, tc.names, tex.SRGB, res.Warned, res.Err)
			}
		}
	}
}

// Flat images beside an elevation map are codes. Their values must not change, and must not be
// averaged.
func TestCodesAreStoredAsTheyAre(t *testing.T) {
	codes := encodePNG(t, painted(700, 700, func(x, y int) color.NRGBA { return color.NRGBA{byte(x / 50), byte(y / 50), 7, 255} }))
	tex, res := cookTree(t, options(func(o *Image) { o.Quality = "fast" }), fstest.MapFS{"a/terrain.png": {Data: codes}, "a/elev.png": {}}, "a/terrain.png")
	if res.Err != nil || tex.SRGB || len(tex.Levels) != 1 || tex.Format != texture.RGBA8 {
		t.Errorf("sRGB %v, %d levels, %v, error %v", tex.SRGB, len(tex.Levels), tex.Format, res.Err)
	}
}

// If option kind, alpha or a clear name decides the role, the directory must not be read.
func TestNeighborsAreAskedOnlyIfTheyMatter(t *testing.T) {
	gray := encodePNG(t, gradient(40, 40))
	for _, set := range []func(*Image){
		func(o *Image) { o.Kind = "color" }, func(o *Image) { o.Premultiply = true }, func(o *Image) { o.Named = "ui" },
	} {
		_, res := cookTree(t, options(set, func(o *Image) { o.Quality = "fast" }), fstest.MapFS{"a.png": {Data: gray}}, "a.png")
		if res.Err != nil || slices.ContainsFunc(res.Deps, isNeighbors) {
			t.Errorf("dependencies %v, error %v", res.Deps, res.Err)
		}
	}
}
