package image

import (
	"bytes"
	"encoding/binary"
	"errors"
	stdimage "image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/image/webp"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
)

func pictures(format string, scales ...float64) *Image {
	return options(func(o *Image) { o.Format, o.Kind, o.Scales = format, "color", scales })
}

// cookPictures cooks a single file and decodes the outputs.
func cookPictures(t testing.TB, o *Image, name string, data []byte) []stdimage.Image {
	t.Helper()
	if err := o.checkOptions(); err != nil {
		t.Fatal(err)
	}
	res := recipetest.Cook(t, Recipe(), o, fstest.MapFS{name: {Data: data}}, "", name)
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	var all []stdimage.Image
	for _, file := range res.Outputs {
		decode := png.Decode
		if o.Format == "webp" {
			decode = webp.Decode
		}
		m, err := decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	return all
}

func pixel(m stdimage.Image, x, y int) color.NRGBA {
	return color.NRGBAModel.Convert(m.At(x, y)).(color.NRGBA)
}

// A WebP source must keep its bytes, unless an option changes its pixels.
func TestWebPSourceStaysWebP(t *testing.T) {
	file := recipetest.Cook(t, Recipe(), pictures("webp"), fstest.MapFS{"a.png": {Data: encodePNG(t, scene(20, 12))}}, "", "a.png").Outputs[0]
	file = slices.Concat(file, []byte("ODDS\x04\x00\x00\x00kept")) // no encoder of this module writes this chunk
	binary.LittleEndian.PutUint32(file[4:], uint32(len(file)-8))
	for _, change := range []func(*Image){nil, func(o *Image) { o.Fit = 10 }, func(o *Image) { o.Flip = "x" }} {
		o := pictures("webp")
		if change != nil {
			change(o)
		}
		res := recipetest.Cook(t, Recipe(), o, fstest.MapFS{"a.webp": {Data: file}}, "", "a.webp")
		if same := res.Err == nil && bytes.Equal(res.Outputs[0], file); same != (change == nil) {
			t.Errorf("fit %d, flip %s: same bytes: %t, %v", o.Fit, o.Flip, same, res.Err)
		}
	}
}

// Pixels must be unchanged, even invisible ones.
func TestPicturesAreExact(t *testing.T) {
	m := painted(40, 30, func(x, y int) color.NRGBA {
		return color.NRGBA{byte(6 * x), byte(8 * y), byte(x * y), byte(x*y%3) * 127}
	})
	for _, format := range []string{"png", "webp"} {
		got := cookPictures(t, pictures(format), "a.png", encodePNG(t, m))
		if have, ok := got[0].(*stdimage.NRGBA); len(got) != 1 || !ok || !bytes.Equal(have.Pix, m.Pix) {
			t.Errorf("%s: %T, changed pixels", format, got[0])
		}
	}
	deep := stdimage.NewNRGBA64(stdimage.Rect(0, 0, 4, 4))
	for i := range deep.Pix {
		deep.Pix[i] = byte(i * 37)
	}
	if got := cookPictures(t, pictures("png"), "a.png", encodePNG(t, deep)); !bytes.Equal(got[0].(*stdimage.NRGBA64).Pix, deep.Pix) {
		t.Error("png of 16 bits: changed pixels")
	}
	got := cookPictures(t, pictures("webp"), "a.png", encodePNG(t, deep))[0].(*stdimage.NRGBA)
	for i, v := range got.Pix {
		if want := (int(deep.Pix[2*i])<<8 + int(deep.Pix[2*i+1]) + 128) / 257; int(v) != want {
			t.Fatalf("webp of 16 bits: number %d: %d, want %d", i, v, want)
		}
	}
}

// The name of the source may state its scale. Otherwise it has the largest scale. The sizes of the
// outputs must follow from that.
func TestSizesFollowTheScaleOfTheSource(t *testing.T) {
	m := encodePNG(t, scene(60, 31))
	for _, tc := range []struct {
		name   string
		scales []float64
		sizes  string
	}{
		{"hero.png", []float64{1, 2, 0.5}, "(30,16) (60,31) (15,8)"},
		{"d.a@4x/hero@2x.png", []float64{1, 2, 0.5}, "(30,16) (60,31) (15,8)"},
		{"hero@3x.png", []float64{1, 2}, "(20,10) (40,21)"},
		{"hero@1x.png", []float64{0.01}, "(1,1)"},
		{"hero@2x.png", nil, "(60,31)"},
	} {
		for _, format := range []string{"png", "webp"} {
			var sizes []string
			for _, m := range cookPictures(t, pictures(format, tc.scales...), tc.name, m) {
				sizes = append(sizes, m.Bounds().Max.String())
			}
			if got := strings.Join(sizes, " "); got != tc.sizes {
				t.Errorf("%s as %s of %v: %s, want %s", tc.name, format, tc.scales, got, tc.sizes)
			}
		}
	}
	// Option fit must apply to the image at the source's scale.
	fit := pictures("png", 1, 2)
	fit.Fit = 40
	if got := cookPictures(t, fit, "hero.png", m); got[0].Bounds().Dx() != 20 || got[1].Bounds().Dx() != 40 {
		t.Errorf("fit: %v, %v", got[0].Bounds(), got[1].Bounds())
	}
	res := recipetest.Cook(t, Recipe(), pictures("png", 1, 2), fstest.MapFS{"hero@1x.png": {Data: m}}, "", "hero@1x.png")
	if want := "the file name says scale @1x, which is too small for scale 2"; res.Err == nil || !strings.Contains(res.Err.Error(), want) {
		t.Errorf("too small: %v, want %q", res.Err, want)
	}
}

// Colors must be averaged as light and weighted by alpha. Data must be averaged directly.
func TestScalesAverageLight(t *testing.T) {
	m := nrgba(4, 2,
		255, 255, 255, 255, 0, 0, 0, 255, 255, 0, 0, 255, 0, 255, 0, 0,
		0, 0, 0, 255, 255, 255, 255, 255, 0, 255, 0, 0, 0, 255, 0, 0)
	got := cookPictures(t, pictures("png", 1, 2), "a.png", encodePNG(t, m))[0]
	if a, b := pixel(got, 0, 0), pixel(got, 1, 0); a != (color.NRGBA{188, 188, 188, 255}) || b != (color.NRGBA{255, 0, 0, 64}) {
		t.Errorf("colors: %v, %v", a, b)
	}
	o := pictures("png", 1, 2)
	o.Kind = "data"
	if a := pixel(cookPictures(t, o, "a.png", encodePNG(t, m))[0], 0, 0); a.R != 127 && a.R != 128 {
		t.Errorf("data: %v", a)
	}
}

func TestPicturesAreNamedByScale(t *testing.T) {
	for _, tc := range []struct {
		o    *Image
		want []string
	}{
		{pictures("png"), []string{"{stem}.png"}},
		{pictures("webp", 1, 2, 0.5), []string{"{base}.webp", "{base}@2x.webp", "{base}@0.5x.webp"}},
		{options(), []string{"{path}.ktx2"}},
	} {
		if got := tc.o.Outputs(); !slices.Equal(got, tc.want) {
			t.Errorf("%q, want %q", got, tc.want)
		}
	}
	if pictures("png").usesPath() || !pictures("png", 1).usesPath() {
		t.Error("want UsesPath only with scales")
	}
}

func TestWrongOptionOfPicturesIsNamed(t *testing.T) {
	for key, set := range map[string]func(*Image){
		"container":   func(o *Image) { o.Container = "dds" },
		"mips":        func(o *Image) { o.Mips = "true" },
		"cube":        func(o *Image) { o.Cube = "cross" },
		"layers":      func(o *Image) { o.Layers = []string{"b.png"} },
		"premultiply": func(o *Image) { o.Premultiply = true },
		"coverage":    func(o *Image) { o.Coverage = 0.5 },
		"weigh_alpha": func(o *Image) { o.WeighAlpha = true },
		"rdo":         func(o *Image) { o.RDO = 1 },
	} {
		var wrong *recipe.OptionError
		if err := options(func(o *Image) { o.Format = "webp" }, set).checkOptions(); !errors.As(err, &wrong) || wrong.Key != key {
			t.Errorf("%s: error %v", key, err)
		}
	}
	var wrong *recipe.OptionError
	for _, o := range []*Image{pictures("bc7", 1), pictures("auto", 1, 2), pictures("png", 1, 2, 1)} {
		if err := o.checkOptions(); !errors.As(err, &wrong) || wrong.Key != "scales" {
			t.Errorf("%s of %v: error %v", o.Format, o.Scales, err)
		}
	}
}

func TestSizesOfPicturesAreExplained(t *testing.T) {
	tree := fstest.MapFS{"a.png": {Data: encodePNG(t, scene(64, 33))}}
	got := strings.Join(explain(t, pictures("webp", 1, 2), tree, "a.png"), "\n")
	for _, want := range []string{"format webp: the options determine it", "drawn at @2x: the largest value of scales", "@1x: 32 x 17 pixels", "@2x: 64 x 33 pixels"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Images of floats, and a mask with several channels, must be refused before any output is written.
func TestPicturesOfLightAreRefused(t *testing.T) {
	hdr := []byte("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n\x80\x80\x80\x81")
	for _, tc := range []struct {
		o          *Image
		name, want string
	}{
		{pictures("png"), "a.hdr", "the image has floats, which png cannot store; save it with 16 bits per channel, or write format"},
		{options(func(o *Image) { o.Format, o.Kind = "png", "mask" }), "a.png", `kind = "mask"`},
	} {
		tree := fstest.MapFS{"a.hdr": {Data: hdr}, "a.png": {Data: encodePNG(t, scene(32, 32))}}
		res := recipetest.Cook(t, Recipe(), tc.o, tree, "", tc.name)
		if res.Err == nil || !strings.Contains(res.Err.Error(), tc.want) || len(res.Outputs) > 0 && res.Outputs[0] != nil {
			t.Errorf("%s: %v, want %q", tc.name, res.Err, tc.want)
		}
	}
}

func TestPicturesStayWithinTheEstimate(t *testing.T) {
	m := nrgba(500, 400)
	noise(m.Pix)
	data := encodePNG(t, m)
	for _, format := range []string{"png", "webp"} {
		for _, scales := range [][]float64{nil, {1}} {
			o := pictures(format, scales...)
			need, err := estimate(o, data)
			if err != nil {
				t.Fatal(err)
			}
			tree := fstest.MapFS{"a@3x.png": {Data: data}}
			run := func() {
				if res := recipetest.Cook(t, Recipe(), o, tree, "", "a@3x.png"); res.Err != nil {
					t.Fatal(res.Err)
				}
			}
			run() // the first run also makes the tables
			// PNG tries two filters of rows, and WebP two sequences of transforms. Each trial has
			// growing buffers.
			if got := allocated(run); got > 3*need {
				t.Errorf("%s of %v: allocated %d bytes in all, estimated %d", format, scales, got, need)
			}
		}
	}
}
