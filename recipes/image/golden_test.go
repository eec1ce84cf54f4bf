package image

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"
	"testing/fstest"
)

// The bytes are the same on every machine. A change here changes cooked files: the recipe's
// version must rise with it. Levels are not packed with Zstandard, whose encoder may change
// between releases. Package bc7 has its own golden blocks.
func TestTexturesHaveGoldenBytes(t *testing.T) {
	tree := fstest.MapFS{
		"a.png":     {Data: encodePNG(t, scene(60, 45))},
		"b.png":     {Data: encodePNG(t, bumps(60, 45, true))},
		"sky.hdr":   {Data: radiance(48, 40)},
		"cross.png": {Data: encodePNG(t, scene(160, 120))},
	}
	for _, tc := range []struct {
		name, source, want string
		set                func(*Image)
	}{
		{"normal map", "b.png", "0845d28464ede5bf", func(*Image) {}},
		{"light", "sky.hdr", "0cc98001597ab027", func(*Image) {}},
		{"kaiser", "a.png", "0cade51428e911a3", func(o *Image) { o.Format, o.Filter, o.Wrap, o.Coverage = "bc3", "kaiser", "repeat", 0.8 }},
		{"cube", "a.png", "5ee5b932d114be3b", func(o *Image) { o.Cube, o.Format, o.Container, o.Premultiply = "cross", "rgba8", "dds", true }},
		{"pack", "a.png", "c8d8735f7c7ddad0", func(o *Image) {
			o.B, o.Layers, o.Filter, o.POT, o.Format = "1-g", []string{"b.png"}, "mitchell", "up", "bc1"
		}},
		{"best", "a.png", "7f77263f44b7c1bf", func(o *Image) { o.Quality, o.Format, o.R = "best", "bc1a", "g" }},
		{"lighting", "around.hdr", "d3eef541a6ee5bea", func(o *Image) {
			o.Cube, o.Prefilter, o.Irradiance, o.Format = "equirect", "filament", "sh", "rgba16f"
		}},
		{"lighting of bytes", "cross.png", "871a8b065de339a5", func(o *Image) {
			o.Cube, o.Prefilter, o.Irradiance, o.Container, o.Format = "cross", "ggx", "sh", "dds", "bc1"
		}},
		{"sixteen bits", "a.png", "189604872c2ce150", func(o *Image) { o.Format, o.G = "rgba16f", "sky2.hdr:r" }},
	} {
		tree["sky2.hdr"] = &fstest.MapFile{Data: radiance(60, 45)}
		tree["around.hdr"] = &fstest.MapFile{Data: radiance(256, 128)}
		_, res := cookTree(t, options(func(o *Image) { o.Zstd = 0 }, tc.set), tree, tc.source)
		if res.Err != nil {
			t.Fatal(res.Err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(slices.Concat(res.Outputs...)))[:16]; got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}
