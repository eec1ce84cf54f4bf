package image

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	stdimage "image"
	"image/color"
	"image/gif"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/countdown"
	"github.com/assetcook/assetcook/internal/image/dds"
	"github.com/assetcook/assetcook/internal/image/ktx2"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/parallel"
)

// options returns the default options with changes.
func options(changes ...func(*Image)) *Image {
	o := Recipe().New().(*Image)
	for _, change := range changes {
		change(o)
	}
	return o
}

// plain sets options that keep pixels unchanged.
func plain(o *Image) { o.Format, o.Kind = "rgba8", "color" }

func cookTree(t testing.TB, o *Image, tree fstest.MapFS, name string) (*texture.Texture, recipetest.Result) {
	t.Helper()
	if err := o.checkOptions(); err != nil {
		t.Fatal(err)
	}
	res := recipetest.Cook(t, Recipe(), o, tree, "", name)
	if res.Err != nil {
		return nil, res
	}
	read := func() (*texture.Texture, error) { return ktx2.Read(res.Outputs[0], 1<<28) }
	if o.Container == "dds" {
		read = func() (*texture.Texture, error) { return dds.Read(res.Outputs[0]) }
	}
	tex, err := read()
	if err != nil {
		t.Fatal(err)
	}
	return tex, res
}

// cook cooks a single file.
func cook(t testing.TB, o *Image, name string, data []byte) *texture.Texture {
	t.Helper()
	tex, res := cookTree(t, o, fstest.MapFS{name: {Data: data}}, name)
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	return tex
}

// nrgba returns an image of four bytes per pixel.
func nrgba(w, h int, pix ...byte) *stdimage.NRGBA {
	m := stdimage.NewNRGBA(stdimage.Rect(0, 0, w, h))
	copy(m.Pix, pix)
	return m
}

// scene draws an image of soft colors and fading alpha.
func scene(w, h int) *stdimage.NRGBA {
	m := nrgba(w, h)
	for y := range h {
		for x := range w {
			m.SetNRGBA(x, y, color.NRGBA{R: byte(4 * x), G: byte(5 * y), B: byte(200 - 2*x), A: byte(255 - 3*y)})
		}
	}
	return m
}

func opaque(m *stdimage.NRGBA) *stdimage.NRGBA {
	for i := 3; i < len(m.Pix); i += 4 {
		m.Pix[i] = 255
	}
	return m
}

func noise(pix []byte) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range pix {
		pix[i] = byte(rng.Uint32())
	}
}

