package image

import (
	"bytes"
	"fmt"
	stdimage "image"
	"image/color"
	"image/jpeg"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// Rules must override materials, materials must override names, and names must override pixels. But
// pixels that contradict a name override it.
func TestStrongestEvidenceDecidesTheRole(t *testing.T) {
	normal := pixmap.Content{Opaque: true, Colors: 65, Gray: 0.1, Vectors: pixmap.Vectors{Unit: 1, Near: 1}}
	poor := pixmap.Content{Opaque: true, Colors: 65, Vectors: pixmap.Vectors{Unit: 0.4, Near: 0.9}}
	gray := pixmap.Content{Opaque: true, Colors: 65, Gray: 1, One: "rrr1"}
	tinted := pixmap.Content{Opaque: true, Colors: 65, Gray: 0.7}
	photo := pixmap.Content{Opaque: true, Colors: 65, Gray: 0.2}
	for _, tc := range []struct {
		rule, material string
		name           role.Name
		preset         string
		content        pixmap.Content
		want           role.Role
		conflict       string
	}{
		{rule: "height", material: "normal", name: role.Colors, content: normal, want: role.Height},
		{material: "data", name: role.Packed, content: photo, want: role.Data},
		{material: "color", name: role.Nameless, content: normal, want: role.Color},
		{material: "normal", name: role.Nameless, content: poor, want: role.Normal},
		{material: "normal", name: role.Normals, content: photo, want: role.Data, conflict: "materials use it as normal, but only 0 %"},
		{material: "data", name: role.Colors, content: photo, want: role.Data, conflict: "materials use it as data, but its path says color"},
		{material: "color", name: role.UIs, content: photo, want: role.Color},
		{name: role.Nameless, content: normal, want: role.Normal},
		{name: role.Nameless, content: poor, want: role.Color},
		{name: role.Nameless, content: gray, want: role.Color},
		{name: role.Normals, content: normal, want: role.Normal},
		{name: role.DirectX, content: poor, want: role.Normal},
		{name: role.Normals, content: photo, want: role.Color, conflict: "its path says normal map, but only 0 %"},
		{name: role.PerhapsNormal, content: poor, want: role.Normal},
		{name: role.PerhapsNormal, content: photo, want: role.Color},
		{name: role.Packed, content: photo, want: role.Data},
		{name: role.Packed, content: normal, want: role.Data},
		{name: role.Occlusion, content: tinted, want: role.Data},
		{name: role.Occlusion, content: photo, want: role.Color, conflict: "its path says occlusion, but only 20 %"},
		{name: role.PerhapsData, content: gray, want: role.Data},
		{name: role.PerhapsData, content: tinted, want: role.Color},
		{name: role.PerhapsData, content: pixmap.Content{Opaque: true, Gray: 0.95}, want: role.Color, conflict: "its path suggests data, but only 95 %"},
		{name: role.PerhapsData, content: pixmap.Content{Opaque: true, Blue: true}, want: role.Data},
		{name: role.PerhapsData, content: pixmap.Content{Gray: 1}, want: role.Color},
		{name: role.PerhapsData, content: pixmap.Content{Opaque: true, Colors: 1}, want: role.Color, conflict: "its path suggests data, but all pixels are equal"},
		{name: role.Letter, content: gray, want: role.Color, conflict: "the image may be data, but its name is one letter"},
		{name: role.Letter, content: gray, material: "height", want: role.Height},
		{name: role.Letter, content: gray, preset: "2d", want: role.Color},
		{name: role.Letter, content: pixmap.Content{Opaque: true, Apart: true}, want: role.Color, conflict: "the image may be data, but its name is one letter"},
		{name: role.Letter, content: pixmap.Content{Gray: 1}, want: role.Color},
		{name: role.Masked, content: photo, want: role.Mask, conflict: "its path says mask, but the image looks like colors"},
		{name: role.Masked, content: gray, want: role.Mask},
		{name: role.Masked, content: pixmap.Content{Opaque: true, Red: 1}, want: role.Mask},
		{name: role.Masked, content: pixmap.Content{Opaque: true, Apart: true}, want: role.Mask},
		{name: role.Heights, content: pixmap.Content{Gray: 0.8}, want: role.Color, conflict: "its path says height, but the image is neither gray nor opaque"},
		{name: role.Heights, content: pixmap.Content{Gray: 1}, want: role.Height},
		{name: role.Heights, content: photo, want: role.Height},
		{name: role.Letter, content: tinted, want: role.Color},
		{name: role.Letter, content: normal, want: role.Normal},
		{name: role.PerhapsNormal, content: pixmap.Content{Opaque: true, Vectors: pixmap.Vectors{Near: 0.45}}, want: role.Color, conflict: "its path says normal map, but only 45 %"},
		{name: role.PerhapsData, content: normal, want: role.Normal},
		{name: role.Heights, content: gray, want: role.Height},
		{name: role.Heights, content: normal, want: role.Normal},
		{name: role.Colors, content: photo, want: role.Color},
		{name: role.Colors, content: normal, want: role.Color, conflict: "its path says colors, but 100 %"},
		{name: role.UIs, content: photo, want: role.UI},
		{name: role.UIs, content: normal, want: role.Normal, conflict: "its path says ui, but its pixels are a normal map"},
		{name: role.Sprites, content: photo, want: role.Sprite},
		{name: role.Sprites, preset: "3d", content: photo, want: role.Color},
		{name: role.Sprites, preset: "3d", content: normal, want: role.Normal},
		{name: role.Numbered, content: photo, want: role.Color},
		{name: role.Numbered, content: normal, want: role.Normal},
		{name: role.LUTs, content: normal, want: role.LUT},
		{name: role.Lightmaps, content: normal, want: role.Lightmap},
		{name: role.Lightmaps, content: pixmap.Content{Vectors: pixmap.Vectors{Sphere: 0.9}}, want: role.Data},
		{name: role.Codes, content: pixmap.Content{Flat: 0.9}, want: role.LUT},
		{name: role.Codes, content: photo, want: role.Color},
		{name: role.Codes, content: normal, want: role.Normal},
		{name: role.PerhapsMap, content: gray, want: role.Color},
		{name: role.Animations, content: photo, want: role.Sprite},
		{name: role.Animations, preset: "3d", content: photo, want: role.Color},
		{name: role.Environments, content: normal, want: role.Environment},
		{name: role.Fonts, content: gray, want: role.Font},
	} {
		if tc.rule == "" {
			tc.rule = "auto"
		}
		v := evidence{rule: tc.rule, used: usage{role: role.Parse(tc.material), by: "materials use it as " + tc.material}, name: tc.name, preset: tc.preset, content: tc.content}.verdictOf()
		if v.role != tc.want || v.reason == "" || (v.conflict != "") != (tc.conflict != "") || !strings.HasPrefix(v.conflict, tc.conflict) {
			t.Errorf("%+v: %+v", tc, v)
		}
	}
}

// Every role must be a possible kind in a rule, and must be treated as its Treatment says.
func TestRolesAreKinds(t *testing.T) {
	for r := role.Color; r <= role.Font; r++ {
		o := options(func(o *Image) { o.Kind = r.String() })
		if err := o.checkOptions(); err != nil || o.likelyRole() != r {
			t.Errorf("%v: %v, error %v", r, o.likelyRole(), err)
		}
		tex := cook(t, o, "a.png", encodePNG(t, gradient(40, 40)))
		if want := r.Treatment(); tex.SRGB != want.Colors || (len(tex.Levels) > 1) != want.Mips || (want.Exact && tex.Format != texture.RGBA8) {
			t.Errorf("%v: %v, sRGB %v, %d levels; want %+v", r, tex.Format, tex.SRGB, len(tex.Levels), want)
		}
	}
	if role.Parse("auto") != role.Unknown || role.Parse("x") != role.Unknown {
		t.Error("ParseName accepts an unknown word")
	}
}

// gradient draws an opaque gray image with more values than pixel art has.
func gradient(w, h int) *stdimage.NRGBA {
	return painted(w, h, func(x, y int) color.NRGBA { v := byte(x*3 + y*3); return color.NRGBA{v, v, v, 255} })
}

// A number such as 256 in a name may be a size or a UDIM tile. It counts as a frame if other images
// of the same name have numbers that are neither a size nor a tile. Then all frames must have the
// same format.
func TestFramesWhoseNumberMayBeASize(t *testing.T) {
	few := encodePNG(t, painted(150, 120, func(x, y int) color.NRGBA { return color.NRGBA{byte(x / 50 * 60), byte(y / 40 * 60), 9, 255} }))
	rich := encodePNG(t, scene(150, 120))
	tree := fstest.MapFS{"a/wall_256.png": {Data: few}, "a/wall_512.png": {Data: few}, "tile/w.1001.png": {Data: few}, "tile/w.1002.png": {Data: few}}
	for _, i := range []int{127, 128, 129, 130, 999, 1000, 1001, 1002, 1023, 1024} {
		tree[fmt.Sprintf("a/boom_%d.png", i)] = &fstest.MapFile{Data: few}
	}
	tree["a/boom_130.png"].Data = rich
	frame, still := texture.BC7, texture.RGBA8
	for path, want := range map[string]texture.Format{
		"a/boom_127.png": frame, "a/boom_128.png": frame, "a/boom_129.png": frame, "a/boom_130.png": frame,
		"a/boom_1000.png": frame, "a/boom_1001.png": frame, "a/boom_1024.png": frame,
		"a/wall_256.png": still, "a/wall_512.png": still, "tile/w.1001.png": still, "tile/w.1002.png": still,
	} {
		r := Recipe()
		o := options(func(o *Image) { o.Named, o.Quality = r.Hints[r.Hinted(path)].Value.(string), "fast" })
		tex, res := cookTree(t, o, tree, path)
		if res.Err != nil {
			t.Fatal(res.Err)
		}
		if tex.Format != want {
			t.Errorf("%s: %v, want %v", path, tex.Format, want)
		}
	}
}

func TestTablesAreStoredWithoutLoss(t *testing.T) {
	m := nrgba(17*17, 17)
	noise(m.Pix)
	tex := cook(t, options(func(o *Image) { o.Named = "lut" }), "a.png", encodePNG(t, m))
	if tex.Format != texture.RGBA8 || tex.SRGB || len(tex.Levels) != 1 || !bytes.Equal(tex.Levels[0], m.Pix) {
		t.Errorf("%v, sRGB %v, %d levels", tex.Format, tex.SRGB, len(tex.Levels))
	}
	deep := stdimage.NewNRGBA64(stdimage.Rect(0, 0, 64, 8))
	for i := range deep.Pix {
		deep.Pix[i] = byte(i)
	}
	if tex := cook(t, options(func(o *Image) { o.Named = "lut" }), "a.png", encodePNG(t, deep)); tex.Format != texture.RGBA16 || len(tex.Levels) != 1 {
		t.Errorf("sixteen bits: %v, %d levels", tex.Format, len(tex.Levels))
	}
}

// Gray and red images from JPEG must be stored as one channel, but color images must not.
func TestMasksOfJPEG(t *testing.T) {
	file := func(paint func(v byte) color.NRGBA) []byte {
		m := painted(64, 64, func(x, y int) color.NRGBA { return paint(byte(128 + 60*((x/16+y/16)%2) + x)) })
		var b bytes.Buffer
		if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 75}); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	tint := file(func(v byte) color.NRGBA { return color.NRGBA{v, v, v - 3, 255} })
	red := file(func(v byte) color.NRGBA { return color.NRGBA{v, 0, 0, 255} })
	photo := file(func(v byte) color.NRGBA { return color.NRGBA{v, 255 - v, 80, 255} })
	for _, tc := range []struct {
		name, named, kind, swizzle, why string
		file                            []byte
		format                          texture.Format
	}{
		{"gray by rule", "none", "mask", "rrr1", "only brightness is stored", tint, texture.BC4},
		{"gray by name", "mask", "auto", "rrr1", "only brightness is stored", tint, texture.BC4},
		{"height by name", "height", "auto", "rrr1", "only brightness is stored", tint, texture.R8},
		{"red by rule", "none", "mask", "", "red is stored", red, texture.BC4},
		{"several by name", "mask", "auto", "", "role mask", photo, texture.BC7},
		{"several by rule", "none", "mask", "", "", photo, 0},
	} {
		o := options(func(o *Image) { o.Kind, o.Named = tc.kind, tc.named })
		tree := fstest.MapFS{"a.jpg": {Data: tc.file}}
		tex, res := cookTree(t, o, tree, "a.jpg")
		if tc.format == 0 {
			if res.Err == nil || !strings.Contains(res.Err.Error(), "more than one channel") {
				t.Errorf("%s: error %v", tc.name, res.Err)
			}
			continue
		}
		if res.Err != nil || tex.Format != tc.format || tex.Swizzle != tc.swizzle || tex.SRGB {
			t.Errorf("%s: %+v, error %v", tc.name, tex, res.Err)
			continue
		}
		if why := strings.Join(explain(t, o, tree, "a.jpg"), "\n"); !strings.Contains(why, tc.why) {
			t.Errorf("%s: %s", tc.name, why)
		}
	}
}

