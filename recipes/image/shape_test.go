package image

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	stdimage "image"
	"image/jpeg"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/google/go-cmp/cmp"
)

func TestOptionsChangePixels(t *testing.T) {
	m := nrgba(2, 1, 0, 0, 0, 255, 255, 255, 255, 255)
	faint := nrgba(2, 1, 200, 100, 0, 128, 10, 20, 30, 255)
	leaf := nrgba(4, 1, 9, 9, 9, 200, 9, 9, 9, 200, 9, 9, 9, 0, 9, 9, 9, 200)
	for _, tc := range []struct {
		name string
		pic  []byte
		set  func(*Image)
		want [][]byte
	}{
		{"nothing", encodePNG(t, m), func(*Image) {}, [][]byte{m.Pix, {188, 188, 188, 255}}},
		{"linear light", encodePNG(t, m), func(o *Image) { o.SRGB = false }, [][]byte{m.Pix, {128, 128, 128, 255}}},
		{"one level", encodePNG(t, m), func(o *Image) { o.Mips = "false" }, [][]byte{m.Pix}},
		{"not packed", encodePNG(t, m), func(o *Image) { o.Zstd = 0 }, [][]byte{m.Pix, {188, 188, 188, 255}}},
		{"packed hard", encodePNG(t, m), func(o *Image) { o.Zstd = 19 }, [][]byte{m.Pix, {188, 188, 188, 255}}},
		{"alpha weighs", encodePNG(t, faint), func(o *Image) { o.SRGB = false }, [][]byte{faint.Pix, {73, 47, 20, 192}}},
		{"data does not", encodePNG(t, faint), func(o *Image) { o.Kind = "data" }, [][]byte{faint.Pix, {105, 60, 15, 192}}},
		{"premultiplied", encodePNG(t, faint), func(o *Image) { o.SRGB, o.Premultiply = false, true },
			[][]byte{{100, 50, 0, 128, 10, 20, 30, 255}, {55, 35, 15, 192}}},
		{"swizzled", encodePNG(t, faint), func(o *Image) { o.Mips, o.R, o.G, o.B, o.A = "false", "g", "1-r", "0", "1" },
			[][]byte{{100, 55, 0, 255, 20, 245, 0, 255}}},
		{"flipped", encodePNG(t, faint), func(o *Image) { o.Mips, o.Flip = "false", "x" }, [][]byte{append(bytes.Clone(faint.Pix[4:8]), faint.Pix[:4]...)}},
		{"fit", encodePNG(t, m), func(o *Image) { o.Fit = 1 }, [][]byte{{188, 188, 188, 255}}},
		{"coverage", encodePNG(t, leaf), func(o *Image) { o.Coverage = 0.6 }, [][]byte{leaf.Pix, {9, 9, 9, 200, 9, 9, 9, 100}, {9, 9, 9, 153}}},
		{"no coverage", encodePNG(t, leaf), func(*Image) {}, [][]byte{leaf.Pix, {9, 9, 9, 200, 9, 9, 9, 100}, {9, 9, 9, 150}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tex := cook(t, options(plain, tc.set), "a.png", tc.pic)
			if d := cmp.Diff(tc.want, tex.Levels); d != "" {
				t.Error(d)
			}
			if want := tc.name == "premultiplied"; tex.Premultiplied != want {
				t.Errorf("premultiplied: %v", tex.Premultiplied)
			}
		})
	}
}

// Each combination of filter and wrapping must give different levels, but filter box ignores
// wrapping.
func TestFilterAndWrapAffectTheLevels(t *testing.T) {
	m := nrgba(16, 16)
	noise(m.Pix)
	seen := map[string]string{}
	for _, filter := range []string{"box", "kaiser", "mitchell"} {
		for _, wrap := range []string{"clamp", "repeat", "repeat-x", "repeat-y"} {
			tex := cook(t, options(plain, func(o *Image) { o.Filter, o.Wrap = filter, wrap }), "a.png", encodePNG(t, m))
			level, name := string(tex.Levels[1]), filter+" "+wrap
			if filter == "box" {
				name = "box" // this filter does not reach across edges
			}
			if other, ok := seen[level]; ok && other != name {
				t.Errorf("%s and %s give the same level", name, other)
			}
			seen[level] = name
		}
	}
	if len(seen) != 9 {
		t.Errorf("%d different levels, want 9", len(seen))
	}
}