func encodePNG(t testing.TB, m stdimage.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// radiance returns an HDR file of gray steps, each a power of two, from 1/8 up.
func radiance(w, h int) []byte {
	var b bytes.Buffer
	b.WriteString("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y ")
	b.WriteString(itoa(h) + " +X " + itoa(w) + "\n")
	for i := range w * h {
		b.Write([]byte{128, 128, 128, byte(126 + i%8)})
	}
	return b.Bytes()
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

func TestDefaultOptionsAreValid(t *testing.T) {
	r := Recipe()
	if err := options().checkOptions(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	for container, want := range map[string]string{"ktx2": "{path}.ktx2", "dds": "{path}.dds"} {
		if d := cmp.Diff([]string{want}, options(func(o *Image) { o.Container = container }).Outputs()); d != "" {
			t.Error(d)
		}
	}
	files := []any{"a", "b"}
	recipetest.Check(t, r, map[string]any{
		"format": "bc7", "gpu": "web", "quality": "best", "container": "dds", "dds_header": "dx10", "srgb": false,
		"preset": "2d", "kind": "data", "named": "ui", "alpha": "data", "normals": "opengl", "normal_z": true, "prefilter": "ggx", "irradiance": "sh", "mips": false, "filter": "kaiser", "wrap": "repeat", "coverage": 0.5, "weigh_alpha": true,
		"max_size": int64(64), "fit": int64(32), "webp_quality": int64(80), "pot": "up", "r": "g", "g": "r", "b": "1-b", "a": "1",
		"frames": "sheet", "sheet_size": int64(64), "flip": "x", "premultiply": true, "cube": "cross", "faces": files, "layers": files, "rdo": 0.5, "scales": []any{int64(1), 0.5}, "zstd": int64(0),
	})
}

// Alpha that is not premultiplied must be kept exactly. So must the color of transparent pixels.
func TestCookKeepsPixels(t *testing.T) {
	m := nrgba(61, 17)
	noise(m.Pix)
	for i := 3; i < len(m.Pix); i += 8 {
		m.Pix[i] = 0
	}
	if tex := cook(t, options(plain), "a.png", encodePNG(t, m)); !bytes.Equal(tex.Levels[0], m.Pix) {
		t.Error("level 0 differs from the picture")
	}
}

func TestCookIgnoresTheName(t *testing.T) {
	file := encodePNG(t, scene(50, 30))
	var got [][]byte
	for _, name := range []string{"a.png", "b/c.jpg"} {
		_, res := cookTree(t, options(), fstest.MapFS{name: {Data: file}}, name)
		got = append(got, res.Outputs[0])
	}
	if !bytes.Equal(got[0], got[1]) || len(got[0]) == 0 {
		t.Errorf("outputs of %d and %d bytes, want the same", len(got[0]), len(got[1]))
	}
}

func TestCookStopsAnywhere(t *testing.T) {
	o := options(func(o *Image) {
		o.Layers, o.Cube, o.Flip, o.Fit, o.Premultiply, o.Coverage, o.Quality = []string{"b.png"}, "cross", "x", 5, true, 0.5, "fast"
	})
	tree := fstest.MapFS{"a.png": {Data: encodePNG(t, scene(24, 18))}, "b.png": {Data: encodePNG(t, scene(24, 18))}}
	run := func(n int) (used int, err error) {
		ctx := countdown.New(context.Background(), n)
		res := recipetest.CookContext(ctx, t, Recipe(), o, tree, "", "a.png")
		return n - ctx.Left, res.Err
	}
	looks, err := run(1 << 30)
	if err != nil {
		t.Fatal(err)
	}
	if looks < 2*18+12*6 {
		t.Errorf("%d looks at the context, want one per row of sources and faces", looks)
	}
	for n := 0; n < looks; n += 1 + looks/300 {
		if _, err := run(n); !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled at look %d of %d: error %v", n, looks, err)
		}
	}
}

func TestCookMissingSource(t *testing.T) {
	job := jobs.New(Recipe(), jobs.OfTree(Recipe(), fstest.MapFS{}, "a.png"), 10)
	if err := options().Cook(t.Context(), job); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want not exist", err)
	}
}

func TestSameBytesOnAnyCores(t *testing.T) {
	tree := fstest.MapFS{"a.png": {Data: encodePNG(t, scene(300, 260))}}
	for _, set := range []func(*Image){
		func(o *Image) { o.Quality = "fast" },
		func(o *Image) { o.Format = "bc3" },
		func(o *Image) { o.Coverage, o.Filter = 0.5, "kaiser" },
	} {
		o := options(set)
		var want []byte
		for _, cores := range []int{0, 1, 2, 7} {
			shared := 0
			env := jobs.OfTree(Recipe(), tree, "a.png")
			env.Outputs = []string{"out"}
			var file *os.File
			env.Create = func(int) (f *os.File, err error) {
				file, err = os.Create(filepath.Join(t.TempDir(), "out"))
				return file, err
			}
			if cores > 0 {
				c := parallel.NewCores(cores)
				env.Each = func(ctx context.Context, n int, do func(int) error) error {
					shared++
					defer c.Hold()()
					return c.Each(ctx, n, do)
				}
			}
			if err := o.Cook(t.Context(), jobs.New(Recipe(), env, int64(len(tree["a.png"].Data)))); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(file.Name())
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%d cores give another texture", cores)
			}
			if cores > 0 && shared < 2 { // the first and the second level are encoded on several cores
				t.Errorf("work was shared %d times", shared)
			}
		}
	}
}

