package image

import (
	stdimage "image"
	"image/color"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/countdown"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/assetcook/assetcook/internal/jobs"
)

// bumps draws a normal map.
func bumps(w, h int, blue bool) *stdimage.NRGBA {
	m := nrgba(w, h)
	for y := range h {
		for x := range w {
			dx, dy := 0.8*math.Sin(float64(x)/3), 0.8*math.Cos(float64(y)/4)
			long := math.Sqrt(dx*dx + dy*dy + 1)
			c := color.NRGBA{R: unitByte(dx / long), G: unitByte(dy / long), A: 255}
			if blue {
				c.B = unitByte(1 / long)
			}
			m.SetNRGBA(x, y, c)
		}
	}
	return m
}

func unitByte(v float64) byte { return byte(math.Round((v + 1) * 127.5)) }

func painted(w, h int, paint func(x, y int) color.NRGBA) *stdimage.NRGBA {
	m := nrgba(w, h)
	for y := range h {
		for x := range w {
			m.SetNRGBA(x, y, paint(x, y))
		}
	}
	return m
}

// Format auto must choose the right kinds and formats, and explain them.
func TestAutoChoosesKindAndFormat(t *testing.T) {
	gray := painted(64, 64, func(x, y int) color.NRGBA { return color.NRGBA{byte(x * y), byte(x * y), byte(x * y), 255} })
	red := painted(64, 64, func(x, y int) color.NRGBA { return color.NRGBA{byte(x * y), 0, 0, 255} })
	green := painted(64, 64, func(x, y int) color.NRGBA { return color.NRGBA{0, byte(x * y), 0, 255} })
	smoke := painted(64, 64, func(x, y int) color.NRGBA { return color.NRGBA{255, 255, 255, byte(x * y)} })
	art := painted(64, 64, func(x, y int) color.NRGBA { return color.NRGBA{byte(x / 16 * 60), byte(y / 16 * 60), 9, 255} })
	flame := painted(64, 64, func(x, y int) color.NRGBA { return color.NRGBA{byte(235 + y%20), byte(60 + x*2), 0, 255} })
	puff := painted(64, 64, func(x, y int) color.NRGBA { v := byte(x*3 + y); return color.NRGBA{v, v, v, v} })
	white := painted(64, 64, func(x, y int) color.NRGBA { return color.NRGBA{255, 255, 255, 255} })
	height := bumps(64, 64, true)
	for i := 3; i < len(height.Pix); i += 4 {
		height.Pix[i] = byte(i)
	}
	sky := painted(64, 64, func(x, y int) color.NRGBA { // sky has unit vectors that are tilted.
		dx, dy := -0.6+float64(x%16)/200, 0.2+float64(y)/400
		return color.NRGBA{unitByte(dx), unitByte(dy), unitByte(math.Sqrt(1 - dx*dx - dy*dy)), 255}
	})
	uneven := bumps(64, 64, true)
	for i := range uneven.Pix {
		if i%4 != 3 {
			uneven.Pix[i] = byte(127.5 + (float64(uneven.Pix[i])-127.5)*(0.8+0.01*float64(i/4%30)))
		}
	}
	shallow := painted(64, 64, func(x, y int) color.NRGBA { return color.NRGBA{byte(118 + x%20), byte(118 + y%20), 254, 255} })
	plainBlue := painted(64, 64, func(x, y int) color.NRGBA { return color.NRGBA{byte(127 + x/32), 128, byte(254 + y/32), 255} })
	named := func(o *Image) { o.Named = "normal" }
	mask := func(o *Image) { o.Kind = "mask" }
	linear := func(o *Image) { o.SRGB = false }
	none := func(*Image) {}
	for _, tc := range []struct {
		name    string
		m       *stdimage.NRGBA
		set     func(*Image)
		format  texture.Format
		srgb    bool
		swizzle string
		why     []string // expected text in each line, in order
	}{
		{"colors", opaque(scene(64, 64)), none, texture.BC7, true, "", []string{"role color", "format bc7: colors, opaque"}},
		{"alpha", scene(64, 64), none, texture.BC7, true, "", []string{"role color", "format bc7: colors with alpha"}},
		{"tiny", scene(16, 16), none, texture.RGBA8, true, "", []string{"role color", "format rgba8: tiny"}},
		{"pixel art", art, none, texture.RGBA8, true, "", []string{"role color", "format rgba8: pixel art of 16 colors"}},
		{"normals", bumps(64, 64, true), none, texture.BC5, false, "", []string{"role normal: 100 % of pixels have unit length", "format bc5: normal map"}},
		{"normals by name", bumps(64, 64, true), named, texture.BC5, false, "", []string{"its path says normal map, and 100 %", "format bc5"}},
		{"two channels by name", bumps(64, 64, false), named, texture.BC5, false, "", []string{"its path says normal map, and it has two channels", "format bc5"}},
		{"a name that lies", opaque(scene(64, 64)), named, texture.BC7, true, "", []string{"role color: its path says normal map, but", "format bc7"}},
		{"a sky in the north", sky, named, texture.BC7, true, "", []string{"role color: its path says normal map, but 100 %", "format bc7"}},
		{"a sky", sky, none, texture.BC7, true, "", []string{"role color", "format bc7: colors, opaque"}},
		{"normals of any length", uneven, named, texture.BC5, false, "", []string{"its path says normal map, and", "format bc5"}},
		{"z always the same", shallow, none, texture.BC7, true, "", []string{"role color", "format bc7: colors, opaque"}},
		{"the same without a name", uneven, none, texture.BC7, true, "", []string{"role color", "format bc7: colors, opaque"}},
		{"light blue", plainBlue, none, texture.RGBA8, true, "", []string{"role color", "format rgba8: pixel art of 4 colors"}},
		{"normals with height", height, named, texture.BC7, false, "", []string{"role normal", "format bc7", "alpha is in use"}},
		{"normals that are cut out", bumps(64, 64, true), func(o *Image) { o.Coverage = 0.5 }, texture.BC7, true, "", []string{"role color", "format bc7"}},
		{"a flame by name", flame, named, texture.BC7, true, "", []string{"role color: its path says normal map, but", "format bc7"}},
		{"alpha as colors", puff, linear, texture.BC7, false, "", []string{"role color", "format bc7"}},
		{"white in r8", white, func(o *Image) { mask(o); o.Format = "r8" }, texture.R8, false, "1111", []string{"role mask", "format r8: the options determine it"}},
		{"normals that are colors", bumps(64, 64, true), func(o *Image) { o.Kind = "color" }, texture.BC7, true, "", []string{"role color", "format bc7"}},
		{"gray", gray, none, texture.BC7, true, "", []string{"role color", "format bc7: gray in sRGB"}},
		{"gray light", gray, linear, texture.BC4, false, "rrr1", []string{"role color", "format bc4: gray"}},
		{"gray mask", gray, mask, texture.BC4, false, "rrr1", []string{"role mask", "format bc4: gray"}},
		{"red mask", red, mask, texture.BC4, false, "", []string{"role mask", "format bc4: only red"}},
		{"green mask", green, mask, texture.BC4, false, "0r01", []string{"role mask", "format bc4: only green"}},
		{"green mask in r8", green, func(o *Image) { mask(o); o.Format = "r8" }, texture.R8, false, "0r01", []string{"role mask", "format r8: the options determine it, stores the only channel"}},
		{"alpha mask", smoke, none, texture.BC4, false, "111r", []string{"role color", "format bc4: only alpha"}},
		{"alpha that multiplies", smoke, func(o *Image) { o.Premultiply = true }, texture.BC7, true, "", []string{"role color", "format bc7"}},
		{"data", green, func(o *Image) { o.Kind = "data" }, texture.BC7, false, "", []string{"role data", "format bc7"}},
		{"explicit", green, func(o *Image) { o.Format = "bc1" }, texture.BC1, true, "", []string{"role color", "format bc1: the options determine it"}},
		{"explicit without sRGB", green, func(o *Image) { o.Format = "rg8" }, texture.RG8, false, "", []string{"role color", "values are stored unchanged, because rg8 has no sRGB form", "format rg8"}},
		{"scaled", opaque(scene(64, 64)), func(o *Image) { o.Fit = 48 }, texture.BC7, true, "", []string{"role color", "size 48 x 48: scaled from 64 x 64", "format bc7"}},
		{"art that is scaled", art, func(o *Image) { o.Fit = 37 }, texture.RGBA8, true, "", []string{"role color", "size 37 x 37", "format rgba8: pixel art of 49 colors"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tree := fstest.MapFS{"a.png": {Data: encodePNG(t, tc.m)}}
			o := options(tc.set, func(o *Image) { o.Quality = "fast" })
			tex, res := cookTree(t, o, tree, "a.png")
			if res.Err != nil {
				t.Fatal(res.Err)
			}
			if tex.Format != tc.format || tex.SRGB != tc.srgb || tex.Swizzle != tc.swizzle {
				t.Errorf("%v, sRGB %v, swizzle %q; want %v, %v, %q", tex.Format, tex.SRGB, tex.Swizzle, tc.format, tc.srgb, tc.swizzle)
			}
			why := explain(t, o, tree, "a.png")
			if len(why) != len(tc.why) {
				t.Fatalf("reasons %q, want %q", why, tc.why)
			}
			for i, line := range why {
				if !strings.Contains(line, tc.why[i]) || strings.Contains(line, "\n") {
					t.Errorf("reason %q, want %q", line, tc.why[i])
				}
			}
		})
	}
}

