package image

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe"
)

// Levels are blurred and end at faces of 16 pixels, in both containers.
func TestPrefilterBlursSmallerLevels(t *testing.T) {
	tree := fstest.MapFS{"a.hdr": {Data: radiance(256, 128)}}
	for _, container := range []string{"ktx2", "dds"} {
		set := func(o *Image) { o.Cube, o.Format, o.Container = "equirect", "rgba16f", container }
		plainLevels, res := cookTree(t, options(set), tree, "a.hdr")
		if res.Err != nil {
			t.Fatal(res.Err)
		}
		tex, res := cookTree(t, options(set, func(o *Image) { o.Prefilter = "ggx" }), tree, "a.hdr")
		if res.Err != nil {
			t.Fatal(res.Err)
		}
		if err := tex.Check(); err != nil || len(tex.Levels) != 3 || !tex.Cube || len(tex.Levels[2]) != 6*16*16*8 {
			t.Fatalf("%d levels, error %v", len(tex.Levels), err)
		}
		if !slices.Equal(tex.Levels[0], plainLevels.Levels[0]) || slices.Equal(tex.Levels[2], plainLevels.Levels[2]) {
			t.Error("the first level must be unchanged and the last one blurred")
		}
		steps, res := cookTree(t, options(set, func(o *Image) { o.Prefilter = "filament" }), tree, "a.hdr")
		if res.Err != nil || slices.Equal(tex.Levels[1], steps.Levels[1]) || !slices.Equal(tex.Levels[2], steps.Levels[2]) {
			t.Errorf("filament: only the level between first and last must differ, error %v", res.Err)
		}
	}
}

// Each cube of an array is prefiltered separately.
func TestCubesOfArrayArePrefilteredSeparately(t *testing.T) {
	tree := fstest.MapFS{"a.png": solid(t, 192, 32, 50), "b.png": solid(t, 192, 32, 200)}
	tex, res := cookTree(t, options(plain, func(o *Image) {
		o.Cube, o.Prefilter, o.Layers = "cross", "ggx", []string{"b.png"}
	}), tree, "a.png")
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	const cube = 6 * 16 * 16 * 4
	if l := tex.Levels[1]; len(tex.Levels) != 2 || len(l) != 2*cube || l[0] != 50 || l[cube-4] != 50 || l[cube] != 200 || l[3] != 255 {
		t.Errorf("%d levels, the second of %d bytes", len(tex.Levels), len(l))
	}
}

func TestPrefilterNeedsACubeOfColors(t *testing.T) {
	for key, set := range map[string]func(*Image){
		"cube":     func(o *Image) { o.Cube = "none" },
		"mips":     func(o *Image) { o.Mips = "false" },
		"coverage": func(o *Image) { o.Coverage = 0.5 },
		"kind":     func(o *Image) { o.Kind = "normal" },
	} {
		var wrong *recipe.OptionError
		err := options(func(o *Image) { o.Cube, o.Prefilter = "equirect", "ggx" }, set).checkOptions()
		if !errors.As(err, &wrong) || wrong.Key != key {
			t.Errorf("%s: error %v", key, err)
		}
	}
	_, res := cookTree(t, options(plain, func(o *Image) { o.Cube, o.Prefilter = "equirect", "ggx" }),
		fstest.MapFS{"a.png": solid(t, 64, 32, 1)}, "a.png")
	if res.Err == nil || !strings.Contains(res.Err.Error(), "faces of 16 x 16 pixels are too small") {
		t.Errorf("error %v", res.Err)
	}
	_, res = cookTree(t, options(func(o *Image) { o.Cube, o.Prefilter, o.Named = "cross", "ggx", "data" }),
		fstest.MapFS{"a.png": solid(t, 192, 32, 50)}, "a.png")
	if res.Err == nil || !strings.Contains(res.Err.Error(), "the role is data") {
		t.Errorf("a cube of data: error %v", res.Err)
	}
}
