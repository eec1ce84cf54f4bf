package image

import (
	"image/color"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/internal/image/cooked"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// Files say whether there is alpha, because transcoders depend on it, and decode to the picture.
func TestUASTCDecodesToThePicture(t *testing.T) {
	for _, tc := range []struct {
		w, h   int
		opaque bool
		kind   string
		reason string
	}{
		{64, 40, true, "color", ""},
		{64, 40, false, "color", ""},
		{62, 41, false, "data", "size 64 x 44: scaled from 62 x 41"},
		{64, 41, true, "mask", "size 64 x 44: scaled from 64 x 41"},
	} {
		m := nrgba(tc.w, tc.h)
		for y := range tc.h {
			for x := range tc.w {
				c := color.NRGBA{byte(4 * x), byte(6 * y), byte(200 - x - y), byte(255 - 3*y)}
				if tc.kind == "mask" {
					c.G, c.B = c.R, c.R
				}
				if tc.opaque {
					c.A = 255
				}
				m.Set(x, y, c)
			}
		}
		o := options(func(o *Image) { o.Format, o.Kind, o.Quality = "uastc", tc.kind, "fast" })
		tex := cook(t, o, "a.png", encodePNG(t, m))
		if tex.Format != texture.UASTC || tex.Opaque != tc.opaque || tex.SRGB != (tc.kind == "color") || tex.Swizzle != "" || len(tex.Levels) != texture.MaxLevels(tex.W, tex.H) || tex.W%4 != 0 || tex.H%4 != 0 {
			t.Errorf("%+v: %v, opaque %v, sRGB %v, swizzle %q, %d levels", tc, tex.Format, tex.Opaque, tex.SRGB, tex.Swizzle, len(tex.Levels))
		}
		got, err := cooked.Level(t.Context(), tex, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		source := &pixmap.Map{W: tc.w, H: tc.h, Pix8: m.Pix}
		w, h := (tc.w+3)/4*4, (tc.h+3)/4*4
		color := pixmap.Data
		if tc.kind == "color" {
			color = pixmap.SRGB
		}
		if source, err = pixmap.Resize(t.Context(), source, w, h, pixmap.Sampling{Color: color}); err != nil {
			t.Fatal(err)
		}
		if db, err := cooked.PSNR(t.Context(), tex, got, source); err != nil || db < 42 {
			t.Errorf("%+v: %.2f dB, %v", tc, db, err)
		}
		lines := strings.Join(explain(t, o, fstest.MapFS{"a.png": {Data: encodePNG(t, m)}}, "a.png"), "\n")
		if says := strings.Contains(lines, "multiples of 4"); says != (tc.reason != "") || !strings.Contains(lines, tc.reason) {
			t.Errorf("%+v: %s", tc, lines)
		}
	}
}

// UASTC textures have sides that are multiples of 4, within fit, and are scaled only once with
// fit and pot. Unchanged pictures keep their size, and so does the page of an atlas.
func TestUASTCSidesAreMultiplesOf4(t *testing.T) {
	for _, tc := range []struct {
		what        string
		w, h        int
		format      string
		set         func(o *Image)
		tw, th      int
		texture     texture.Format
		timesScaled int
	}{
		{"explicit", 1, 1, "uastc", nil, 4, 4, texture.UASTC, 1},
		{"for the web", 61, 7, "auto", nil, 64, 8, texture.UASTC, 1},
		{"already", 64, 8, "auto", nil, 64, 8, texture.UASTC, 0},
		{"fit between", 100, 60, "uastc", func(o *Image) { o.Fit = 50 }, 48, 32, texture.UASTC, 1},
		{"fit below", 100, 60, "uastc", func(o *Image) { o.Fit = 2 }, 4, 4, texture.UASTC, 1},
		{"power of two", 100, 3, "uastc", func(o *Image) { o.POT = "nearest" }, 128, 4, texture.UASTC, 1},
		{"kept exact", 61, 7, "auto", func(o *Image) { o.Kind = "ui" }, 61, 7, texture.RGBA8, 0},
		{"for phones", 61, 7, "astc4x4", nil, 61, 7, texture.ASTC4x4, 0},
	} {
		m := nrgba(tc.w, tc.h)
		for i := range m.Pix {
			m.Pix[i] = byte(i * 7)
		}
		o := options(func(o *Image) { o.Format, o.GPU, o.Kind, o.Quality, o.Preset = tc.format, "web", "color", "fast", "3d" })
		if tc.set != nil {
			tc.set(o)
		}
		data := encodePNG(t, m)
		tex := cook(t, o, "a.png", data)
		if tex.W != tc.tw || tex.H != tc.th || tex.Format != tc.texture {
			t.Errorf("%s: %d x %d of %v, want %d x %d of %v", tc.what, tex.W, tex.H, tex.Format, tc.tw, tc.th, tc.texture)
		}
		lines := strings.Join(explain(t, o, fstest.MapFS{"a.png": {Data: data}}, "a.png"), "\n")
		if n := strings.Count(lines, "scaled from"); n != tc.timesScaled {
			t.Errorf("%s: scaled %d times: %s", tc.what, n, lines)
		}
	}
}

// The estimate includes scaling.
func TestEstimateIncludesScalingForUASTC(t *testing.T) {
	o := options(func(o *Image) { o.Format, o.Zstd = "uastc", 0 })
	odd, err := estimate(o, encodePNG(t, nrgba(1023, 1023)))
	scaling := 4*1023*1023 + pixmap.ResizeMemory(1023, 1023, 1024, 1024, pixmap.Bits8, o.filter())
	if err != nil || odd < scaling {
		t.Errorf("1023 x 1023 pixels need %d bytes, but scaling alone needs %d; %v", odd, scaling, err)
	}
}