func TestTextureHasTheSizeOfTheOptions(t *testing.T) {
	for _, tc := range []struct {
		w, h         int
		set          func(*Image)
		wantW, wantH int
	}{
		{100, 60, func(*Image) {}, 100, 60},
		{100, 60, func(o *Image) { o.Fit = 50 }, 50, 30},
		{100, 60, func(o *Image) { o.Fit = 200 }, 100, 60},
		{100, 60, func(o *Image) { o.POT = "up" }, 128, 64},
		{100, 60, func(o *Image) { o.POT = "down" }, 64, 32},
		{100, 60, func(o *Image) { o.POT = "nearest" }, 128, 64},
		{90, 40, func(o *Image) { o.POT = "nearest" }, 64, 32},
		{601, 581, func(o *Image) { o.POT = "4" }, 604, 584},
		{600, 4, func(o *Image) { o.POT = "4" }, 600, 4},
		{601, 581, func(o *Image) { o.POT, o.Fit = "4", 302 }, 300, 292},
		{100, 60, func(o *Image) { o.POT, o.Fit = "up", 100 }, 64, 64},
		{128, 64, func(o *Image) { o.POT, o.Fit = "require", 32 }, 32, 16},
	} {
		tex := cook(t, options(plain, tc.set), "a.png", encodePNG(t, scene(tc.w, tc.h)))
		if tex.W != tc.wantW || tex.H != tc.wantH {
			t.Errorf("%d x %d became %d x %d, want %d x %d", tc.w, tc.h, tex.W, tex.H, tc.wantW, tc.wantH)
		}
	}
}

// solid returns an image file of one color. The value of red distinguishes such files.
func solid(t testing.TB, w, h int, red byte) *fstest.MapFile {
	m := nrgba(w, h)
	for i := 0; i < len(m.Pix); i += 4 {
		copy(m.Pix[i:], []byte{red, 1, 2, 255})
	}
	return &fstest.MapFile{Data: encodePNG(t, m)}
}

func TestLayersAndFacesAreReadFromFiles(t *testing.T) {
	tree := fstest.MapFS{"d/cross.png": &fstest.MapFile{Data: encodePNG(t, scene(16, 12))}}
	for i, name := range []string{"px", "nx", "py", "ny", "pz", "nz"} {
		tree["d/"+name+".png"] = solid(t, 4, 4, byte(10*i))
	}
	tree["d/sphere.png"] = solid(t, 16, 8, 77)
	others := []string{"nx.png", "py.png", "/d/ny.png", "../d/pz.png", "nz.png"}
	for _, tc := range []struct {
		name, source string
		set          func(*Image)
		cube         bool
		layers       int
		reds         []byte // red of the first pixel in each image; nil if it is not checked
		deps         int
	}{
		{"one", "d/py.png", func(*Image) {}, false, 0, []byte{20}, 0},
		{"five faces", "d/px.png", func(o *Image) { o.Cube, o.Faces = "faces", others }, true, 0, []byte{0, 10, 20, 30, 40, 50}, 5},
		{"six faces", "d/px.png", func(o *Image) { o.Cube, o.Faces = "faces", append(reversed(others), "px.png") }, true, 0, []byte{50, 40, 30, 20, 10, 0}, 5},
		{"layers", "d/pz.png", func(o *Image) { o.Layers = []string{"nx.png", "nx.png", "px.png"} }, false, 4, []byte{40, 10, 10, 0}, 2},
		{"cross", "d/cross.png", func(o *Image) { o.Cube = "cross" }, true, 0, []byte{32, 0, 16, 16, 16, 48}, 0},
		{"sphere", "d/sphere.png", func(o *Image) { o.Cube = "equirect" }, true, 0, []byte{77, 77, 77, 77, 77, 77}, 0},
		{"crosses", "d/cross.png", func(o *Image) { o.Cube, o.Layers = "cross", []string{"cross.png"} }, true, 2, []byte{32, 0, 16, 16, 16, 48, 32, 0, 16, 16, 16, 48}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, container := range []string{"ktx2", "dds"} {
				tex, res := cookTree(t, options(plain, tc.set, func(o *Image) { o.Container = container }), tree, tc.source)
				if res.Err != nil {
					t.Fatal(res.Err)
				}
				if tex.Cube != tc.cube || tex.Layers != tc.layers || tex.W != 4 || len(picturesOf(res.Deps)) != tc.deps || len(tex.Levels) != 3 {
					t.Fatalf("cube %v, %d layers, %d x %d, %d levels, deps %v", tex.Cube, tex.Layers, tex.W, tex.H, len(tex.Levels), res.Deps)
				}
				var reds []byte
				for i := 0; i < len(tex.Levels[0]); i += 4 * 4 * 4 {
					reds = append(reds, tex.Levels[0][i])
				}
				if d := cmp.Diff(tc.reds, reds); d != "" {
					t.Error(d)
				}
			}
		})
	}
}

