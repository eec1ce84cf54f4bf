package image

import (
	stdimage "image"
	"image/color"
	"testing"

	"github.com/assetcook/assetcook/internal/image/cooked"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// Blocks of every size fit levels that are made in bands, whole, and of pixels that become
// bytes first.
func TestASTC(t *testing.T) {
	const w, h = 1001, 299
	m, deep := nrgba(w, h), stdimage.NewNRGBA64(stdimage.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBA{byte(x / 4), byte(y / 2), byte(200 - x/9), byte(255 - y/2)}
			m.Set(x, y, c)
			deep.Set(x, y, c)
		}
	}
	source := &pixmap.Map{W: w, H: h, Pix8: m.Pix}
	file, deepFile := encodePNG(t, m), encodePNG(t, deep)
	for _, tc := range []struct {
		format   texture.Format
		file     []byte
		coverage float64
	}{
		{texture.ASTC4x4, file, 0}, {texture.ASTC5x5, deepFile, 0}, {texture.ASTC6x6, file, 0.5}, {texture.ASTC8x8, file, 0},
	} {
		o := options(func(o *Image) {
			o.Format, o.Kind, o.Coverage, o.Quality = tc.format.String(), "color", tc.coverage, "fast"
		})
		tex := cook(t, o, "a.png", tc.file)
		if tex.Format != tc.format || !tex.SRGB || len(tex.Levels) != texture.MaxLevels(w, h) {
			t.Fatalf("%v, sRGB %v, %d levels", tex.Format, tex.SRGB, len(tex.Levels))
		}
		got, err := cooked.Level(t.Context(), tex, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if db, err := cooked.PSNR(t.Context(), tex, got, source); err != nil || db < 46 {
			t.Errorf("%v: %.2f dB, %v", tc.format, db, err)
		}
		small, err := cooked.Level(t.Context(), tex, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		want := nrgba(w/2, h/2)
		for i := range want.Pix {
			x, y := i/4%(w/2), i/4/(w/2)
			want.Pix[i] = m.Pix[4*(w*(2*y+1)+2*x+1)+i%4]
		}
		if like := likeness(small.Pix8, want.Pix, "rgb"); like < 42 {
			t.Errorf("%v, level 1: %.2f dB", tc.format, like)
		}
	}
}