func TestFramesAreWarnedOf(t *testing.T) {
	var g gif.GIF
	for range 3 {
		g.Image, g.Delay = append(g.Image, stdimage.NewPaletted(stdimage.Rect(0, 0, 8, 8), color.Palette{color.Black, color.White})), append(g.Delay, 1)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &g); err != nil {
		t.Fatal(err)
	}
	_, res := cookTree(t, options(func(*Image) {}), fstest.MapFS{"a.gif": {Data: b.Bytes()}}, "a.gif")
	if want := "the file holds 3 frames, but the texture has only the first one"; res.Err != nil || len(res.Warned) != 1 || !strings.HasPrefix(res.Warned[0], want) {
		t.Errorf("%v, %q, want %q", res.Err, res.Warned, want)
	}
}

func TestWrongOptionIsNamed(t *testing.T) {
	for _, tc := range []struct {
		key string // the invalid option; "" if all are valid
		set func(*Image)
	}{
		{"", func(o *Image) { o.R, o.G, o.B, o.A = "g", "1-r", "0", "rough.png:1-a" }},
		{"", func(o *Image) { o.Cube, o.Faces = "faces", make([]string, 5) }},
		{"", func(o *Image) { o.Cube, o.Faces = "faces", make([]string, 6) }},
		{"", func(o *Image) { o.Cube, o.Layers = "cross", []string{"b.png"} }},
		{"", func(o *Image) { o.POT, o.Fit = "require", 64 }},
		{"", func(o *Image) { o.Premultiply, o.Format = true, "bc3" }},
		{"", func(o *Image) { o.WeighAlpha, o.RDO, o.Format = true, 0.5, "bc7" }},
		{"", func(o *Image) { o.WeighAlpha, o.RDO, o.Coverage = true, 0.5, 0.5 }},
		{"", func(o *Image) { o.WeighAlpha, o.Format = true, "astc6x6" }},
		{"container", func(o *Image) { o.Container, o.Format = "dds", "astc6x6" }},
		{"", func(o *Image) { o.WeighAlpha, o.Format = true, "etc2rgba" }},
		{"weigh_alpha", func(o *Image) { o.WeighAlpha, o.Format = true, "etc2rgb" }},
		{"container", func(o *Image) { o.Container, o.Format = "dds", "etc2rgb" }},
		{"format", func(o *Image) { o.Kind, o.Format = "normal", "eacr11" }},
		{"", func(o *Image) { o.WeighAlpha, o.Format = true, "uastc" }},
		{"container", func(o *Image) { o.Container, o.Format = "dds", "uastc" }},
		{"r", func(o *Image) { o.R = "x" }},
		{"g", func(o *Image) { o.G = "file.png" }},
		{"b", func(o *Image) { o.B = "file.png:0" }},
		{"a", func(o *Image) { o.A = ":r" }},
		{"faces", func(o *Image) { o.Cube = "faces" }},
		{"faces", func(o *Image) { o.Cube, o.Faces = "faces", make([]string, 4) }},
		{"cube", func(o *Image) { o.Faces = make([]string, 5) }},
		{"layers", func(o *Image) { o.Cube, o.Faces, o.Layers = "faces", make([]string, 5), []string{"b.png"} }},
		{"layers", func(o *Image) { o.Layers = make([]string, 1<<16) }},
		{"g", func(o *Image) { o.Layers, o.G = []string{"b.png"}, "c.png:r" }},
		{"fit", func(o *Image) { o.POT, o.Fit = "require", 63 }},
		{"coverage", func(o *Image) { o.Coverage, o.Kind = 0.5, "normal" }},
		{"", func(o *Image) { o.Coverage, o.Format = 0.5, "bc1a" }},
		{"coverage", func(o *Image) { o.Coverage, o.Format = 0.25, "bc1a" }},
		{"coverage", func(o *Image) { o.Coverage, o.Format = 0.5, "bc1" }},
		{"coverage", func(o *Image) { o.Coverage, o.Mips = 0.5, "false" }},
		{"format", func(o *Image) { o.Kind, o.Format = "normal", "bc4" }},
		{"premultiply", func(o *Image) { o.Premultiply, o.Kind = true, "data" }},
		{"premultiply", func(o *Image) { o.Premultiply, o.Format = true, "bc1" }},
		{"weigh_alpha", func(o *Image) { o.WeighAlpha, o.Kind = true, "mask" }},
		{"weigh_alpha", func(o *Image) { o.WeighAlpha, o.Premultiply = true, true }},
		{"weigh_alpha", func(o *Image) { o.WeighAlpha, o.Format = true, "bc3" }},
		{"", func(o *Image) { o.NormalZ, o.Format = true, "astc4x4" }},
		{"normal_z", func(o *Image) { o.NormalZ, o.Format = true, "bc5" }},
		{"rdo", func(o *Image) { o.RDO, o.Format = 1, "bc5" }},
		{"rdo", func(o *Image) { o.RDO, o.Format = 1, "astc6x6-hdr" }},
		{"", func(o *Image) { o.RDO, o.Format = 1, "astc6x6" }},
		{"", func(o *Image) { o.RDO, o.Format = 1, "uastc" }},
		{"format", func(o *Image) { o.Format = "etc2" }},
	} {
		err := options(tc.set).checkOptions()
		var wrong *recipe.OptionError
		switch {
		case tc.key == "" && err != nil:
			t.Errorf("%v", err)
		case tc.key != "" && (!errors.As(err, &wrong) || wrong.Key != tc.key):
			t.Errorf("error %v, want one of option %s", err, tc.key)
		}
	}
}

