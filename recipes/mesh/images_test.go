package mesh

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/dependency"
	picturefile "github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/recipeset"
	pictureRecipe "github.com/assetcook/assetcook/recipes/image"
)

// pictured returns a document of images and textures, and the files that it names.
func pictured(images, textures, rest string) fstest.MapFS {
	tree := fstest.MapFS{"m/a.gltf": {Data: []byte(`{"asset":{"version":"2.0"},` + rest + `"images":` + images + `,"textures":` + textures + `}`)}}
	for _, name := range []string{"a.png", "a b.PNG", "c.webp", "d.dds", "e.avif", "f.ktx2", "g.hdr"} {
		tree["m/"+name] = &fstest.MapFile{Data: []byte("x")}
	}
	return tree
}

// lists cooks a tree and returns the named members of the document.
func lists(t *testing.T, o *meshOptions, tree fstest.MapFS, names ...string) string {
	t.Helper()
	root, err := gltf.ParseObject(textOf(t, cook(t, o, tree, "m/a.gltf")))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, name := range names {
		all = append(all, string(root.Member(name)))
	}
	return strings.Join(all, " ")
}

// Textures must refer to the cooked images beside them in the way that the image format requires.
func TestTexturesNameCookedImages(t *testing.T) {
	webp := `[{"source":0,"sampler":0,"extensions":{"EXT_texture_webp":{"source":1}}}]`
	both := `"samplers":[{}],"extensionsUsed":["EXT_texture_webp"],`
	for _, tc := range []struct {
		name                           string
		suffix, mode                   string
		images, textures, rest         string
		wantImages, wantTex, wantLists string
	}{
		{"ktx2", ".ktx2", "cooked", `[{"uri":"a%20b.PNG","mimeType":"image/png"}]`, `[{"source":0}]`, "",
			`[{"uri":"a%20b.PNG.ktx2"}]`, `[{"source":0}]`, " "},
		{"basisu", ".ktx2", "basisu", `[{"uri":"a.png","mimeType":"image/png"}]`, `[{"source":0}]`, "",
			`[{"uri":"a.png.ktx2","mimeType":"image/ktx2"}]`, `[{"extensions":{"KHR_texture_basisu":{"source":0}}}]`,
			`["KHR_texture_basisu"] ["KHR_texture_basisu"]`},
		{"dds", ".dds", "cooked", `[{"uri":"a.png"}]`, `[{"source":0}]`, "",
			`[{"uri":"a.png.dds","mimeType":"image/vnd-ms.dds"}]`, `[{"extensions":{"MSFT_texture_dds":{"source":0}}}]`,
			`["MSFT_texture_dds"] ["MSFT_texture_dds"]`},
		{"a name of the user's", ".mine", "cooked", `[{"uri":"a.png"}]`, `[{"source":0}]`, "", `[{"uri":"a.png.mine"}]`, `[{"source":0}]`, " "},
		{"the same name", ".PNG", "cooked", `[{"uri":"a.png"}]`, `[{"source":0}]`, "", `[{"uri":"a.png"}]`, `[{"source":0}]`, " "},
		{"kept", ".ktx2", "keep", `[{"uri":"a.png"},{"uri":"c.webp"}]`, webp, both,
			`[{"uri":"a.png"},{"uri":"c.webp"}]`, `[{"sampler":0,"source":0,"extensions":{"EXT_texture_webp":{"source":1}}}]`, `["EXT_texture_webp"] `},
		{"WebP and PNG are one format", ".ktx2", "cooked", `[{"uri":"a.png"},{"uri":"c.webp","mimeType":"image/webp"}]`, webp,
			both + `"extensionsRequired":["EXT_texture_webp"],`,
			`[{"uri":"a.png.ktx2"},{"uri":"c.webp.ktx2"}]`, `[{"sampler":0,"source":1}]`, " "},
		{"WebP alone", ".ktx2", "cooked", `[{"uri":"a.png"},{"uri":"c.webp"}]`, `[{"extensions":{"EXT_texture_webp":{"source":1}}}]`, both,
			`[{"uri":"a.png.ktx2"},{"uri":"c.webp.ktx2"}]`, `[{"source":1}]`, " "},
		{"WebP to DDS", ".dds", "cooked", `[{"uri":"a.png"},{"uri":"c.webp"}]`, webp, both,
			`[{"uri":"a.png.dds","mimeType":"image/vnd-ms.dds"},{"uri":"c.webp.dds","mimeType":"image/vnd-ms.dds"}]`,
			`[{"sampler":0,"extensions":{"MSFT_texture_dds":{"source":1}}}]`, `["MSFT_texture_dds"] ["MSFT_texture_dds"]`},
		{"what is not cooked keeps its name", ".ktx2", "cooked", `[{"uri":"a.png"},{"uri":"d.dds"},{"uri":"e.avif"},{"uri":"f.ktx2"}]`,
			`[{"source":0,"extensions":{"MSFT_texture_dds":{"source":1}}},{"source":0,"extensions":{"EXT_texture_avif":{"source":2}}},{"extensions":{"KHR_texture_basisu":{"source":3}}}]`,
			`"extensionsUsed":["MSFT_texture_dds","EXT_texture_avif","KHR_texture_basisu"],`,
			`[{"uri":"a.png.ktx2"},{"uri":"d.dds"},{"uri":"e.avif"},{"uri":"f.ktx2"}]`,
			`[{"source":0,"extensions":{"MSFT_texture_dds":{"source":1}}},{"source":0,"extensions":{"EXT_texture_avif":{"source":2}}},{"extensions":{"KHR_texture_basisu":{"source":3}}}]`,
			`["MSFT_texture_dds","EXT_texture_avif","KHR_texture_basisu"] ["KHR_texture_basisu"]`},
		{"an extension of others", ".ktx2", "cooked", `[{"uri":"a.png"},{"uri":"g.hdr"}]`, `[{"source":0,"extensions":{"EXT_other":{"source":1}}}]`,
			`"extensionsUsed":["EXT_other"],`, `[{"uri":"a.png.ktx2"},{"uri":"g.hdr.ktx2"}]`,
			`[{"source":0,"extensions":{"EXT_other":{"source":1}}}]`, `["EXT_other"] `},
	} {
		o := options(func(o *meshOptions) { o.TextureSuffix, o.Textures = tc.suffix, tc.mode })
		tree := pictured(tc.images, tc.textures, tc.rest)
		for names, want := range map[string]string{"images": tc.wantImages, "textures": tc.wantTex, "extensionsUsed extensionsRequired": tc.wantLists} {
			if have := lists(t, o, tree, strings.Fields(names)...); have != want {
				t.Errorf("%s: %s %s, want %s", tc.name, names, have, want)
			}
		}
	}
	if err := options(func(o *meshOptions) { o.Textures, o.TextureSuffix = "basisu", ".dds" }).checkOptions(); err == nil {
		t.Error("basisu in DDS: accepted")
	}
}

