package image

import (
	"bytes"
	stdimage "image"
	"image/jpeg"
	"image/png"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/image/bmp"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/image/texture"
)

func unaccelerated(o *Image) { o.GPU = "none" }

// With gpu = "none", a file that programs load must keep its bytes. Other files must become PNG
// with the same pixels.
func TestPlainImagesKeepBytesOrPixels(t *testing.T) {
	m := scene(20, 12)
	var lossy, bitmap bytes.Buffer
	if err := jpeg.Encode(&lossy, m, nil); err != nil {
		t.Fatal(err)
	}
	if err := bmp.Encode(&bitmap, opaque(scene(20, 12))); err != nil {
		t.Fatal(err)
	}
	drawn, light := encodePNG(t, m), radiance(8, 4)
	exif := "Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00"
	turned := slices.Concat(lossy.Bytes()[:2], []byte{0xff, 0xe1, 0, byte(2 + len(exif))}, []byte(exif), lossy.Bytes()[2:])
	for _, tc := range []struct {
		name   string
		change func(*Image)
		data   []byte
		output string
		want   string // "bytes" if the bytes are kept, otherwise the size of a PNG
		warned string
	}{
		{"a.png", nil, drawn, "{stem}{ext:png,jpg,jpeg,hdr,exr}", "bytes", ""},
		{"a.jpg", nil, lossy.Bytes(), "{stem}{ext:png,jpg,jpeg,hdr,exr}", "bytes", ""},
		{"a.jpg", func(o *Image) { o.Kind, o.Preset, o.Quality = "mask", "pixel", "best" }, lossy.Bytes(), "{stem}{ext:png,jpg,jpeg,hdr,exr}", "bytes", ""},
		{"a_n.jpg", nil, drawn, "{stem}{ext:png,jpg,jpeg,hdr,exr}", "bytes", ""}, // a PNG named .jpg, which programs recognize by the first bytes
		{"a.jpg", nil, turned, "{stem}{ext:png,jpg,jpeg,hdr,exr}", "bytes", "the image has orientation 6 in its Exif data, and only browsers rotate it"},
		{"a.hdr", nil, light, "{stem}{ext:png,jpg,jpeg,hdr,exr}", "bytes", ""},
		{"a.bmp", nil, bitmap.Bytes(), "{stem}{ext:png,jpg,jpeg,hdr,exr}", "(20,12)", ""},
		{"a.png", nil, bitmap.Bytes(), "{stem}{ext:png,jpg,jpeg,hdr,exr}", "(20,12)", ""},
		{"a.jpg", func(o *Image) { o.Fit = 10 }, lossy.Bytes(), "{stem}{ext:png,hdr,exr}", "(10,6)", ""},
		{"a.jpg", func(o *Image) { o.Scales = []float64{0.5} }, lossy.Bytes(), "{base}@0.5x.png", "(20,12)", ""},
		{"a.png", func(o *Image) { o.Flip = "x" }, drawn, "{stem}{ext:png,hdr,exr}", "(20,12)", ""},
		{"a.hdr", func(o *Image) { o.Fit = 4 }, light, "{stem}{ext:png,hdr,exr}", "bytes", "the source is copied, so options that change its pixels have no effect"},
	} {
		o := options(unaccelerated)
		if tc.change != nil {
			tc.change(o)
		}
		if err := o.checkOptions(); err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
		if got := strings.Join(o.Outputs(), " "); got != tc.output {
			t.Errorf("%s: output %s, want %s", tc.name, got, tc.output)
		}
		res := recipetest.Cook(t, Recipe(), o, fstest.MapFS{tc.name: {Data: tc.data}}, "", tc.name)
		if warned := strings.Join(res.Warned, " "); res.Err != nil || (warned == "") != (tc.warned == "") || !strings.Contains(warned, tc.warned) {
			t.Errorf("%s: %v, warned %q, want %q", tc.name, res.Err, warned, tc.warned)
			continue
		}
		if same := bytes.Equal(res.Outputs[0], tc.data); same != (tc.want == "bytes") {
			t.Errorf("%s: same bytes: %v, want %s", tc.name, same, tc.want)
		}
		if tc.want == "bytes" {
			continue
		}
		made, err := png.Decode(bytes.NewReader(res.Outputs[0]))
		if err != nil || made.Bounds().Max.String() != tc.want {
			t.Errorf("%s: %v, %v, want %s", tc.name, err, made.Bounds().Max, tc.want)
			continue
		}
		if source, _, _ := stdimage.Decode(bytes.NewReader(tc.data)); strings.HasSuffix(tc.name, "bmp") && pixel(made, 7, 5) != pixel(source, 7, 5) {
			t.Errorf("%s: changed pixels", tc.name)
		}
	}
}