// Green must be flipped if the name states the other direction.
func TestGreenOfNormalsIsFlippedByName(t *testing.T) {
	m := bumps(64, 64, true)
	tree := fstest.MapFS{"a.png": {Data: encodePNG(t, m)}}
	for _, tc := range []struct {
		named, normals string
		turned         bool
		why            string
	}{
		{"normal-directx", "opengl", true, `green is inverted, because the file name says directx, but normals = "opengl"`},
		{"normal-opengl", "directx", true, "green is inverted, because the file name says opengl"},
		{"normal-directx", "directx", false, "role normal"},
		{"normal-opengl", "opengl", false, "role normal"},
		{"normal-directx", "keep", false, "green points down, as the file name says"},
		{"normal", "opengl", false, "role normal"},
		{"none", "directx", false, "role normal"},
	} {
		o := options(func(o *Image) { o.Named, o.Normals, o.Format = tc.named, tc.normals, "rgba8" })
		tex, res := cookTree(t, o, tree, "a.png")
		if res.Err != nil {
			t.Fatal(res.Err)
		}
		for i, v := range tex.Levels[0] {
			want := m.Pix[i]
			if tc.turned && i%4 == 1 {
				want = 255 - want
			}
			if v != want {
				t.Errorf("%s, normals %s: byte %d is %d, want %d", tc.named, tc.normals, i, v, want)
				break
			}
		}
		if why := strings.Join(explain(t, o, tree, "a.png"), "\n"); !strings.Contains(why, tc.why) {
			t.Errorf("%s, normals %s: %s", tc.named, tc.normals, why)
		}
	}
}