// A model must refer to each image by the name that the rules give it. It must warn about names
// that glTF loaders do not read.
func TestTexturesFollowRules(t *testing.T) {
	type followed struct {
		by      string
		options recipe.Cooker
		made    []string
	}
	uastc := &pictureRecipe.Image{Format: "auto", GPU: "web"}
	blocks := &pictureRecipe.Image{Format: "auto", GPU: "desktop"}
	for _, tc := range []struct {
		name             string
		change           func(*meshOptions)
		how              followed
		wantImage, wants string
		warned           string
	}{
		{"no rule", nil, followed{}, `{"uri":"a%20b.PNG.ktx2"}`, "", "noted"},
		{"no rule, known", func(o *meshOptions) { o.Textures = "cooked" }, followed{}, `{"uri":"a%20b.PNG.ktx2"}`, "", ""},
		{"UASTC", nil, followed{by: "image", options: uastc, made: []string{"m/a b.PNG.ktx2"}}, `{"uri":"a%20b.PNG.ktx2","mimeType":"image/ktx2"}`, "KHR_texture_basisu", ""},
		{"blocks", nil, followed{by: "image", options: blocks, made: []string{"m/a b.PNG.ktx2"}}, `{"uri":"a%20b.PNG.ktx2"}`, "", unnamedKTX2},
		{"with light", nil, followed{by: "image", options: uastc, made: []string{"m/a b.PNG.ktx2", "m/a b.PNG.sh.json"}}, `{"uri":"a%20b.PNG.ktx2","mimeType":"image/ktx2"}`, "KHR_texture_basisu", ""},
		{"a command", nil, followed{by: "command", made: []string{"t/a b.avif"}}, `{"uri":"../t/a%20b.avif","mimeType":"image/avif"}`, "EXT_texture_avif", ""},
		{"copied", nil, followed{by: "copy", made: []string{"m/a b.PNG"}}, `{"uri":"a%20b.PNG","mimeType":"image/png"}`, "", ""},
		{"several files", nil, followed{by: "image", options: &pictureRecipe.Image{Format: "png"}, made: []string{"m/a b@2x.png", "m/a b.png"}}, `{"uri":"a%20b.PNG","mimeType":"image/png"}`, "", noOneFile},
		{"a suffix", func(o *meshOptions) { o.TextureSuffix = ".dds" }, followed{by: "image", options: blocks, made: []string{"m/a b.PNG.dds"}}, `{"uri":"a%20b.PNG.dds","mimeType":"image/vnd-ms.dds"}`, "MSFT_texture_dds", ""},
		{"a wrong suffix", func(o *meshOptions) { o.TextureSuffix = ".dds" }, followed{by: "image", options: blocks, made: []string{"m/a b.PNG.ktx2"}}, `{"uri":"a%20b.PNG.dds","mimeType":"image/vnd-ms.dds"}`, "MSFT_texture_dds", otherName},
		{"basisu", func(o *meshOptions) { o.Textures = "basisu" }, followed{by: "image", options: blocks, made: []string{"m/a b.PNG.ktx2"}}, `{"uri":"a%20b.PNG.ktx2","mimeType":"image/ktx2"}`, "KHR_texture_basisu", notUASTC},
		{"UASTC as it is", func(o *meshOptions) { o.Textures = "cooked" }, followed{by: "image", options: uastc, made: []string{"m/a b.PNG.ktx2"}}, `{"uri":"a%20b.PNG.ktx2"}`, "", notBasisu},
		{"kept", func(o *meshOptions) { o.Textures = "keep" }, followed{by: "image", options: uastc, made: []string{"m/a b.PNG.ktx2"}}, `{"uri":"a%20b.PNG","mimeType":"image/png"}`, "", ""},
	} {
		o := Recipe().New().(*meshOptions)
		tree := pictured(`[{"uri":"a%20b.PNG","mimeType":"image/png"}]`, `[{"source":0}]`, "")
		env := jobs.OfTree(Recipe(), tree, "m/a.gltf")
		if tc.how.by != "" {
			o.ImageRules = "1"
			env.Followed = func(path string) (string, any, []string) {
				if path != "m/a b.PNG" {
					t.Errorf("%s: asked of %s", tc.name, path)
				}
				return tc.how.by, tc.how.options, slices.Clone(tc.how.made)
			}
		}
		if tc.change != nil {
			tc.change(o)
		}
		out := filepath.Join(t.TempDir(), "a.glb")
		env.Outputs, env.Create = []string{out}, func(int) (*os.File, error) { return os.Create(out) }
		var noted []string
		env.Note = func(line string) { noted = append(noted, line) }
		job := jobs.New(Recipe(), env, int64(len(tree["m/a.gltf"].Data)))
		if err := o.Cook(t.Context(), job); err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		glb, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		text := string(glb)
		if !strings.Contains(text, `"images":[`+tc.wantImage+`]`) || (tc.wants != "") != strings.Contains(text, "extensionsRequired") || !strings.Contains(text, tc.wants) {
			t.Errorf("%s: %s", tc.name, text)
		}
		var want []string
		if tc.warned == "noted" {
			if len(noted) != 1 || noted[0] != noteKTX2 {
				t.Errorf("%s: noted %q", tc.name, noted)
			}
		} else if tc.warned != "" {
			want = []string{`image "a%20b.PNG" ` + tc.warned}
		}
		if d := cmp.Diff(want, jobs.Warnings(job)); d != "" {
			t.Errorf("%s: %s", tc.name, d)
		}
	}
}

