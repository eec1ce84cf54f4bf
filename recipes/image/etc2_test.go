package image

import (
	stdimage "image"
	"image/color"
	"testing"

	"github.com/assetcook/assetcook/internal/image/cooked"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// ETC2 and EAC textures decode to nearly the source, and EAC keeps more than eight bits of deep
// sources.
func TestETC2DecodesToNearlyTheSource(t *testing.T) {
	const w, h = 130, 97
	m, deep := nrgba(w, h), stdimage.NewNRGBA64(stdimage.Rect(0, 0, w, h))
	source16 := pixmap.New(w, h, pixmap.Bits16)
	for y := range h {
		for x := range w {
			m.Set(x, y, color.NRGBA{byte(x), byte(y * 2), byte(200 - x), byte(255 - y/2)})
			c := color.NRGBA64{uint16(20000 + 3*x), uint16(30000 + 5*y), 32768, 65535}
			deep.Set(x, y, c)
			copy(source16.Pix16[4*(y*w+x):], []uint16{c.R, c.G, c.B, c.A})
		}
	}
	source := &pixmap.Map{W: w, H: h, Pix8: m.Pix}
	for _, tc := range []struct {
		format texture.Format
		kind   string
		file   []byte
		source *pixmap.Map
		least  float64
	}{
		{texture.ETC2RGB, "color", encodePNG(t, m), source, 42},
		{texture.ETC2RGBA, "color", encodePNG(t, m), source, 43},
		{texture.EACR11, "data", encodePNG(t, deep), source16, 72},
		{texture.EACRG11, "data", encodePNG(t, deep), source16, 72},
	} {
		o := options(func(o *Image) { o.Format, o.Kind = tc.format.String(), tc.kind })
		tex := cook(t, o, "a.png", tc.file)
		if tex.Format != tc.format || tex.SRGB != (tc.kind == "color") || len(tex.Levels) != texture.MaxLevels(w, h) {
			t.Fatalf("%v, sRGB %v, %d levels", tex.Format, tex.SRGB, len(tex.Levels))
		}
		got, err := cooked.Level(t.Context(), tex, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if db, err := cooked.PSNR(t.Context(), tex, got, tc.source); err != nil || db < tc.least {
			t.Errorf("%v: %.2f dB, %v", tc.format, db, err)
		}
	}
}