// picturesOf returns the dependencies on files, without extracts of models.
func picturesOf(deps []recipe.Dep) []recipe.Dep {
	return slices.DeleteFunc(deps, func(d recipe.Dep) bool { return d.On.Kind != dependency.File })
}

func reversed(list []string) []string {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// Channels may come from other images, even with another bit depth.
func TestChannelsOfOtherPicturesArePacked(t *testing.T) {
	tree := fstest.MapFS{
		"m/base.png":  solid(t, 3, 2, 50),
		"m/rough.png": solid(t, 3, 2, 200),
		"metal.hdr":   {Data: radiance(3, 2)},
	}
	o := options(plain, func(o *Image) {
		o.Mips, o.SRGB = "false", false
		o.G, o.B, o.A = "rough.png:1-r", "../metal.hdr:g", "rough.png:g"
	})
	tex, res := cookTree(t, o, tree, "m/base.png")
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	if d := cmp.Diff([]byte{50, 55, 32, 1, 50, 55, 64, 1}, tex.Levels[0][:8]); d != "" {
		t.Error(d)
	}
	want := []recipe.Dep{{Name: "../metal.hdr", On: recipe.Dependency{Path: "metal.hdr"}, Found: true}, {Name: "rough.png", On: recipe.Dependency{Path: "m/rough.png"}, Found: true}}
	if d := cmp.Diff(want, picturesOf(res.Deps)); d != "" {
		t.Error(d)
	}
}

// Other images must exist and have the source's size.
func TestOtherPicturesMustFitTheSource(t *testing.T) {
	large := append(bytes.Clone(solid(t, 4, 4, 1).Data), make([]byte, 2<<20)...)
	tree := fstest.MapFS{
		"a.png": solid(t, 4, 4, 1), "small.png": solid(t, 4, 2, 1), "text.png": {Data: []byte("no picture")},
		"large.png": {Data: large},
	}
	for _, tc := range []struct{ name, want string }{
		{"none.png", "none.png: "}, {"small.png", "small.png: the image has 4 x 2 pixels, but the source has 4 x 4"},
		{"text.png", "text.png: the file is not a PNG"}, {"large.png", "bytes, but next to this source at most"}, {"../a.png", "outside the asset tree"},
	} {
		for _, set := range []func(*Image){
			func(o *Image) { o.Layers = []string{tc.name} },
			func(o *Image) { o.G = tc.name + ":r" },
			func(o *Image) { o.Cube, o.Faces = "faces", []string{"a.png", "a.png", "a.png", "a.png", tc.name} },
		} {
			_, res := cookTree(t, options(set), tree, "a.png")
			if res.Err == nil || !strings.Contains(res.Err.Error(), tc.want) {
				t.Errorf("%s: error %v, want %q", tc.name, res.Err, tc.want)
			}
			if tc.name == "none.png" && (!errors.Is(res.Err, fs.ErrNotExist) || len(res.Deps) != 3 || res.Deps[2].Found) { // the first two dependencies are the names of neighboring files and the extracts of models
				t.Errorf("%s: error %v, deps %v", tc.name, res.Err, res.Deps)
			}
		}
	}
}

// Estimate, Cook and Lint must refuse the same sizes.
func TestImpossibleShapeIsRefusedEarly(t *testing.T) {
	for _, tc := range []struct {
		w, h int
		set  func(*Image)
		want string
	}{
		{5, 4, func(o *Image) { o.POT = "require" }, "must be powers of two"},
		{12, 9, func(o *Image) { o.POT, o.Cube = "require", "cross" }, "3 x 3 pixels, but its sides must be powers of two"},
		{5, 4, func(o *Image) { o.Cube = "cross" }, "want a cross"},
		{12, 6, func(o *Image) { o.POT, o.Cube = "require", "equirect" }, "3 x 3 pixels, but its sides must be powers of two"},
		{5, 4, func(o *Image) { o.Cube = "equirect" }, "the image has 5 x 4 pixels, but an equirectangular image must be twice as wide as high"},
		{5, 4, func(o *Image) { o.Cube, o.Faces = "faces", []string{"a", "b", "c", "d", "e"} }, "must be square"},
		{5, 4, func(o *Image) { o.MaxSize = 4 }, "max_size"},
	} {
		data := encodePNG(t, scene(tc.w, tc.h))
		o := options(tc.set)
		_, early := o.estimateMemory(data, int64(len(data)))
		tree := fstest.MapFS{"a.png": {Data: data}}
		for _, name := range o.Faces {
			tree[name] = tree["a.png"]
		}
		_, res := cookTree(t, o, tree, "a.png")
		if early == nil || res.Err == nil || !strings.Contains(early.Error(), tc.want) || early.Error() != res.Err.Error() {
			t.Errorf("Estimate returns %v, Cook %v, want %q", early, res.Err, tc.want)
		}
		if lines := o.lintPicture("a.png", data, int64(len(data))); len(lines) != 1 || !strings.Contains(lines[0], tc.want) {
			t.Errorf("Lint returns %q, want %q", lines, tc.want)
		}
	}
	fine := encodePNG(t, scene(8, 8))
	if lines := options(func(o *Image) { o.POT = "require" }).lintPicture("a.png", fine, int64(len(fine))); lines != nil {
		t.Errorf("Lint returns %q for a good picture", lines)
	}
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, scene(9, 9), nil); err != nil {
		t.Fatal(err)
	}
	junk := slices.Insert(photo.Bytes(), bytes.Index(photo.Bytes(), []byte{0xff, 0xc0}), 0, 0, 0)
	if lines := options().lintPicture("a.jpg", junk, int64(len(junk))); len(lines) != 1 || !strings.Contains(lines[0], "3 extra bytes between segments") {
		t.Errorf("%q", lines)
	}
	if lines := options().lintPicture("a.png", []byte("no picture"), 10); lines != nil {
		t.Errorf("Lint returns %q for a file that is not a picture", lines)
	}
}