// A model must name the cooked form of the images that the recipe image cooks by default. Other
// images must keep their names.
func TestCookedImagesAreThoseOfTheRecipe(t *testing.T) {
	textures := pictureRecipe.Recipe().Extensions
	if len(textures) < 11 {
		t.Errorf("the recipe image cooks %q", textures)
	}
	for _, ext := range append(slices.Clone(textures), ".apng", ".dds", ".ktx", ".avif", ".exr", ".psd", ".basis", ".jxl", ".ico") {
		want := `[{"uri":"a` + ext + `"}]`
		if slices.Contains(textures, ext) {
			want = `[{"uri":"a` + ext + `.ktx2"}]`
		}
		tree := pictured(`[{"uri":"a`+ext+`"}]`, `[{"source":0}]`, "")
		tree["m/a"+ext] = &fstest.MapFile{Data: []byte("x")}
		if got := strings.TrimSpace(lists(t, options(nil), tree, "images")); got != want {
			t.Errorf("images %s, want %s", got, want)
		}
	}
}

// Embedded images must be moved to the buffer byte for byte.
func TestEmbeddedImages(t *testing.T) {
	const png, webp = "iVBORw0KGgo=", "UklGRgQAAABXRUJQ"
	tree := pictured(`[{"uri":"data:image/jpeg;base64,`+png+`"},{"uri":"data:image/webp;base64,`+webp+`"},{"uri":"data:;base64,AAAA"}]`,
		`[{"source":0},{"source":1},{"extensions":{"EXT_texture_webp":{"source":0}}}]`, `"extensionsUsed":["EXT_texture_webp"],`)
	res := recipetest.Cook(t, Recipe(), options(nil), tree, "", "m/a.gltf")
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	_, chunk, _, err := gltf.SplitGLB(res.Outputs[0])
	if err != nil || !bytes.Contains(chunk, []byte("\x89PNG\r\n\x1a\n")) || !bytes.Contains(chunk, []byte("RIFF\x04\x00\x00\x00WEBP")) {
		t.Errorf("the images are not in the buffer: %v", err)
	}
	for names, want := range map[string]string{
		"images":             `[{"bufferView":0,"mimeType":"image/png"},{"bufferView":1,"mimeType":"image/webp"},{"uri":"data:;base64,AAAA"}]`,
		"textures":           `[{"source":0},{"extensions":{"EXT_texture_webp":{"source":1}}},{"source":0}]`,
		"extensionsRequired": `["EXT_texture_webp"]`,
	} {
		if have := lists(t, options(nil), tree, names); have != want {
			t.Errorf("%s %s, want %s", names, have, want)
		}
	}
	odd := fstest.MapFS{"m/a.gltf": {Data: []byte(`{"asset":{"version":"2.0"},"images":[{"bufferView":0}],"bufferViews":[{"buffer":0,"byteLength":4}],
		"buffers":[{"byteLength":4,"uri":"data:application/octet-stream;base64,AAAAAA=="}]}`)}}
	wantRefusal(t, odd, "m/a.gltf", "image 0 has no mimeType, and its first bytes match no known format; export the model again")
	want := []string{
		"image 0: the type of an embedded image differs from the declared type; the declared type was corrected",
		"texture 1: a texture referred directly to an image that needs an extension; the extension was added (and 1 similar repairs)",
	}
	if d := cmp.Diff(want, res.Warned); d != "" {
		t.Error(d)
	}
}

