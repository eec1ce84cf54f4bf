package image

import (
	stdimage "image"
	"image/color"
	"testing"

	"github.com/assetcook/assetcook/internal/image/texture"
)

// Presets decide on levels and lossless storage if nothing else does.
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

// The frames of an animation have one format, whatever their numbers of colors.
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