func TestCompressedCubeIsDescribedByBothContainers(t *testing.T) {
	tex := cook(t, options(func(o *Image) { o.Cube, o.Kind, o.Format, o.Quality = "cross", "color", "bc7", "fast" }), "a.png", encodePNG(t, scene(64, 48)))
	if err := tex.Check(); err != nil || tex.Format != texture.BC7 || !tex.Cube || len(tex.Levels[0]) != 6*16*16 {
		t.Errorf("error %v, %v, cube %v, %d bytes", err, tex.Format, tex.Cube, len(tex.Levels[0]))
	}
}

func TestLayoutFollowsTheOptions(t *testing.T) {
	for _, tc := range []struct {
		w, h int
		set  func(*Image)
		want layout
	}{
		{20, 10, func(*Image) {}, layout{w: 20, h: 10, tw: 20, th: 10, pictures: 1}},
		{40, 30, func(o *Image) { o.Cube, o.POT = "cross", "down" }, layout{w: 10, h: 10, tw: 8, th: 8, pictures: 6}},
		{40, 20, func(o *Image) { o.Cube, o.Fit = "equirect", 4 }, layout{w: 10, h: 10, tw: 4, th: 4, pictures: 6}},
		{40, 30, func(o *Image) { o.Cube, o.Layers = "cross", []string{"b"} }, layout{w: 10, h: 10, tw: 10, th: 10, pictures: 12, beside: 1, assembles: true}},
		{4, 4, func(o *Image) { o.Cube, o.Faces = "faces", make([]string, 5) }, layout{w: 4, h: 4, tw: 4, th: 4, pictures: 6, beside: 5, assembles: true}},
		{4, 4, func(o *Image) { o.G = "1-g" }, layout{w: 4, h: 4, tw: 4, th: 4, pictures: 1, assembles: true}},
		{4, 4, func(o *Image) { o.R, o.G, o.B, o.A = "b:r", "b:g", "c:r", "0" }, layout{w: 4, h: 4, tw: 4, th: 4, pictures: 1, beside: 2, assembles: true}},
	} {
		got, err := options(tc.set).layoutFor(tc.w, tc.h)
		if err != nil || got != tc.want {
			t.Errorf("%d x %d: %+v, error %v; want %+v", tc.w, tc.h, got, err, tc.want)
		}
	}
}