// The bytes must be the same on every machine. If these hashes change, the recipe's version must be
// raised. Levels are not packed with Zstandard, because its encoder may change between releases.
// Package bc7 has its own golden blocks.
func TestTexturesHaveGoldenBytes(t *testing.T) {
	tree := fstest.MapFS{
		"a.png":     {Data: encodePNG(t, scene(60, 45))},
		"b.png":     {Data: encodePNG(t, bumps(60, 45, true))},
		"sky.hdr":   {Data: radiance(48, 40)},
		"cross.png": {Data: encodePNG(t, scene(160, 120))},
	}
	for _, tc := range []struct {
		name, source, want string
		set                func(*Image)
	}{
		{"normal map", "b.png", "0845d28464ede5bf", func(*Image) {}},
		{"light", "sky.hdr", "0cc98001597ab027", func(*Image) {}},
		{"light for the web", "sky.hdr", "5de370ece4bfec0b", func(o *Image) { o.GPU = "web" }},
		{"kaiser", "a.png", "0cade51428e911a3", func(o *Image) { o.Format, o.Filter, o.Wrap, o.Coverage = "bc3", "kaiser", "repeat", 0.8 }},
		{"cube", "a.png", "5ee5b932d114be3b", func(o *Image) { o.Cube, o.Format, o.Container, o.Premultiply = "cross", "rgba8", "dds", true }},
		{"pack", "a.png", "c8d8735f7c7ddad0", func(o *Image) {
			o.B, o.Layers, o.Filter, o.POT, o.Format = "1-g", []string{"b.png"}, "mitchell", "up", "bc1"
		}},
		{"best", "a.png", "7f77263f44b7c1bf", func(o *Image) { o.Quality, o.Format, o.R = "best", "bc1a", "g" }},
		{"lighting", "around.hdr", "d3eef541a6ee5bea", func(o *Image) {
			o.Cube, o.Prefilter, o.Irradiance, o.Format = "equirect", "filament", "sh", "rgba16f"
		}},
		{"lighting of bytes", "cross.png", "871a8b065de339a5", func(o *Image) {
			o.Cube, o.Prefilter, o.Irradiance, o.Container, o.Format = "cross", "ggx", "sh", "dds", "bc1"
		}},
		{"sixteen bits", "a.png", "189604872c2ce150", func(o *Image) { o.Format, o.G = "rgba16f", "sky2.hdr:r" }},
	} {
		tree["sky2.hdr"] = &fstest.MapFile{Data: radiance(60, 45)}
		tree["around.hdr"] = &fstest.MapFile{Data: radiance(256, 128)}
		_, res := cookTree(t, options(func(o *Image) { o.Zstd = 0 }, tc.set), tree, tc.source)
		if res.Err != nil {
			t.Fatal(res.Err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(slices.Concat(res.Outputs...)))[:16]; got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}
