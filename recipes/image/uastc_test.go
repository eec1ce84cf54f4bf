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

// Files say whether there is alpha, as transcoders go by that, and decode to the picture.
func TestUASTC(t *testing.T) {
	for _, tc := range []struct {
		w, h   int
		opaque bool
		kind   string
		reason string
	}{
		{64, 40, true, "color", ""},
		{64, 40, false, "color", ""},
		{62, 41, false, "data", "62 x 41 are no multiples of 4"},
		{64, 41, true, "mask", "64 x 41 are no multiples of 4"},
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
		if tex.Format != texture.UASTC || tex.Opaque != tc.opaque || tex.SRGB != (tc.kind == "color") || tex.Swizzle != "" || len(tex.Levels) != texture.MaxLevels(tc.w, tc.h) {
			t.Errorf("%+v: %v, opaque %v, sRGB %v, swizzle %q, %d levels", tc, tex.Format, tex.Opaque, tex.SRGB, tex.Swizzle, len(tex.Levels))
		}
		got, err := cooked.Level(t.Context(), tex, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		source := &pixmap.Map{W: tc.w, H: tc.h, Pix8: m.Pix}
		if db, err := cooked.PSNR(t.Context(), tex, got, source); err != nil || db < 42 {
			t.Errorf("%+v: %.2f dB, %v", tc, db, err)
		}
		lines := strings.Join(explain(t, o, fstest.MapFS{"a.png": {Data: encodePNG(t, m)}}, "a.png"), "\n")
		if says := strings.Contains(lines, "multiples of 4"); says != (tc.reason != "") || !strings.Contains(lines, tc.reason) {
			t.Errorf("%+v: %s", tc, lines)
		}
	}
}