// An unchanged image must have the role and the warnings that it would have as a texture.
func TestPlainImagesHaveTheRolesOfTextures(t *testing.T) {
	bumpy, drawn, gray := encodePNG(t, bumps(64, 64, true)), encodePNG(t, scene(64, 64)), encodePNG(t, gradient(64, 64))
	tree := fstest.MapFS{
		"brick_n.png": {Data: bumpy}, "brick.png": {Data: drawn}, "lie_normal.png": {Data: drawn}, "vectors.png": {Data: bumpy},
		"m/wall.gltf": {Data: []byte(`{"asset":{"version":"2.0"},"images":[{"uri":"grain.png"}],"textures":[{"source":0}],"materials":[{"pbrMetallicRoughness":{"metallicRoughnessTexture":{"index":0}}}]}`)},
		"m/grain.png": {Data: gray}, "t/stone_r.png": {Data: gray}, "t/stone_n.png": {Data: bumpy}, "sky/day.hdr": {Data: radiance(8, 4)},
	}
	roles := map[string]int{}
	for path := range tree {
		if strings.HasSuffix(path, ".gltf") {
			continue
		}
		var told [2]string
		for i, change := range []func(*Image){unaccelerated, func(*Image) {}} {
			r := Recipe()
			o := options(change)
			if n := r.Hinted(path); n >= 0 {
				o.Named = r.Hints[n].Value.(string)
			}
			for _, line := range explain(t, o, tree, path) {
				if strings.HasPrefix(line, "role ") {
					told[i] += line
				}
			}
			told[i] += strings.Join(recipetest.Cook(t, r, o, tree, "", path).Warned, " ")
		}
		if told[0] != told[1] || told[0] == "" {
			t.Errorf("%s: %q, as a texture %q", path, told[0], told[1])
		}
		role, _, _ := strings.Cut(strings.TrimPrefix(told[0], "role "), ":")
		roles[role]++
	}
	if roles["normal"] != 3 || roles["data"] != 2 || roles["color"] != 2 || roles["environment"] != 1 {
		t.Errorf("roles %v", roles)
	}
}

func TestPlainImagesThatNothingLoadsAreRefused(t *testing.T) {
	var bitmap bytes.Buffer
	if err := bmp.Encode(&bitmap, opaque(scene(20, 12))); err != nil {
		t.Fatal(err)
	}
	drawn := encodePNG(t, scene(20, 12))
	for _, tc := range []struct {
		name string
		data []byte
		want string
	}{
		{"a.png", drawn[:len(drawn)/2], "truncated"},
		{"a.jpg", bitmap.Bytes(), "the file has format BMP, but the extension .jpg"},
		{"a.png", radiance(8, 4), "the image has floats, which png cannot store; save it with 16 bits per channel or as .hdr or .exr, which are kept"},
	} {
		res := recipetest.Cook(t, Recipe(), options(unaccelerated), fstest.MapFS{tc.name: {Data: tc.data}}, "", tc.name)
		if res.Err == nil || !strings.Contains(res.Err.Error(), tc.want) {
			t.Errorf("%s: %v, want %s", tc.name, res.Err, tc.want)
		}
	}
}

// An image of floats that no plain format can hold must be an error with advice. The line that the
// error recommends for a rule must make a texture.
func TestFloatsThatStayNoImageBecomeTexturesByRule(t *testing.T) {
	data, err := os.ReadFile("../../internal/image/tiff/testdata/float-rgb16.tif")
	if err != nil {
		t.Fatal(err)
	}
	tree := fstest.MapFS{"sky.tif": {Data: data}}
	res := recipetest.Cook(t, Recipe(), options(unaccelerated), tree, "", "sky.tif")
	if want := `write format = "rgba16f" in a rule`; res.Err == nil || !strings.Contains(res.Err.Error(), want) {
		t.Fatalf("%v, want %s", res.Err, want)
	}
	o := options(unaccelerated, func(o *Image) { o.Format = "rgba16f" })
	if tex, res := cookTree(t, o, tree, "sky.tif"); res.Err != nil || tex.Format != texture.RGBA16F {
		t.Errorf("%+v, %v", tex, res.Err)
	}
}

func TestOptionsOfTexturesMakeTextures(t *testing.T) {
	for name, change := range map[string]func(*Image){
		"container":   func(o *Image) { o.Container = "dds" },
		"mips":        func(o *Image) { o.Mips = "true" },
		"coverage":    func(o *Image) { o.Coverage = 0.5 },
		"premultiply": func(o *Image) { o.Premultiply = true },
		"rdo":         func(o *Image) { o.RDO = 1 },
		"format":      func(o *Image) { o.Format = "bc7" },
		"gpu":         func(o *Image) { o.GPU = "web" },
	} {
		o := options(unaccelerated, change)
		if err := o.checkOptions(); err != nil || o.writesPictures() || !strings.HasPrefix(o.Outputs()[0], "{path}.") {
			t.Errorf("%s: %v, outputs %q", name, err, o.Outputs())
		}
	}
}
