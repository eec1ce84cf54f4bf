package image

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe"
)

type harmonics struct{ Radiance, Irradiance [9][3]float64 }

// The harmonics of a constant image must be the constant in linear light. The texture must be the
// same as without harmonics.
func TestIrradianceOfConstantLight(t *testing.T) {
	tree := fstest.MapFS{"a.png": solid(t, 64, 32, 188)}
	for _, container := range []string{"ktx2", "dds"} {
		o := options(plain, func(o *Image) { o.Cube, o.Container = "equirect", container })
		_, res := cookTree(t, o, tree, "a.png")
		if res.Err != nil {
			t.Fatal(res.Err)
		}
		without := res.Outputs[0]
		o.Irradiance = "sh"
		if got := o.Outputs(); !slices.Equal(got, []string{"{path}." + container, "{path}.sh.json"}) {
			t.Errorf("outputs %q", got)
		}
		_, res = cookTree(t, o, tree, "a.png")
		if res.Err != nil {
			t.Fatal(res.Err)
		}
		if string(res.Outputs[0]) != string(without) {
			t.Errorf("%s: another texture", container)
		}
		var h harmonics
		if err := json.Unmarshal(res.Outputs[1], &h); err != nil {
			t.Fatal(err)
		}
		red := math.Pow((188./255+0.055)/1.055, 2.4)
		for i := range 9 {
			want := [2]float64{}
			if i == 0 {
				want = [2]float64{red * math.Sqrt(4*math.Pi), red}
			}
			if math.Abs(h.Radiance[i][0]-want[0]) > 1e-4 || math.Abs(h.Irradiance[i][0]-want[1]) > 1e-4 {
				t.Errorf("%s: %d is %g and %g, want %g", container, i, h.Radiance[i], h.Irradiance[i], want)
			}
		}
	}
}

// An image with light mostly from above must give a large harmonic of y, because +Y is up. Bright
// light must stay finite.
func TestIrradianceFromAbove(t *testing.T) {
	sky := radiance(64, 32)
	head := len(sky) - 4*64*32
	for i := range 64 * 32 {
		copy(sky[head+4*i:], []byte{255, 128, 128, 255})
		if i >= 64*16 {
			copy(sky[head+4*i:], []byte{3, 3, 3, 100})
		}
	}
	_, res := cookTree(t, options(func(o *Image) { o.Cube, o.Irradiance, o.Format = "equirect", "sh", "rgba16f" }),
		fstest.MapFS{"a.hdr": {Data: sky}}, "a.hdr")
	var h harmonics
	if res.Err != nil || json.Unmarshal(res.Outputs[1], &h) != nil {
		t.Fatalf("error %v, %s", res.Err, res.Outputs)
	}
	for i, v := range h.Irradiance {
		// A surface that faces up gets all light. A surface that faces sideways gets half of it,
		// and a surface that faces down gets none.
		want := []float64{0.5, 0.5, 0, 0, 0, 0, 0, 0, 0}[i] * (255. / 256) * math.Exp2(127)
		if math.Abs(v[0]-want) > 0.01*math.Exp2(127) || math.Abs(v[2]*255/128-v[0]) > 0.01*math.Exp2(127) {
			t.Errorf("%d is %g, want %g", i, v, want)
		}
	}
}

// A texture array must have a list of harmonics.
func TestIrradianceOfArrays(t *testing.T) {
	tree := fstest.MapFS{"a.png": solid(t, 192, 32, 50), "b.png": solid(t, 192, 32, 200)}
	_, res := cookTree(t, options(plain, func(o *Image) {
		o.Cube, o.Irradiance, o.Prefilter, o.Layers, o.SRGB = "cross", "sh", "ggx", []string{"b.png"}, false
	}), tree, "a.png")
	var all []harmonics
	if res.Err != nil || json.Unmarshal(res.Outputs[1], &all) != nil || len(all) != 2 {
		t.Fatalf("error %v, %s", res.Err, res.Outputs)
	}
	for i, want := range []float64{50. / 255, 200. / 255} {
		if got := all[i].Irradiance[0][0]; math.Abs(got-want) > 1e-6 {
			t.Errorf("cube %d: %g, want %g", i, got, want)
		}
	}
}

func TestIrradianceNeedsACubeOfColors(t *testing.T) {
	for key, set := range map[string]func(*Image){
		"cube": func(o *Image) { o.Cube = "none" },
		"kind": func(o *Image) { o.Kind = "normal" },
	} {
		var wrong *recipe.OptionError
		err := options(func(o *Image) { o.Cube, o.Irradiance = "equirect", "sh" }, set).checkOptions()
		if !errors.As(err, &wrong) || wrong.Key != key || !strings.Contains(wrong.Want, `irradiance = "sh"`) {
			t.Errorf("%s: error %v", key, err)
		}
	}
	_, res := cookTree(t, options(func(o *Image) { o.Cube, o.Irradiance, o.Named = "cross", "sh", "data" }),
		fstest.MapFS{"a.png": solid(t, 192, 32, 50)}, "a.png")
	if res.Err == nil || !strings.Contains(res.Err.Error(), "the role is data") {
		t.Errorf("a cube of data: error %v", res.Err)
	}
}

// Levels must be blurred and end at faces of 16 pixels, in both containers.
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
