package texture

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseFormat(t *testing.T) {
	for _, f := range Formats() {
		if got, err := ParseFormat(f.String()); got != f || err != nil {
			t.Errorf("ParseFormat(%q) = %v, %v", f.String(), got, err)
		}
		if wide, high, bytes := f.Block(); wide == 0 || high == 0 || bytes == 0 || f.Channels() == "" {
			t.Errorf("%v: block of %d by %d pixels and %d bytes, channels %q", f, wide, high, bytes, f.Channels())
		}
	}
	for _, name := range []string{"", "BC7", "bc2", "Format(0)"} {
		if f, err := ParseFormat(name); err == nil || !strings.Contains(err.Error(), "rgba16f") {
			t.Errorf("ParseFormat(%q) = %v, %v; want an error that names the formats", name, f, err)
		}
	}
	if got := Format(77).String(); got != "Format(77)" || Format(77).Bytes(4, 4) != 0 {
		t.Errorf("unknown format: name %q, %d bytes", got, Format(77).Bytes(4, 4))
	}
}

func TestBytes(t *testing.T) {
	for _, tc := range []struct {
		f    Format
		w, h int
		want int64
	}{
		{BC1, 1, 1, 8}, {BC1A, 4, 4, 8}, {BC1, 5, 4, 16}, {BC3, 4, 5, 32}, {BC4, 8, 8, 32}, {BC5, 8, 8, 64}, {BC6H, 9, 1, 48},
		{BC7, 1024, 512, 1024 * 512}, {R8, 3, 5, 15}, {RG8, 3, 5, 30}, {RGBA8, 3, 5, 60}, {RGB10A2, 3, 5, 60}, {RGBA16F, 3, 5, 120},
		{RGBA16F, MaxSide, MaxSide, 1 << 43},
		{ETC2RGB, 5, 4, 16}, {ETC2RGBA, 4, 5, 32}, {EACR11, 8, 8, 32}, {EACRG11, 8, 8, 64}, {ASTC4x4, 5, 4, 32}, {ASTC5x5, 5, 6, 32}, {ASTC6x6, 512, 512, 86 * 86 * 16}, {ASTC8x8, 8, 9, 32}, {ASTC8x5, 9, 5, 32}, {ASTC12x10, 12, 11, 32}, {ASTC12x12, 1920, 1080, 160 * 90 * 16},
	} {
		if got := tc.f.Bytes(tc.w, tc.h); got != tc.want {
			t.Errorf("%v.Bytes(%d, %d) = %d, want %d", tc.f, tc.w, tc.h, got, tc.want)
		}
	}
}

func TestLevels(t *testing.T) {
	for _, tc := range []struct {
		w, h, levels int
		last         string
	}{
		{1, 1, 1, "1x1"}, {2, 1, 2, "1x1"}, {3, 5, 3, "1x1"}, {256, 16, 9, "1x1"}, {255, 255, 8, "1x1"},
	} {
		n := MaxLevels(tc.w, tc.h)
		w, h := LevelSize(tc.w, tc.h, n-1)
		if n != tc.levels || fmt.Sprintf("%dx%d", w, h) != tc.last {
			t.Errorf("%d x %d: %d levels down to %dx%d, want %d", tc.w, tc.h, n, w, h, tc.levels)
		}
	}
	if w, h := LevelSize(20, 3, 2); w != 5 || h != 1 {
		t.Errorf("level 2 of 20 x 3 is %d x %d", w, h)
	}
}