// Layers may have fewer bits than the source, without loss, but not more.
func TestLayersMayBeLessDeepThanTheSource(t *testing.T) {
	wide := stdimage.NewNRGBA64(stdimage.Rect(0, 0, 4, 4))
	for i := range wide.Pix {
		wide.Pix[i] = byte(0x80 - i%2) // each value is 0x807f
	}
	tree := fstest.MapFS{"wide.png": {Data: encodePNG(t, wide)}, "a.png": solid(t, 4, 4, 255)}
	o := options(func(o *Image) { o.Kind, o.Layers = "data", []string{"wide.png"} })
	if _, res := cookTree(t, o, tree, "a.png"); res.Err == nil || !strings.Contains(res.Err.Error(), "wide.png: the image has more bits per channel than the source") {
		t.Errorf("error %v", res.Err)
	}
	tex, res := cookTree(t, options(func(o *Image) {
		o.Format, o.Kind, o.Layers = "rgb10a2", "data", []string{"a.png"}
	}), tree, "wide.png")
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	pixels := [2]uint16{}
	for i := range pixels {
		at := tex.Levels[0][4*4*4*i:]
		pixels[i] = uint16(at[0]) | uint16(at[1])<<8&0x3ff
	}
	// 0x807f is 513.49 of 1023. Rounded to 8 bits first, it would be 513.51.
	if d := cmp.Diff([2]uint16{513, 1023}, pixels); d != "" {
		t.Error(d)
	}
}

func TestLayersAreSwizzled(t *testing.T) {
	two := fstest.MapFile{Data: encodePNG(t, nrgba(1, 1, 10, 20, 30, 255))}
	tree := fstest.MapFS{"a.png": &two, "b.png": &two, "c.png": &two}
	tex, res := cookTree(t, options(plain, func(o *Image) {
		o.R, o.G, o.B, o.Layers = "b", "1-g", "r", []string{"b.png", "c.png"}
	}), tree, "a.png")
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	if want := bytes.Repeat([]byte{30, 235, 10, 255}, 3); !bytes.Equal(tex.Levels[0], want) {
		t.Errorf("texels %v, want %v", tex.Levels[0], want)
	}
}

// Cubes for the web must be UASTC at every size, because loaders read faces of no other format.
func TestCubesForTheWebAreUASTC(t *testing.T) {
	file := encodePNG(t, scene(16, 12))
	for preset, exact := range map[string]string{"auto": "", "2d": "rgba8", "pixel": "rgba8"} {
		for _, cube := range []string{"none", "cross"} {
			o := options(func(o *Image) { o.GPU, o.Preset, o.Cube = "web", preset, cube })
			said := strings.Join(explain(t, o, fstest.MapFS{"a.png": {Data: file}}, "a.png"), "\n")
			want := "format uastc"
			if cube == "none" && exact != "" {
				want = "format " + exact
			}
			if !strings.Contains(said, want) {
				t.Errorf("preset %s, cube %s: %s, want %s", preset, cube, said, want)
			}
		}
	}
}

// A flipped cube must be mirrored as a whole, so that its faces still meet.
func TestFacesOfFlippedCubeStillMeet(t *testing.T) {
	pix := make([]byte, 0, 6*4)
	for face := range 6 {
		pix = append(pix, byte(face), 0, 0, 255)
	}
	tree := fstest.MapFS{"a.png": {Data: encodePNG(t, nrgba(6, 1, pix...))}}
	for flip, want := range map[string][]byte{"none": {0, 1, 2, 3, 4, 5}, "x": {1, 0, 2, 3, 4, 5}, "y": {0, 1, 3, 2, 4, 5}, "xy": {1, 0, 3, 2, 4, 5}} {
		tex, res := cookTree(t, options(plain, func(o *Image) { o.Cube, o.Flip = "cross", flip }), tree, "a.png")
		if res.Err != nil {
			t.Fatal(res.Err)
		}
		for i, face := range want {
			if got := tex.Levels[0][4*i]; got != face {
				t.Errorf("flip %s: face %d is %d, want %d", flip, i, got, face)
			}
		}
	}
}