func TestContradictingNameGivesWarning(t *testing.T) {
	tree := fstest.MapFS{"a.png": {Data: encodePNG(t, opaque(scene(64, 64)))}}
	for named, want := range map[string]string{"normal": "set kind in a rule", "occlusion": `set kind = "data" in a rule`, "perhaps-normal": "", "color": "", "ui": ""} {
		_, res := cookTree(t, options(func(o *Image) { o.Named, o.Quality = named, "fast" }), tree, "a.png")
		if got := strings.Join(res.Warned, "\n"); res.Err != nil || (got != "") != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%s: warnings %q, error %v; want %q", named, got, res.Err, want)
		}
	}
}

// Options that treat alpha as transparency must override the name, even while the file is read.
func TestTransparencyIsColor(t *testing.T) {
	for _, set := range []func(*Image){func(o *Image) { o.Premultiply = true }, func(o *Image) { o.Coverage = 0.5 }, func(o *Image) { o.WeighAlpha = true }} {
		o := options(set, func(o *Image) { o.Named, o.Quality = "mask", "fast" })
		if tex := cook(t, o, "a.png", encodePNG(t, scene(60, 60))); !tex.SRGB || len(tex.Levels) != 6 || !o.mayBeSRGB() {
			t.Errorf("sRGB %v, %d levels, read as colors %v", tex.SRGB, len(tex.Levels), o.mayBeSRGB())
		}
	}
}

// The hint for a path must set the role that package role finds in the path.
func TestHintsAreWordsOfTheOption(t *testing.T) {
	r := Recipe()
	for path, want := range map[string]string{
		"wall_orm.png": "data", "wall_NormalDX_4K.png": "normal-directx", "ui/close.png": "ui", "wall_n.tga": "perhaps-normal", "a/wall_spec.png": "perhaps-data", "a/wall_r.png": "perhaps-map",
	} {
		if i := r.Hinted(path); r.Hints[i].Value != want {
			t.Errorf("%s: %v, want %s", path, r.Hints[i].Value, want)
		}
	}
	if i := r.Hinted("wall.png"); i != -1 {
		t.Errorf("a plain name: hint %d", i)
	}
}
