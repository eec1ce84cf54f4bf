package image

import (
	"bytes"
	"errors"
	stdimage "image"
	"image/color"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/image/webp"
	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/image/source"
)

// photo returns an image with more colors than a palette, and noise.
func photo(w, h int) *stdimage.NRGBA {
	noise := rand.New(rand.NewPCG(7, 8))
	return painted(w, h, func(x, y int) color.NRGBA {
		v := noise.IntN(12)
		return color.NRGBA{byte(2*x + v), byte(2*y + v), byte(x + y + v), 255}
	})
}

func lossyOptions(quality int, change ...func(*Image)) *Image {
	o := pictures("webp")
	o.WebPQuality = quality
	for _, c := range change {
		c(o)
	}
	return o
}

func cookLossy(t testing.TB, o *Image, name string, data []byte) []byte {
	t.Helper()
	res := recipetest.Cook(t, Recipe(), o, fstest.MapFS{name: {Data: data}}, "", name)
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	return res.Outputs[0]
}

func colorPSNR(t *testing.T, file []byte, want *stdimage.NRGBA) float64 {
	t.Helper()
	got, _, err := source.Decode(t.Context(), file, ".webp", 1<<14)
	if err != nil || got.W != want.Rect.Dx() || got.H != want.Rect.Dy() {
		t.Fatal(got, err)
	}
	var sum float64
	for i, v := range got.Pix8 {
		d := float64(v) - float64(want.Pix[i])
		sum += float64(d * d)
	}
	return 10 * math.Log10(255*255*3*float64(got.W*got.H)/sum)
}

func TestWebPQualityTradesSizeForPSNR(t *testing.T) {
	m := photo(120, 90)
	data := encodePNG(t, m)
	lossless := len(cookLossy(t, lossyOptions(0), "a.png", data))
	size, psnr := 0, 0.0
	for _, tc := range []struct {
		quality int
		floor   float64
	}{{10, 34.3}, {50, 36.1}, {80, 36.8}, {100, 46.8}} {
		file := cookLossy(t, lossyOptions(tc.quality), "a.png", data)
		if db := colorPSNR(t, file, m); db < tc.floor || db <= psnr || len(file) <= size || len(file) >= lossless {
			t.Errorf("quality %d: %d bytes, %.2f dB; want at least %.1f dB, more than %d bytes and less than %d", tc.quality, len(file), db, tc.floor, size, lossless)
		} else {
			psnr = db
		}
		size = len(file)
	}
}

// TestNumbersStayLossless cooks images that webp_quality must not change, and expects the reason.
func TestNumbersStayLossless(t *testing.T) {
	many := encodePNG(t, photo(64, 64))
	few := encodePNG(t, painted(64, 64, func(x, y int) color.NRGBA { return color.NRGBA{byte(x/8) * 30, byte(y/8) * 30, 0, 255} }))
	kind := func(k string) func(*Image) { return func(o *Image) { o.Kind = k } }
	for _, tc := range []struct {
		name   string
		data   []byte
		change func(*Image)
		lossy  bool
		reason string
	}{
		{"color", many, kind("color"), true, "lossy colors: webp_quality = 80"},
		{"lightmap", many, kind("lightmap"), true, "lossy colors"},
		{"data", many, kind("data"), false, "lossless: images with the role data hold numbers"},
		{"normal", many, kind("normal"), false, "lossless: images with the role normal hold numbers"},
		{"height", many, kind("height"), false, "lossless: images with the role height hold numbers"},
		{"lut", many, kind("lut"), false, "lossless: images with the role lut hold numbers"},
		{"pixel art", many, func(o *Image) { o.Preset = "pixel" }, false, `lossless: preset = "pixel"`},
		{"few colors", few, kind("color"), false, "lossless: 64 colors are small without loss"},
	} {
		o := lossyOptions(80, tc.change)
		if got := source.IsLossyWebP(cookLossy(t, o, "a.png", tc.data)); got != tc.lossy {
			t.Errorf("%s: lossy %t", tc.name, got)
		}
		if why := strings.Join(explain(t, o, fstest.MapFS{"a.png": {Data: tc.data}}, "a.png"), "\n"); !strings.Contains(why, tc.reason) {
			t.Errorf("%s: cook why says %s; want %q", tc.name, why, tc.reason)
		}
	}
}

// A lossy WebP source would lose again, so it stays as it is; a lossless one is encoded.
func TestLossyWebPSourceStaysAsItIs(t *testing.T) {
	data := encodePNG(t, photo(60, 40))
	for _, quality := range []int{0, 80} {
		file := cookLossy(t, lossyOptions(quality), "a.png", data)
		if kept := bytes.Equal(cookLossy(t, lossyOptions(70), "a.webp", file), file); kept != (quality > 0) {
			t.Errorf("source of quality %d: kept %t", quality, kept)
		}
		if !bytes.Equal(cookLossy(t, lossyOptions(0), "a.webp", file), file) {
			t.Errorf("source of quality %d: changed without webp_quality", quality)
		}
	}
}

func TestWebPQualityNeedsWebP(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*Image)
		fits   bool
	}{
		{"webp", func(o *Image) { o.Format = "webp" }, true},
		{"the source itself", func(o *Image) { o.GPU = "none" }, false},
		{"png", func(o *Image) { o.Format = "png" }, false},
		{"texture", func(o *Image) { o.Format = "bc7" }, false},
		{"auto", func(*Image) {}, false},
	} {
		var wrong *recipe.OptionError
		err := options(tc.change, func(o *Image) { o.WebPQuality = 80 }).checkOptions()
		if fits := err == nil; fits != tc.fits || !fits && (!errors.As(err, &wrong) || wrong.Key != "webp_quality") {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

// TestLossyOptionsNeverFail combines options of lossy images with images of all sizes.
func TestLossyOptionsNeverFail(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w, h := rapid.IntRange(1, 70).Draw(r, "w"), rapid.IntRange(1, 70).Draw(r, "h")
		m := photo(w, h)
		opaque := rapid.Bool().Draw(r, "opaque")
		for i := 3; i < len(m.Pix) && !opaque; i += 4 {
			m.Pix[i] = byte(i)
		}
		o := lossyOptions(rapid.IntRange(1, 100).Draw(r, "quality"), func(o *Image) {
			o.Quality = rapid.SampledFrom([]string{"fast", "normal", "best"}).Draw(r, "effort")
			o.Fit = rapid.IntRange(0, 40).Draw(r, "fit")
			o.Alpha = rapid.SampledFrom([]string{"auto", "data"}).Draw(r, "alpha")
		})
		file := cookLossy(t, o, "a.png", encodePNG(t, m))
		c, err := webp.DecodeConfig(bytes.NewReader(file))
		if want, high := o.targetSize(w, h); err != nil || c.Width != want || c.Height != high {
			r.Fatalf("%d x %d pixels, want %d x %d: %v", c.Width, c.Height, want, high, err)
		}
	})
}