func TestGammaAffectsOnlyColors(t *testing.T) {
	file := encodePNG(t, nrgba(1, 1, 128, 64, 0, 255))
	const afterHeader = 8 + 12 + 13
	chunk := append([]byte("gAMA"), 0, 1, 0x86, 0xa0) // a gamma of 1.0, which is linear light
	file = slices.Insert(file, afterHeader, slices.Concat([]byte{0, 0, 0, 4}, chunk, binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(chunk)))...)
	for _, tc := range []struct {
		set  func(*Image)
		want []byte
	}{
		{func(*Image) {}, []byte{188, 137, 0, 255}},
		{func(o *Image) { o.Kind = "data" }, []byte{128, 64, 0, 255}},
		{func(o *Image) { o.SRGB = false }, []byte{128, 64, 0, 255}},
	} {
		o := options(plain, tc.set)
		if d := cmp.Diff(tc.want, cook(t, o, "a.png", file).Levels[0]); d != "" {
			t.Error(d)
		}
		why := strings.Join(explain(t, o, fstest.MapFS{"a.png": {Data: file}}, "a.png"), "\n")
		if want := tc.want[0] == 188; strings.Contains(why, "gamma of 1.00000 was applied") != want {
			t.Errorf("reasons %q", why)
		}
	}
}

func TestZstdMakesFilesSmaller(t *testing.T) {
	tree := fstest.MapFS{"a.png": solid(t, 64, 64, 1)}
	_, packed := cookTree(t, options(plain), tree, "a.png")
	_, loose := cookTree(t, options(plain, func(o *Image) { o.Zstd = 0 }), tree, "a.png")
	if a, b := len(packed.Outputs[0]), len(loose.Outputs[0]); a == 0 || a > b/4 {
		t.Errorf("%d bytes packed, %d not", a, b)
	}
}

func TestCookChecksOptions(t *testing.T) {
	o := options(func(o *Image) { o.Cube = "faces" })
	res := recipetest.Cook(t, Recipe(), o, fstest.MapFS{"a.png": solid(t, 4, 4, 1)}, "", "a.png")
	var wrong *recipe.OptionError
	if !errors.As(res.Err, &wrong) {
		t.Errorf("error %v", res.Err)
	}
}

// Direct3D and WebGL create block-compressed textures only with sides that are multiples of 4.
// Other sides must give one warning, for DDS and for textures for the web.
func TestSidesThatAreNotMultiplesOf4GiveWarning(t *testing.T) {
	const direct3D, webGL = "%d x %d pixels in bc7: Direct3D takes only", "%d x %d pixels in bc7: WebGL takes only"
	for _, c := range []struct {
		w, h int
		set  func(o *Image)
		want string
	}{
		{30, 40, func(o *Image) { o.Container = "dds" }, direct3D},
		{40, 30, func(o *Image) { o.Container = "dds" }, direct3D},
		{2, 2, func(o *Image) { o.Container = "dds" }, direct3D},
		{30, 40, func(o *Image) { o.GPU = "web" }, webGL},
		{30, 40, func(o *Image) { o.Container, o.POT = "dds", "4" }, ""},
		{40, 44, func(o *Image) { o.Container = "dds" }, ""},
		{30, 40, func(o *Image) { o.Container, o.Format = "dds", "rgba8" }, ""},
		{30, 40, func(o *Image) { o.Format = "uastc"; o.GPU = "web" }, ""},
		{30, 40, func(o *Image) {}, ""},
	} {
		o := options(func(o *Image) {
			o.Format, o.Quality = "bc7", "fast"
			c.set(o)
		})
		_, res := cookTree(t, o, fstest.MapFS{"a.png": {Data: encodePNG(t, scene(c.w, c.h))}}, "a.png")
		want := c.want
		if want != "" {
			want = fmt.Sprintf(want, c.w, c.h)
		}
		if got := strings.Join(res.Warned, "|"); res.Err != nil || (got == "") != (want == "") || !strings.HasPrefix(got, want) {
			t.Errorf("%d x %d: %v, %q, want %q", c.w, c.h, res.Err, got, want)
		}
	}
}