func explain(t testing.TB, o *Image, tree fstest.MapFS, name string) []string {
	t.Helper()
	lines, _ := recipetest.Explain(t, Recipe(), o, tree, name)
	return lines
}

// A mask must be stored in one channel. The smallest level must have the mean of its values.
func TestMaskIsMovedToRed(t *testing.T) {
	smoke := painted(64, 64, func(x, y int) color.NRGBA { return color.NRGBA{255, 255, 255, byte(4 * x)} })
	tex := cook(t, options(func(o *Image) { o.Format, o.Kind = "r8", "mask" }), "a.png", encodePNG(t, smoke))
	for x := range 64 {
		if got := tex.Levels[0][x]; got != byte(4*x) {
			t.Fatalf("pixel %d is %d", x, got)
		}
	}
	if got := tex.Levels[6][0]; got != 126 {
		t.Errorf("the mean is %d, want 126", got)
	}
}

func TestLevelsOfNormalMapsAreUnitVectors(t *testing.T) {
	tex := cook(t, options(func(o *Image) { o.Format, o.Kind = "rgba8", "normal" }), "a_n.png", encodePNG(t, bumps(64, 64, true)))
	for i := 0; i < len(tex.Levels[3]); i += 4 {
		p := tex.Levels[3][i:]
		x, y, z := float64(p[0])/127.5-1, float64(p[1])/127.5-1, float64(p[2])/127.5-1
		if long := math.Sqrt(x*x + y*y + z*z); math.Abs(long-1) > 0.01 {
			t.Fatalf("pixel %d is %v long", i/4, long)
		}
	}
}

