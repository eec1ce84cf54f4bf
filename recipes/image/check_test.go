package image

import (
	"errors"
	"testing"

	"github.com/assetcook/assetcook/cook/recipe"
)

func TestWrongOptionIsNamed(t *testing.T) {
	for _, tc := range []struct {
		key string // the wrong option, "" if all are right
		set func(*Image)
	}{
		{"", func(o *Image) { o.R, o.G, o.B, o.A = "g", "1-r", "0", "rough.png:1-a" }},
		{"", func(o *Image) { o.Cube, o.Faces = "faces", make([]string, 5) }},
		{"", func(o *Image) { o.Cube, o.Faces = "faces", make([]string, 6) }},
		{"", func(o *Image) { o.Cube, o.Layers = "cross", []string{"b.png"} }},
		{"", func(o *Image) { o.POT, o.Fit = "require", 64 }},
		{"", func(o *Image) { o.Premultiply, o.Format = true, "bc3" }},
		{"", func(o *Image) { o.WeighAlpha, o.RDO, o.Format = true, 0.5, "bc7" }},
		{"", func(o *Image) { o.WeighAlpha, o.RDO, o.Coverage = true, 0.5, 0.5 }},
		{"", func(o *Image) { o.WeighAlpha, o.Format = true, "astc6x6" }},
		{"container", func(o *Image) { o.Container, o.Format = "dds", "astc6x6" }},
		{"", func(o *Image) { o.WeighAlpha, o.Format = true, "etc2rgba" }},
		{"weigh_alpha", func(o *Image) { o.WeighAlpha, o.Format = true, "etc2rgb" }},
		{"container", func(o *Image) { o.Container, o.Format = "dds", "etc2rgb" }},
		{"format", func(o *Image) { o.Kind, o.Format = "normal", "eacr11" }},
		{"", func(o *Image) { o.WeighAlpha, o.Format = true, "uastc" }},
		{"container", func(o *Image) { o.Container, o.Format = "dds", "uastc" }},
		{"r", func(o *Image) { o.R = "x" }},
		{"g", func(o *Image) { o.G = "file.png" }},
		{"b", func(o *Image) { o.B = "file.png:0" }},
		{"a", func(o *Image) { o.A = ":r" }},
		{"faces", func(o *Image) { o.Cube = "faces" }},
		{"faces", func(o *Image) { o.Cube, o.Faces = "faces", make([]string, 4) }},
		{"cube", func(o *Image) { o.Faces = make([]string, 5) }},
		{"layers", func(o *Image) { o.Cube, o.Faces, o.Layers = "faces", make([]string, 5), []string{"b.png"} }},
		{"layers", func(o *Image) { o.Layers = make([]string, 1<<16) }},
		{"g", func(o *Image) { o.Layers, o.G = []string{"b.png"}, "c.png:r" }},
		{"fit", func(o *Image) { o.POT, o.Fit = "require", 63 }},
		{"coverage", func(o *Image) { o.Coverage, o.Kind = 0.5, "normal" }},
		{"", func(o *Image) { o.Coverage, o.Format = 0.5, "bc1a" }},
		{"coverage", func(o *Image) { o.Coverage, o.Format = 0.25, "bc1a" }},
		{"coverage", func(o *Image) { o.Coverage, o.Format = 0.5, "bc1" }},
		{"coverage", func(o *Image) { o.Coverage, o.Mips = 0.5, "false" }},
		{"format", func(o *Image) { o.Kind, o.Format = "normal", "bc4" }},
		{"premultiply", func(o *Image) { o.Premultiply, o.Kind = true, "data" }},
		{"premultiply", func(o *Image) { o.Premultiply, o.Format = true, "bc1" }},
		{"weigh_alpha", func(o *Image) { o.WeighAlpha, o.Kind = true, "mask" }},
		{"weigh_alpha", func(o *Image) { o.WeighAlpha, o.Premultiply = true, true }},
		{"weigh_alpha", func(o *Image) { o.WeighAlpha, o.Format = true, "bc3" }},
		{"", func(o *Image) { o.NormalZ, o.Format = true, "astc4x4" }},
		{"normal_z", func(o *Image) { o.NormalZ, o.Format = true, "bc5" }},
		{"rdo", func(o *Image) { o.RDO, o.Format = 1, "bc5" }},
		{"format", func(o *Image) { o.Format = "etc2" }},
	} {
		err := options(tc.set).checkOptions()
		var wrong *recipe.OptionError
		switch {
		case tc.key == "" && err != nil:
			t.Errorf("%v", err)
		case tc.key != "" && (!errors.As(err, &wrong) || wrong.Key != tc.key):
			t.Errorf("error %v, want one of option %s", err, tc.key)
		}
	}
}