// A missing image must give a warning, and its absence must be a dependency. Of an existing image,
// only the presence must be a dependency.
func TestMissingImages(t *testing.T) {
	tree := pictured(`[{"uri":"a.png"},{"uri":"no.png"}]`, `[{"source":0},{"source":1}]`, "")
	res := recipetest.Cook(t, Recipe(), options(nil), tree, "", "m/a.gltf")
	deps := []recipe.Dep{{Name: "a.png", On: recipe.Dependency{Kind: dependency.Presence, Path: "m/a.png"}, Found: true}, {Name: "no.png", On: recipe.Dependency{Kind: dependency.Presence, Path: "m/no.png"}}}
	if d := cmp.Diff(deps, res.Deps); res.Err != nil || d != "" {
		t.Error(res.Err, d)
	}
	if d := cmp.Diff([]string{`image "no.png" does not exist; the model names it anyway`}, res.Warned); d != "" {
		t.Error(d)
	}
	// Many missing images must give one line.
	var images []string
	for i := range 1000 {
		images = append(images, fmt.Sprintf(`{"uri":"%d.png"}`, i))
	}
	res = recipetest.Cook(t, Recipe(), options(nil), pictured(`[`+strings.Join(images, ",")+`]`, `[{"source":0}]`, ""), "", "m/a.gltf")
	want := []string{`1000 images do not exist: "0.png", "1.png", "2.png" and 997 more; the model names them anyway`}
	if d := cmp.Diff(want, res.Warned); res.Err != nil || d != "" {
		t.Error(res.Err, d)
	}
	wantRefusal(t, pictured(`[{"uri":"a:b.png"}]`, `[{"source":0}]`, ""), "m/a.gltf", "is not a file")
	wantRefusal(t, pictured(`[{"uri":":.png"}]`, `[{"source":0}]`, ""), "m/a.gltf", "write %3A for a colon")
	res = recipetest.Cook(t, Recipe(), options(nil), pictured(`[{"uri":"../../a.png"},{"uri":"../../b.png"}]`, `[{"source":0}]`, ""), "", "m/a.gltf")
	want = []string{`image 0: dependency "../../a.png": the path is outside the asset tree, and 1 more; the model names these files anyway`}
	if d := cmp.Diff(want, res.Warned); res.Err != nil || d != "" {
		t.Error(res.Err, d)
	}
}