func TestMaskOfSeveralChannelsIsRefused(t *testing.T) {
	_, res := cookTree(t, options(func(o *Image) { o.Kind = "mask" }), fstest.MapFS{"a.png": {Data: encodePNG(t, scene(9, 9))}}, "a.png")
	if res.Err == nil || !strings.Contains(res.Err.Error(), `choose the channel with r`) {
		t.Errorf("error %v", res.Err)
	}
	// The options that the message recommends must work.
	o := options(func(o *Image) { o.Kind, o.Format, o.R, o.G, o.B, o.A = "mask", "r8", "g", "0", "0", "1" })
	if tex := cook(t, o, "a.png", encodePNG(t, scene(9, 9))); tex.Levels[0][9] != 5 {
		t.Errorf("second row is %d, want the green 5", tex.Levels[0][9])
	}
}

// If a file does not say how to interpret its values, the decision must be explained.
func TestDecisionAboutUndefinedNumbersIsExplained(t *testing.T) {
	tga := func(alpha ...byte) []byte {
		b := []byte{2: 2, 12: 2, 14: 1, 16: 32, 17: 0x20}
		for _, a := range alpha {
			b = append(b, 3, 2, 1, a)
		}
		return b
	}
	signed := []byte("II*\x00\x0a\x00\x00\x00\x80\x7f\x07\x00") // a TIFF of two samples and seven tags
	for _, e := range [][2]byte{{0, 2}, {1, 1}, {2, 8}, {6, 1}, {17, 8}} {
		signed = append(signed, e[0], 1, 3, 0, 1, 0, 0, 0, e[1], 0, 0, 0)
	}
	signed = append(signed, 23, 1, 3, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0x53, 1, 3, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0)
	tree := fstest.MapFS{
		"kept.tga":     {Data: tga(0, 9)},
		"cleared.tga":  {Data: tga(0, 0)},
		"opaque.tga":   {Data: tga(255, 255)},
		"signed.tiff":  {Data: signed},
		"ordinary.png": {Data: encodePNG(t, scene(2, 1))},
	}
	for name, want := range map[string]string{
		"kept.tga": "because some values are not 0", "cleared.tga": "alpha: none, because", "signed.tiff": "the smallest value becomes 0",
		"opaque.tga": "", "ordinary.png": "",
	} {
		lines := explain(t, options(), tree, name)
		if said := len(lines) > 2; said != (want != "") || !strings.Contains(strings.Join(lines, "\n"), want) {
			t.Errorf("%s: %q, want %q", name, lines, want)
		}
	}
}

