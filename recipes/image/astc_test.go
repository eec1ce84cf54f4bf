package image

import (
	stdimage "image"
	"image/color"
	"math"
	"testing"

	"github.com/assetcook/assetcook/internal/image/cooked"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// Blocks of every size decode to nearly the source: for levels made in bands or whole, and for
// pixels that are converted to bytes first.
func TestASTCDecodesToNearlyTheSource(t *testing.T) {
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

// Normal maps store x and y in red and green on all levels, which is more exact than storing z
// too. The exceptions are option normal_z and an alpha channel in use.
func TestASTCNormalsKeepXAndY(t *testing.T) {
	const side = 256
	rough, height := nrgba(side, side), nrgba(side, side)
	for y := range side {
		for x := range side {
			dx, dy := 0.4*math.Sin(float64(x)/3)+0.3*math.Sin(float64(y*x)/90), 0.5*math.Cos(float64(y)/4)
			z := math.Sqrt(1 - dx*dx - dy*dy)
			c := color.NRGBA{byte(127.5*dx + 128), byte(127.5*dy + 128), byte(127.5*z + 128), 255}
			rough.Set(x, y, c)
			c.A = byte(x)
			height.Set(x, y, c)
		}
	}
	// off returns the mean angle between the normals of level 0 and of the source.
	off := func(tex *texture.Texture) float64 {
		m, err := cooked.Level(t.Context(), tex, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i := 0; i < len(m.Pix8); i += 4 {
			var v, w [3]float64
			for k := range v {
				v[k], w[k] = float64(m.Pix8[i+k])/127.5-1, float64(rough.Pix[i+k])/127.5-1
			}
			if tex.Swizzle != "" {
				v[2] = math.Sqrt(max(0, 1-v[0]*v[0]-v[1]*v[1]))
			}
			dot := v[0]*w[0] + v[1]*w[1] + v[2]*w[2]
			sum += math.Acos(min(1, dot/math.Sqrt((v[0]*v[0]+v[1]*v[1]+v[2]*v[2])*(w[0]*w[0]+w[1]*w[1]+w[2]*w[2]))))
		}
		return sum / float64(len(m.Pix8)/4) * 180 / math.Pi
	}
	normals := func(o *Image) { o.Format, o.Kind = "astc4x4", "normal" }
	z := func(o *Image) { o.NormalZ = true }
	two := cook(t, options(normals), "a.png", encodePNG(t, rough))
	three := cook(t, options(normals, z), "a.png", encodePNG(t, rough))
	if two.Swizzle != "ra01" || three.Swizzle != "" {
		t.Errorf("swizzle %q, with z %q", two.Swizzle, three.Swizzle)
	}
	if a, b := off(two), off(three); a >= b || a > 2 {
		t.Errorf("%.2f degrees, with z %.2f", a, b)
	}
	small, err := cooked.Level(t.Context(), two, 3, 0)
	if err != nil {
		t.Fatal(err)
	}
	if x, y, z, a := small.Pix8[0], small.Pix8[1], small.Pix8[2], small.Pix8[3]; x < 100 || x > 200 || y < 100 || y > 200 || z != 0 || a != 255 {
		t.Errorf("level 3 has %d %d %d %d", x, y, z, a)
	}
	if tex := cook(t, options(normals), "a.png", encodePNG(t, height)); tex.Swizzle != "" {
		t.Errorf("with alpha, swizzle %q", tex.Swizzle)
	}
	if tex := cook(t, options(normals, func(o *Image) { o.Kind = "data" }), "a.png", encodePNG(t, rough)); tex.Swizzle != "" {
		t.Errorf("data, swizzle %q", tex.Swizzle)
	}
}
