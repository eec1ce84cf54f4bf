package image

import (
	stdimage "image"
	"image/color"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/internal/image/cooked"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// Blocks of every size must decode to nearly the source. The levels are made in bands or as a
// whole, and from pixels with 8 or with more bits.
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
		{texture.ASTC5x4, file, 0}, {texture.ASTC6x5, deepFile, 0.5}, {texture.ASTC8x5, file, 0}, {texture.ASTC8x6, file, 0}, {texture.ASTC10x5, deepFile, 0},
		{texture.ASTC10x6, file, 0}, {texture.ASTC10x8, file, 0.5}, {texture.ASTC10x10, file, 0}, {texture.ASTC12x10, deepFile, 0}, {texture.ASTC12x12, file, 0.5},
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

// HDR for phones becomes ASTC on all levels, and decodes to nearly the source.
func TestHDRForPhonesDecodesToNearlyTheSource(t *testing.T) {
	source := radiance(200, 100)
	want := cook(t, options(func(o *Image) { o.Format = "rgba16f" }), "a.hdr", source)
	for _, tc := range []struct {
		format string
		want   texture.Format
		least  float64
	}{
		{"astc4x4-hdr", texture.ASTC4x4HDR, 49}, {"astc6x6-hdr", texture.ASTC6x6HDR, 37}, {"astc12x10-hdr", texture.ASTC12x10HDR, 37},
	} {
		o := options(func(o *Image) { o.Format, o.GPU = tc.format, "mobile" })
		tex := cook(t, o, "a.hdr", source)
		if tex.Format != tc.want || len(tex.Levels) != len(want.Levels) {
			t.Fatalf("%s: %v with %d levels", tc.format, tex.Format, len(tex.Levels))
		}
		for level := range 3 {
			m, err := cooked.Level(t.Context(), want, level, 0)
			if err != nil {
				t.Fatal(err)
			}
			got, err := cooked.Level(t.Context(), tex, level, 0)
			if err != nil {
				t.Fatal(err)
			}
			if db, err := cooked.PSNR(t.Context(), tex, got, m); err != nil || db < tc.least {
				t.Errorf("%s, level %d: %.2f dB, %v", tc.format, level, db, err)
			}
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
	// off returns the mean angle between the normals of level 0 and the normals of the source.
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

// ETC2 and EAC textures must decode to nearly the source. EAC must keep more than eight bits of
// sources that have more.
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

// UASTC files must decode to the image. They must state whether they have alpha, because
// transcoders need that.
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

// UASTC textures must have sides that are multiples of 4, at most the limit of option fit. With fit
// and pot, they must be scaled only once. Images in other formats must keep their size.
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

func TestEstimateIncludesScalingForUASTC(t *testing.T) {
	o := options(func(o *Image) { o.Format, o.Zstd = "uastc", 0 })
	odd, err := estimate(o, encodePNG(t, nrgba(1023, 1023)))
	scaling := 4*1023*1023 + pixmap.ResizeMemory(1023, 1023, 1024, 1024, pixmap.Bits8, o.mipFilter())
	if err != nil || odd < scaling {
		t.Errorf("1023 x 1023 pixels need %d bytes, but scaling alone needs %d; %v", odd, scaling, err)
	}
}
