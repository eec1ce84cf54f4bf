package mesh

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	stdimage "image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/image/ktx2"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/assetcook/assetcook/internal/mesh/gltf"
	pictureRecipe "github.com/assetcook/assetcook/recipes/image"
)

// painted returns a PNG file of n by n pixels.
func painted(t testing.TB, n int, paint func(x, y int) color.NRGBA) []byte {
	t.Helper()
	m := stdimage.NewNRGBA(stdimage.Rect(0, 0, n, n))
	for y := range n {
		for x := range n {
			m.SetNRGBA(x, y, paint(x, y))
		}
	}
	var file bytes.Buffer
	if err := png.Encode(&file, m); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func noise(x, y int) color.NRGBA {
	v := uint32(x*7919+y*104729) * 2654435761
	return color.NRGBA{uint8(v >> 24), uint8(v >> 16), uint8(v >> 8), 255}
}

// album returns a model with six images. Five are embedded: colors, a normal map, data, an image
// used in two of these ways, and an unused image. The sixth is a file beside the model.
func album(t testing.TB) fstest.MapFS {
	file := painted(t, 64, noise)
	flat := painted(t, 64, func(x, y int) color.NRGBA { return color.NRGBA{uint8(96 + x), uint8(96 + y), 250, 255} })
	uri := func(data []byte) string {
		return `{"uri":"data:image/png;base64,` + base64.StdEncoding.EncodeToString(data) + `"}`
	}
	images := []string{uri(file), uri(flat), uri(file), uri(file), uri(file), `{"uri":"a.png"}`}
	return pictured("["+strings.Join(images, ",")+"]", `[{"source":0},{"source":1},{"source":2},{"source":3},{"source":4},{"source":5}]`,
		`"extensionsUsed":["KHR_materials_clearcoat","KHR_materials_specular"],"materials":[
			{"pbrMetallicRoughness":{"baseColorTexture":{"index":0},"metallicRoughnessTexture":{"index":2}},"normalTexture":{"index":1},"occlusionTexture":{"index":2}},
			{"emissiveTexture":{"index":5},"extensions":{
				"KHR_materials_specular":{"specularColorTexture":{"index":3}},
				"KHR_materials_clearcoat":{"clearcoatNormalTexture":{"index":1},"clearcoatTexture":{"index":3}}}}],`)
}

// Images inside a model must become textures of the kind that its materials need.
func TestEmbeddedPictures(t *testing.T) {
	o := options(func(o *meshOptions) { o.Embedded, o.EmbeddedQuality = "dds", "fast" })
	res := recipetest.Cook(t, Recipe(), o, album(t), "", "m/a.gltf")
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	text, chunk, _, err := gltf.SplitGLB(res.Outputs[0])
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		ExtensionsUsed, ExtensionsRequired []string
		Images                             []struct {
			BufferView *int
			MimeType   string
			URI        string
		}
		Textures    []map[string]json.RawMessage
		BufferViews []struct{ ByteOffset, ByteLength int }
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		format  uint32 // DXGI_FORMAT; 0 if the image is not DDS
		texture string
	}{
		{99, `{"extensions":{"MSFT_texture_dds":{"source":0}}}`}, // 99 is DXGI_FORMAT_BC7_UNORM_SRGB
		{83, `{"extensions":{"MSFT_texture_dds":{"source":1}}}`}, // 83 is DXGI_FORMAT_BC5_UNORM
		{98, `{"extensions":{"MSFT_texture_dds":{"source":2}}}`}, // 98 is DXGI_FORMAT_BC7_UNORM
		{0, `{"source":3}`}, {0, `{"source":4}`}, {0, `{"source":5}`},
	} {
		have, _ := json.Marshal(doc.Textures[i])
		if string(have) != want.texture {
			t.Errorf("texture %d: %s, want %s", i, have, want.texture)
		}
		if i == 5 {
			if doc.Images[i].URI != "a.png.ktx2" {
				t.Errorf("image %d: %+v", i, doc.Images[i])
			}
			continue
		}
		v := doc.BufferViews[*doc.Images[i].BufferView]
		data := chunk[v.ByteOffset:][:v.ByteLength]
		isDDS := strings.HasPrefix(want.texture, `{"ext`)
		if is := bytes.HasPrefix(data, []byte("DDS ")); is != isDDS || (doc.Images[i].MimeType == "image/vnd-ms.dds") != isDDS {
			t.Errorf("image %d: %.8q as %s", i, data, doc.Images[i].MimeType)
		}
		if !isDDS {
			continue
		}
		// The texture has levels down to 1x1. A DX10 header follows the header of 128 bytes, unless
		// the format has a legacy name.
		format := uint32(data[128])
		if fourCC := string(data[84:88]); fourCC == "BC5U" {
			format = 83
		} else if fourCC != "DX10" {
			t.Errorf("image %d: %q", i, fourCC)
		}
		if data[28] != 7 || format != want.format {
			t.Errorf("image %d: %d levels of format %d, want %d", i, data[28], format, want.format)
		}
	}
	if fmt.Sprint(doc.ExtensionsRequired) != "[MSFT_texture_dds]" {
		t.Errorf("required %v", doc.ExtensionsRequired)
	}
	want := "[image 3: textures use it as two of colors, normals and data, so the image is not converted; use separate images]"
	if fmt.Sprint(res.Warned) != want {
		t.Errorf("warned of %v", res.Warned)
	}
	if kept := cook(t, options(nil), album(t), "m/a.gltf"); bytes.Contains(kept, []byte("DDS ")) {
		t.Error("pictures became textures without being asked to")
	}
}

