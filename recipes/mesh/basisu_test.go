package mesh

import (
	"bytes"
	stdimage "image"
	"image/png"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/image/ktx2"
	"github.com/assetcook/assetcook/internal/image/texture"
	pictureRecipe "github.com/assetcook/assetcook/recipes/image"
)

// Images with format = "uastc" are what models with textures = "basisu" say that they name:
// KHR_texture_basisu wants UASTC without a cube, layers or a swizzle, sides that are
// multiples of 4, and all levels or one.
func TestBasisuNamesUASTC(t *testing.T) {
	tree := pictured(`[{"uri":"a.png"}]`, `[{"source":0}]`, "")
	var file bytes.Buffer
	if err := png.Encode(&file, stdimage.NewGray(stdimage.Rect(0, 0, 36, 24))); err != nil {
		t.Fatal(err)
	}
	tree["m/a.png"] = &fstest.MapFile{Data: file.Bytes()}
	models := options(func(o *Mesh) { o.Textures = "basisu" })
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