func TestDDSHeaderIsExplained(t *testing.T) {
	gray := painted(64, 64, func(x, y int) color.NRGBA { return color.NRGBA{byte(x * y), byte(x * y), byte(x * y), 255} })
	o := options(func(o *Image) { o.Kind, o.Container = "mask", "dds" })
	why := explain(t, o, fstest.MapFS{"a.png": {Data: encodePNG(t, gray)}}, "a.png")
	if !strings.Contains(strings.Join(why, "\n"), `a dds file cannot record the swizzle: shaders read "rrr1"`) {
		t.Errorf("reasons %q", why)
	}
	for want, o := range map[string]*Image{
		"legacy dds header, which":         options(func(o *Image) { o.Container, o.Format, o.SRGB = "dds", "bc1", false }),
		`dds_header = "legacy" writes one`: options(func(o *Image) { o.Container, o.Format = "dds", "bc1" }),
		"legacy dds header (dds_header)":   options(func(o *Image) { o.Container, o.Format, o.DDSHeader = "dds", "bc1", "legacy" }),
		"DX10 dds header":                  options(func(o *Image) { o.Container, o.Format = "dds", "bc7" }),
	} {
		if why := explain(t, o, fstest.MapFS{"a.png": {Data: encodePNG(t, gray)}}, "a.png"); !strings.Contains(strings.Join(why, "\n"), want) {
			t.Errorf("reasons %q, want %q", why, want)
		}
	}
}