// Images inside a model must become UASTC, with sides that are multiples of 4.
func TestEmbeddedBasisu(t *testing.T) {
	o := options(func(o *meshOptions) { o.Embedded, o.EmbeddedQuality = "basisu", "fast" })
	files := album(t)
	odd := base64.StdEncoding.EncodeToString(painted(t, 63, noise))
	first := base64.StdEncoding.EncodeToString(painted(t, 64, noise))
	files["m/a.gltf"].Data = bytes.Replace(files["m/a.gltf"].Data, []byte(first), []byte(odd), 1)
	res := recipetest.Cook(t, Recipe(), o, files, "", "m/a.gltf")
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	text, chunk, _, err := gltf.SplitGLB(res.Outputs[0])
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		ExtensionsRequired []string
		Images             []struct {
			BufferView *int
			MimeType   string
		}
		BufferViews []struct{ ByteOffset, ByteLength int }
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for i, srgb := range []bool{true, false, false} {
		v := doc.BufferViews[*doc.Images[i].BufferView]
		tex, err := ktx2.Read(chunk[v.ByteOffset:][:v.ByteLength], 1<<20)
		if err != nil || tex.Format != texture.UASTC || tex.SRGB != srgb || tex.W != 64 || tex.H != 64 || len(tex.Levels) != 7 || doc.Images[i].MimeType != "image/ktx2" {
			t.Errorf("image %d: %+v, %v as %s", i, tex, err, doc.Images[i].MimeType)
		}
	}
	if fmt.Sprint(doc.ExtensionsRequired) != "[KHR_texture_basisu]" {
		t.Errorf("required %v", doc.ExtensionsRequired)
	}
}

// The estimate for images depends on their sizes and needs the whole file. A damaged image must be
// refused.
func TestEmbeddedEstimate(t *testing.T) {
	o := options(func(o *meshOptions) { o.Embedded = "dds" })
	large := bytes.ReplaceAll(album(t)["m/a.gltf"].Data, []byte(base64.StdEncoding.EncodeToString(painted(t, 64, noise))),
		[]byte(base64.StdEncoding.EncodeToString(painted(t, 256, noise))))
	glb := cook(t, options(nil), fstest.MapFS{"m/a.gltf": {Data: large}, "m/a.png": {Data: []byte("x")}}, "m/a.gltf")
	size := int64(len(glb))
	if _, err := o.estimateMemory(glb[:len(glb)-1], size); err != recipe.ErrShortHead {
		t.Errorf("a file that is not all there: %v", err)
	}
	with, err := o.estimateMemory(glb, size)
	if err != nil {
		t.Fatal(err)
	}
	without, err := options(nil).estimateMemory(glb, size)
	if err != nil || with < without+4*256*256*4 {
		t.Errorf("needs %d, without pictures %d, %v", with, without, err)
	}
	damaged := bytes.Clone(glb)
	at := bytes.Index(damaged, []byte("IDAT"))
	copy(damaged[at+8:], "no deflate")
	res := recipetest.Cook(t, Recipe(), o, fstest.MapFS{"a.glb": {Data: damaged}}, "", "a.glb")
	if res.Err == nil || !strings.Contains(res.Err.Error(), "image 0: ") {
		t.Errorf("a damaged picture: %v", res.Err)
	}
}