func TestCheck(t *testing.T) {
	fine := func() *Texture {
		return &Texture{Format: BC7, SRGB: true, W: 8, H: 8, Layers: 2, Cube: true, Swizzle: "bgr1",
			Levels: [][]byte{make([]byte, 12*64), make([]byte, 12*16)}}
	}
	if err := fine().Check(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*Texture){
		"format 0 is unknown":                    func(t *Texture) { t.Format = 0 },
		"bc5 has no sRGB form":                   func(t *Texture) { t.Format = BC5 },
		"size 0 x 8":                             func(t *Texture) { t.W = 0 },
		"size 8 x 1048577":                       func(t *Texture) { t.H = MaxSide + 1 },
		"layers is -1":                           func(t *Texture) { t.Layers = -1 },
		"layers is 65537":                        func(t *Texture) { t.Layers = MaxLayers + 1 },
		"must be square":                         func(t *Texture) { t.H = 4 },
		"a swizzle has four letters":             func(t *Texture) { t.Swizzle = "rrr" },
		`swizzle "rgbA" has 'A'`:                 func(t *Texture) { t.Swizzle = "rgbA" },
		"0 levels are too many for 8 x 8 pixels": func(t *Texture) { t.Levels = nil },
		"5 levels are too many for 8 x 8 pixels": func(t *Texture) { t.Levels = make([][]byte, 5) },
		"slices is -1":                           func(t *Texture) { t.Depth = -1 },
		"slices is 16385":                        func(t *Texture) { t.Depth = MaxDepth + 1 },
		"neither a cube nor an array":            func(t *Texture) { t.Depth = 2 },
		"a volume cannot have the format bc7":    func(t *Texture) { t.Depth, t.Cube, t.Layers = 2, false, 0 },
		"a volume has 2 levels; it must have one": func(t *Texture) {
			t.Format, t.SRGB, t.Depth, t.Cube, t.Layers = RGBA8, true, 2, false, 0
		},
		"level 1 holds 191 bytes, but 12 images of 4 x": func(t *Texture) { t.Levels[1] = t.Levels[1][1:] },
	} {
		tex := fine()
		change(tex)
		if err := tex.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if one := (&Texture{}); one.Images() != 1 || one.Faces() != 1 || fine().Images() != 12 {
		t.Errorf("%d images and %d faces, want 1; %d, want 12", one.Images(), one.Faces(), fine().Images())
	}
}

func TestChoose(t *testing.T) {
	for _, tc := range []struct {
		name    string
		facts   Facts
		want    Format
		from    byte
		swizzle string
		reason  string
	}{
		{"photograph", Facts{W: 512, H: 512, SRGB: true, Opaque: true}, BC7, 0, "", "bc7: colors, opaque"},
		{"leaves", Facts{W: 512, H: 512, SRGB: true}, BC7, 0, "", "bc7: colors with alpha"},
		{"normal map", Facts{W: 512, H: 512, Opaque: true, Normal: true}, BC5, 0, "", "bc5: normal map: x and y have their own channels, and a shader computes z"},
		{"sky", Facts{W: 512, H: 512, Float: true, Opaque: true}, BC6H, 0, "", "bc6h: high dynamic range"},
		{"light with alpha", Facts{W: 512, H: 512, Float: true}, RGBA16F, 0, "", "rgba16f: high dynamic range with alpha, which no compressed format can store"},
		{"small sky", Facts{W: 8, H: 8, Float: true, Opaque: true}, BC6H, 0, "", "bc6h: high dynamic range"},
		{"icon", Facts{W: 32, H: 32, SRGB: true, Opaque: true}, RGBA8, 0, "", "rgba8: tiny (32 x 32 uncompressed pixels fit in 4 KiB)"},
		{"strip", Facts{W: 1025, H: 1, SRGB: true, Opaque: true}, BC7, 0, "", "bc7: colors, opaque"},
		{"sprites", Facts{W: 512, H: 512, SRGB: true, Colors: 64}, RGBA8, 0, "", "rgba8: pixel art of 64 colors, which compression would blur"},
		{"too many colors", Facts{W: 512, H: 512, SRGB: true, Colors: 65}, BC7, 0, "", "bc7: colors with alpha"},
		{"two colors", Facts{W: 512, H: 512, SRGB: true, Colors: 2}, BC7, 0, "", "bc7: colors with alpha"},
		{"diagram", Facts{W: 1024, H: 512, SRGB: true, Colors: 9}, BC7, 0, "", "bc7: colors with alpha"},
		{"roughness", Facts{W: 512, H: 512, Opaque: true, One: "rrr1", Colors: 65}, BC4, 'r', "rrr1", "bc4: gray"},
		{"gray photograph", Facts{W: 512, H: 512, SRGB: true, Opaque: true, One: "rrr1"}, BC7, 0, "", "bc7: gray in sRGB, which formats of one channel cannot store (srgb = false allows them)"},
		{"mask in red", Facts{W: 512, H: 512, Opaque: true, One: "r001"}, BC4, 'r', "", "bc4: only red carries something"},
		{"mask in blue", Facts{W: 512, H: 512, Opaque: true, One: "00b1"}, BC4, 'b', "00r1", "bc4: only blue carries something"},
		{"alpha", Facts{W: 512, H: 512, One: "111a"}, BC4, 'a', "111r", "bc4: only alpha carries something"},
		{"sRGB alpha", Facts{W: 512, H: 512, SRGB: true, One: "111a"}, BC4, 'a', "111r", "bc4: only alpha carries something"},
		{"photograph for phones", Facts{GPU: Mobile, W: 512, H: 512, SRGB: true, Opaque: true}, ASTC6x6, 0, "", "astc6x6: colors, opaque"},
		{"data for phones", Facts{GPU: Mobile, W: 512, H: 512, Opaque: true}, ASTC4x4, 0, "", "astc4x4: colors, opaque"},
		{"mask for phones", Facts{GPU: Mobile, W: 512, H: 512, Opaque: true, One: "00b1"}, EACR11, 'b', "00r1", "eacr11: only blue carries something"},
		{"normal map for phones", Facts{GPU: Mobile, W: 512, H: 512, Opaque: true, Normal: true}, EACRG11, 0, "", "eacrg11: normal map: x and y have their own channels, and a shader computes z"},
		{"sky for phones", Facts{GPU: Mobile, W: 512, H: 512, Float: true, Opaque: true}, RGBA16F, 0, "", "rgba16f: high dynamic range"},
		{"sky with alpha for phones", Facts{GPU: Mobile, W: 512, H: 512, Float: true}, RGBA16F, 0, "", "rgba16f: high dynamic range with alpha, which no compressed format can store"},
		{"icon for phones", Facts{GPU: Mobile, W: 32, H: 32, SRGB: true}, RGBA8, 0, "", "rgba8: tiny (32 x 32 uncompressed pixels fit in 4 KiB)"},
		{"photograph for pages", Facts{GPU: Web, W: 512, H: 512, SRGB: true, Opaque: true}, UASTC, 0, "", "uastc: colors, opaque"},
		{"icon for pages", Facts{GPU: Web, W: 32, H: 32, SRGB: true}, UASTC, 0, "", "uastc: chosen although the image has few pixels or colors, because models can name only this format"},
		{"sky for pages", Facts{GPU: Web, W: 512, H: 512, Float: true, Opaque: true}, UASTCHDR, 0, "", "uastc-hdr: high dynamic range"},
		{"normal map for pages", Facts{GPU: Web, W: 512, H: 512, Opaque: true, Normal: true}, UASTC, 0, "", "uastc: normal map"},
		{"mask for pages", Facts{GPU: Web, W: 512, H: 512, Opaque: true, One: "00b1"}, UASTC, 0, "", "uastc: only blue carries something"},
		{"nothing", Facts{W: 512, H: 512, Opaque: true, One: "0001"}, BC4, 'r', "0001", "bc4: the same value everywhere"},
	} {
		got := Choose(tc.facts)
		if want := (Choice{Format: tc.want, From: tc.from, Swizzle: tc.swizzle, Reason: tc.reason}); got != want {
			t.Errorf("%s: %+v, want %+v", tc.name, got, want)
		}
		if err := CheckSwizzle(got.Swizzle); err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

func ExampleChoose() {
	fmt.Println(Choose(Facts{W: 1024, H: 1024, SRGB: true, Opaque: true}).Reason)
	fmt.Println(Choose(Facts{W: 16, H: 16, SRGB: true}).Reason)
	// Output:
	// bc7: colors, opaque
	// rgba8: tiny (16 x 16 uncompressed pixels fit in 4 KiB)
}