// A legacy header must be refused before cooking if the options exclude it. Otherwise it must be
// refused if it cannot describe the format.
func TestImpossibleLegacyHeaderIsRefused(t *testing.T) {
	legacy := func(set func(*Image)) *Image {
		return options(func(o *Image) { o.Container, o.DDSHeader = "dds", "legacy" }, set)
	}
	for want, o := range map[string]*Image{
		"the legacy dds header has no bc7,":                        legacy(func(o *Image) { o.Format = "bc7" }),
		"the legacy dds header has no arrays; use the DX10 header": legacy(func(o *Image) { o.Format, o.Layers = "bc1", []string{"b.png"} }),
	} {
		if err := o.checkOptions(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	tree := fstest.MapFS{"a.png": {Data: encodePNG(t, scene(70, 70))}}
	if _, res := cookTree(t, legacy(func(o *Image) { o.Format = "auto" }), tree, "a.png"); res.Err == nil || !strings.Contains(res.Err.Error(), "the legacy dds header has no bc7") {
		t.Errorf("error %v", res.Err)
	}
}

func TestLayersMustHaveOneKind(t *testing.T) {
	red := painted(64, 64, func(x, y int) color.NRGBA { return color.NRGBA{byte(x * y), 0, 0, 255} })
	green := painted(64, 64, func(x, y int) color.NRGBA { return color.NRGBA{0, byte(x * y), 0, 255} })
	colorful := nrgba(64, 64) // the mean color has no tint
	noise(colorful.Pix)
	opaque(colorful)
	tree := fstest.MapFS{
		"red.png": {Data: encodePNG(t, red)}, "green.png": {Data: encodePNG(t, green)},
		"bumps.png": {Data: encodePNG(t, bumps(64, 64, true))}, "scene.png": {Data: encodePNG(t, colorful)},
	}
	layer := func(kind, other string) *Image {
		return options(func(o *Image) { o.Kind, o.Layers, o.Quality = kind, []string{other}, "fast" })
	}
	if _, res := cookTree(t, layer("mask", "green.png"), tree, "red.png"); res.Err == nil {
		t.Error("a red and a green mask: no error")
	}
	for _, tc := range []struct {
		source, other string
		want          texture.Format
	}{{"red.png", "red.png", texture.BC7}, {"bumps.png", "bumps.png", texture.BC5}, {"bumps.png", "scene.png", texture.BC7}, {"scene.png", "bumps.png", texture.BC7}} {
		tex, res := cookTree(t, layer("auto", tc.other), tree, tc.source)
		if res.Err != nil || tex.Format != tc.want {
			t.Errorf("%s and %s: %v, error %v; want %v", tc.source, tc.other, tex.Format, res.Err, tc.want)
		}
	}
}

func TestOptionsOfBC7HaveAnEffect(t *testing.T) {
	m := scene(48, 48) // an image of colors, noise and alpha, so that every option has an effect
	noise(m.Pix[:len(m.Pix)/2])
	seen := map[string]int{}
	for i, set := range []func(*Image){
		func(*Image) {}, func(o *Image) { o.WeighAlpha = true }, func(o *Image) { o.RDO = 2 },
	} {
		tex := cook(t, options(func(o *Image) { o.Format = "bc7" }, set), "a.png", encodePNG(t, m))
		if other, ok := seen[string(tex.Levels[0])]; ok {
			t.Errorf("options %d and %d give the same texture", i, other)
		}
		seen[string(tex.Levels[0])] = i
	}
}

func TestQualityChangesTheTexture(t *testing.T) {
	m := nrgba(64, 64)
	noise(m.Pix)
	opaque(m)
	seen := map[string]bool{}
	for _, quality := range []string{"fast", "normal", "best"} {
		tex := cook(t, options(func(o *Image) { o.Format, o.Quality = "bc1", quality }), "a.png", encodePNG(t, m))
		seen[string(tex.Levels[0])] = true
	}
	if len(seen) != 3 {
		t.Errorf("%d different textures, want 3", len(seen))
	}
}

// Pixels must be analyzed once for all decisions, and again after scaling.
func TestPixelsAreAnalysedOnce(t *testing.T) {
	file := encodePNG(t, scene(40, 30))
	rows := func(change func(*Image)) int {
		ctx := countdown.New(t.Context(), math.MaxInt)
		tree := fstest.MapFS{"a.png": {Data: file}}
		job := jobs.New(Recipe(), jobs.OfTree(Recipe(), tree, "a.png"), int64(len(file)))
		if _, err := options(change).prepareSubject(ctx, job); err != nil {
			t.Fatal(err)
		}
		return math.MaxInt - ctx.Left
	}
	format := rows(func(o *Image) { o.Kind = "color" })
	if both := rows(func(*Image) {}); both != format {
		t.Errorf("%d checks of the context for kind and format, want %d as for the format alone", both, format)
	}
	format = rows(func(o *Image) { o.Kind, o.Fit = "color", 20 })
	if both := rows(func(o *Image) { o.Fit = 20 }); both != format+30 {
		t.Errorf("scaled: %d checks, want %d plus those of 30 rows", both, format)
	}
}

// Presets must decide on levels and lossless storage if no other option does.
func TestPresetDecidesOnLevelsAndExactness(t *testing.T) {
	soft := encodePNG(t, scene(60, 60))
	large := encodePNG(t, scene(160, 120))
	for _, tc := range []struct {
		name   string
		file   []byte
		set    func(*Image)
		format texture.Format
		levels int
	}{
		{"auto", soft, func(o *Image) {}, texture.BC7, 6},
		{"2d", soft, func(o *Image) { o.Preset = "2d" }, texture.RGBA8, 1},
		{"3d", soft, func(o *Image) { o.Preset = "3d" }, texture.BC7, 6},
		{"pixel", soft, func(o *Image) { o.Preset = "pixel" }, texture.RGBA8, 1},
		{"2d with levels", soft, func(o *Image) { o.Preset, o.Mips = "2d", "true" }, texture.RGBA8, 6},
		{"2d and a format", soft, func(o *Image) { o.Preset, o.Format = "2d", "bc3" }, texture.BC3, 1},
		{"2d that is cut out", soft, func(o *Image) { o.Preset, o.Coverage = "2d", 0.5 }, texture.RGBA8, 6},
		{"2d data", soft, func(o *Image) { o.Preset, o.Kind = "2d", "data" }, texture.BC7, 1},
		{"pixel data", soft, func(o *Image) { o.Preset, o.Kind = "pixel", "data" }, texture.RGBA8, 1},
		{"pixel mask with a format", encodePNG(t, gradient(60, 60)), func(o *Image) { o.Preset, o.Kind, o.Format = "pixel", "mask", "r8" }, texture.R8, 1},
		{"sprite", soft, func(o *Image) { o.Named = "sprite" }, texture.RGBA8, 1},
		{"sprite in 3d", soft, func(o *Image) { o.Named, o.Preset = "sprite", "3d" }, texture.BC7, 6},
		{"ui in 3d", soft, func(o *Image) { o.Named, o.Preset = "ui", "3d" }, texture.RGBA8, 1},
		{"ui without levels", soft, func(o *Image) { o.Named, o.Mips = "ui", "true" }, texture.RGBA8, 6},
		{"frame", soft, func(o *Image) { o.Named = "numbered" }, texture.RGBA8, 6},
		{"large frame", large, func(o *Image) { o.Named = "numbered" }, texture.BC7, 8},
		{"large frame in 2d", large, func(o *Image) { o.Named, o.Preset = "numbered", "2d" }, texture.RGBA8, 1},
		{"frame in 3d", soft, func(o *Image) { o.Named, o.Preset = "numbered", "3d" }, texture.BC7, 6},
	} {
		tex := cook(t, options(tc.set, func(o *Image) { o.Quality = "fast" }), "a.png", tc.file)
		if tex.Format != tc.format || len(tex.Levels) != tc.levels {
			t.Errorf("%s: %v, %d levels; want %v, %d", tc.name, tex.Format, len(tex.Levels), tc.format, tc.levels)
		}
	}
}

// All frames of an animation must have the same format, whatever their numbers of colors.
func TestFramesShareAFormat(t *testing.T) {
	few := painted(150, 120, func(x, y int) color.NRGBA { return color.NRGBA{byte(x / 50 * 60), byte(y / 40 * 60), 9, 255} })
	white := painted(150, 120, func(x, y int) color.NRGBA { return color.NRGBA{255, 255, 255, byte(x)} })
	for _, named := range []string{"numbered", "sprite", "none"} {
		seen := map[texture.Format]bool{}
		for _, m := range []*stdimage.NRGBA{few, white, scene(150, 120)} {
			o := options(func(o *Image) { o.Named, o.Quality = named, "fast" })
			seen[cook(t, o, "a.png", encodePNG(t, m)).Format] = true
		}
		if one := len(seen) == 1; one != (named != "none") {
			t.Errorf("named %s: formats %v", named, seen)
		}
	}
}