// Mipmaps of images inside a model must be weighted by alpha if alpha is transparency. Gamma must
// be ignored, as glTF requires. Slots of vendor extensions must have their roles. An unknown slot
// must leave the image unchanged, with a warning.
func TestEmbeddedPicturesByMaterial(t *testing.T) {
	file := painted(t, 8, func(x, y int) color.NRGBA {
		if x%2 == 0 && y%2 == 0 {
			return color.NRGBA{100, 0, 0, 254}
		}
		return color.NRGBA{0, 100, 0, 2}
	})
	gamma := []byte("\x00\x00\x00\x04gAMA\x00\x01\x86\xa0\x31\xe8\x96\x5f") // a gamma of 1.0
	file = slices.Concat(file[:33], gamma, file[33:])
	uri := `{"uri":"data:image/png;base64,` + base64.StdEncoding.EncodeToString(file) + `"}`
	weighed, plain, data := []byte{99, 10, 0, 65}, []byte{50, 87, 0, 65}, []byte{25, 75, 0, 65}
	for _, tc := range []struct {
		material string
		want     []byte
		warned   string
	}{
		{`"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}`, plain, ""},
		{`"alphaMode":"BLEND","pbrMetallicRoughness":{"baseColorTexture":{"index":0}}`, weighed, ""},
		{`"extensions":{"KHR_materials_sheen":{"sheenColorTexture":{"index":0},"sheenRoughnessTexture":{"index":0}}}`, plain, ""},
		{`"extensions":{"KHR_materials_pbrSpecularGlossiness":{"specularGlossinessTexture":{"index":0}}}`, plain, ""},
		{`"extensions":{"EXT_materials_bump":{"bumpTexture":{"index":0}}}`, data, ""},
		{`"extensions":{"X_y":{"zTexture":{"index":0}}}`, nil, "image 0: a material uses it as zTexture, a material slot that cook does not know, so the image is not converted to a texture"},
	} {
		o := options(func(o *meshOptions) { o.Embedded, o.EmbeddedQuality = "dds", "fast" })
		tree := fstest.MapFS{"m/a.gltf": {Data: []byte(`{"asset":{"version":"2.0"},
			"extensionsUsed":["KHR_materials_sheen","KHR_materials_pbrSpecularGlossiness","EXT_materials_bump","X_y"],
			"images":[` + uri + `],"textures":[{"source":0}],"materials":[{` + tc.material + `}]}`)}}
		res := recipetest.Cook(t, Recipe(), o, tree, "", "m/a.gltf")
		if res.Err != nil || strings.Join(res.Warned, "\n") != tc.warned {
			t.Fatalf("%s: %v, warned %q", tc.material, res.Err, res.Warned)
		}
		_, chunk, _, err := gltf.SplitGLB(res.Outputs[0])
		if err != nil {
			t.Fatal(err)
		}
		if tc.want == nil {
			if !bytes.HasPrefix(chunk, file[:8]) {
				t.Errorf("%s: %.8q", tc.material, chunk)
			}
			continue
		}
		// The second level is after 148 bytes of headers and the first level of 8 x 8 texels.
		if have := chunk[148+4*8*8:][:4]; !bytes.Equal(have, tc.want) {
			t.Errorf("%s: level 1 has %v, want %v", tc.material, have, tc.want)
		}
	}
}

// Images with format = "uastc" must suit models with textures = "basisu". KHR_texture_basisu
// requires UASTC without a cube, layers or a swizzle. The sides must be multiples of 4, and the
// file must have all levels or one.
func TestBasisuNamesUASTC(t *testing.T) {
	tree := pictured(`[{"uri":"a.png"}]`, `[{"source":0}]`, "")
	var file bytes.Buffer
	if err := png.Encode(&file, stdimage.NewGray(stdimage.Rect(0, 0, 36, 24))); err != nil {
		t.Fatal(err)
	}
	tree["m/a.png"] = &fstest.MapFile{Data: file.Bytes()}
	models := options(func(o *meshOptions) { o.Textures = "basisu" })
	for names, want := range map[string]string{
		"images":             `[{"uri":"a.png.ktx2","mimeType":"image/ktx2"}]`,
		"textures":           `[{"extensions":{"KHR_texture_basisu":{"source":0}}}]`,
		"extensionsRequired": `["KHR_texture_basisu"]`,
	} {
		if have := lists(t, models, tree, names); have != want {
			t.Errorf("%s %s, want %s", names, have, want)
		}
	}
	pictures := pictureRecipe.Recipe().New().(*pictureRecipe.Image)
	if pictures.Format = "uastc"; pictures.Outputs()[0] != "{path}.ktx2" {
		t.Errorf("images become %q", pictures.Outputs())
	}
	res := recipetest.Cook(t, pictureRecipe.Recipe(), pictures, tree, "", "m/a.png")
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	tex, err := ktx2.Read(res.Outputs[0], 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if tex.Format != texture.UASTC || !tex.SRGB || !tex.Opaque || tex.Cube || tex.Layers != 0 || tex.Swizzle != "" || len(tex.Levels) != texture.MaxLevels(36, 24) {
		t.Errorf("%v, sRGB %v, opaque %v, cube %v, %d layers, swizzle %q, %d levels", tex.Format, tex.SRGB, tex.Opaque, tex.Cube, tex.Layers, tex.Swizzle, len(tex.Levels))
	}
}