// picturefile.OutputOptions must list every option that decides the name of an image, or its
// extension in a model. The models are cooked again after a change of these options.
func TestModelsFollowTheNamesOfImages(t *testing.T) {
	other := map[string]any{
		"format": "bc7", "gpu": "web", "container": "dds", "dds_header": "dx10", "mips": true, "cube": "cross", "layers": []any{"a"},
		"prefilter": "ggx", "irradiance": "sh", "normal_z": true, "premultiply": true, "coverage": 0.5, "weigh_alpha": true, "rdo": 0.5,
		"fit": int64(32), "pot": "up", "scales": []any{0.5}, "r": "g", "g": "r", "b": "r", "a": "1", "flip": "x", "normals": "opengl",
		"quality": "best", "preset": "2d", "kind": "data", "named": "ui", "alpha": "data", "srgb": false, "filter": "kaiser", "wrap": "repeat",
		"max_size": int64(64), "frames": "sheet", "sheet_size": int64(64), "webp_quality": int64(80), "faces": []any{"a"}, "zstd": int64(0),
	}
	plain := func() *pictureRecipe.Image {
		o := pictureRecipe.Recipe().New().(*pictureRecipe.Image)
		o.GPU = "none"
		return o
	}
	for _, field := range recipeset.Options(plain()) {
		value, ok := other[field.Key]
		o := plain()
		if err := recipeset.SetOption(o, field.Key, value); err != nil || !ok {
			t.Errorf("%s: %v", field.Key, err)
			continue
		}
		if renames := !slices.Equal(o.Outputs(), plain().Outputs()) || o.IsUASTC(); renames && !slices.Contains(picturefile.OutputOptions(), field.Key) {
			t.Errorf("%s decides the names %q, but models do not follow it", field.Key, o.Outputs())
		}
	}
}
