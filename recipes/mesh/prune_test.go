package mesh

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/qmuntal/gltf"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/jobs"
)

// Option prune must remove unneeded attributes with their bytes.
func TestPrune(t *testing.T) {
	const textured = `"pbrMetallicRoughness":{"baseColorTexture":{"index":0%s}}`
	for _, tc := range []struct {
		what, material, primitive, root string
		keep                            []string
		want                            string
	}{
		{"textures with coordinates 0", fmt.Sprintf(textured, ""), "", "", nil, "COLOR_0 NORMAL POSITION TEXCOORD_0 _MINE"},
		{"with coordinates 1", fmt.Sprintf(textured, `,"texCoord":1`), "", "", nil, "COLOR_0 NORMAL POSITION TEXCOORD_0 TEXCOORD_1 _MINE"},
		{"with those of a transform", fmt.Sprintf(textured, `,"extensions":{"KHR_texture_transform":{"texCoord":1}}`), "", `"extensionsUsed":["KHR_texture_transform"],`, nil,
			"COLOR_0 NORMAL POSITION TEXCOORD_0 TEXCOORD_1 _MINE"},
		{"of an extension", `"extensions":{"KHR_materials_specular":{"specularTexture":{"index":0,"texCoord":1}}}`, "", `"extensionsUsed":["KHR_materials_specular"],`, nil,
			"COLOR_0 NORMAL POSITION TEXCOORD_0 TEXCOORD_1 _MINE"},
		{"of an extension that is not known", `"extensions":{"EXT_mine":{}}`, "", `"extensionsUsed":["EXT_mine"],`, nil, "COLOR_0 NORMAL POSITION TEXCOORD_0 TEXCOORD_1 _MINE"},
		{"no textures", ``, "", "", nil, "COLOR_0 NORMAL POSITION _MINE"},
		{"kept", ``, "", "", []string{"TEXCOORD_1", "COLOR_1"}, "COLOR_0 COLOR_1 NORMAL POSITION TEXCOORD_0 TEXCOORD_1 _MINE"},
		{"a normal map", `"normalTexture":{"index":0}`, "", "", nil, "COLOR_0 NORMAL POSITION TANGENT TEXCOORD_0 _MINE"},
		{"unlit", `"extensions":{"KHR_materials_unlit":{}}`, "", `"extensionsUsed":["KHR_materials_unlit"],`, nil, "COLOR_0 POSITION _MINE"},
		{"a variant", ``, `,"extensions":{"KHR_materials_variants":{"mappings":[{"material":1,"variants":[0]}]}}`,
			`"extensionsUsed":["KHR_materials_variants"],"extensions":{"KHR_materials_variants":{"variants":[{"name":"a"}]}},`, nil, "COLOR_0 NORMAL POSITION TEXCOORD_0 TEXCOORD_1 _MINE"},
		{"features", ``, `,"extensions":{"EXT_mesh_features":{"featureIds":[{"featureCount":1}]}}`, `"extensionsUsed":["EXT_mesh_features"],`, nil,
			"COLOR_0 COLOR_1 JOINTS_0 NORMAL POSITION TANGENT TEXCOORD_0 TEXCOORD_1 WEIGHTS_0 _MINE"},
	} {
		s := new(sheet)
		p, n, uv, i := s.grid(3, 1)
		var tangents, weights []float32
		for range 16 {
			tangents = append(tangents, 1, 0, 0, 1)
			weights = append(weights, 1, 0, 0, 0)
		}
		numbers := map[string]int{"p": p, "n": n, "uv": uv, "i": i, "t": s.floats("VEC4", 4, tangents...), "w": s.floats("VEC4", 4, weights...),
			"uv1": s.floats("VEC2", 2, make([]float32, 32)...), "c": s.floats("VEC4", 4, make([]float32, 64)...), "c1": s.floats("VEC4", 4, make([]float32, 64)...),
			"j": s.shorts("VEC4", 4, make([]uint16, 64)...), "m": s.floats("SCALAR", 1, make([]float32, 16)...)}
		tree := s.tree(tc.root + fill(`"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"images":[{"uri":"a.png"}],"textures":[{"source":0}],"materials":[{`+tc.material+`},{`+
			fmt.Sprintf(textured, `,"texCoord":1`)+`}],"meshes":[{"primitives":[{"attributes":{"POSITION":$p,"NORMAL":$n,"TANGENT":$t,"TEXCOORD_0":$uv,"TEXCOORD_1":$uv1,
				"COLOR_0":$c,"COLOR_1":$c1,"JOINTS_0":$j,"WEIGHTS_0":$w,"_MINE":$m},"indices":$i,"material":0`+tc.primitive+`}]}]`, numbers))
		names := func(o *meshOptions) (string, *gltf.Document, int) {
			glb := cook(t, o, tree, "m/a.gltf")
			doc := decode(t, glb, nil)
			return strings.Join(slices.Sorted(maps.Keys(doc.Meshes[0].Primitives[0].Attributes)), " "), doc, len(glb)
		}
		have, doc, size := names(options(func(o *meshOptions) { o.Prune, o.Keep = true, tc.keep }))
		if have != tc.want {
			t.Errorf("%s: %s, want %s", tc.what, have, tc.want)
		}
		all, _, before := names(options(nil))
		if gone := strings.Count(all, " ") - strings.Count(have, " "); before-size < 64*gone {
			t.Errorf("%s: %d attributes less save %d bytes", tc.what, gone, before-size)
		}
		for name, a := range doc.Meshes[0].Primitives[0].Attributes {
			if int(a) >= len(doc.Accessors) || doc.Accessors[a].Count != 16 {
				t.Errorf("%s: %s is accessor %d of %d", tc.what, name, a, len(doc.Accessors))
			}
		}
	}
}

// Option prune must remove elements that no scene reaches. Their images must not be read.
func TestPruneLists(t *testing.T) {
	s := new(sheet)
	p, n, uv, i := s.grid(3, 1)
	p2, n2, uv2, i2 := s.grid(9, 2)
	numbers := map[string]int{"p": p, "n": n, "uv": uv, "i": i, "p2": p2, "n2": n2, "uv2": uv2, "i2": i2}
	const text = `"extensionsUsed":["KHR_materials_ior"%s],"extensionsRequired":["KHR_materials_ior"],%s
		"scenes":[{"nodes":[1]}],"nodes":[{"name":"out","mesh":0},{"name":"in","mesh":1,"children":[2]},{"name":"Socket_hand"}],
		"meshes":[{"primitives":[{"attributes":{"POSITION":$p2,"NORMAL":$n2,"TEXCOORD_0":$uv2},"indices":$i2,"material":0}]},
			{"primitives":[{"attributes":{"POSITION":$p,"NORMAL":$n,"TEXCOORD_0":$uv},"indices":$i,"material":1}]}],
		"materials":[{"emissiveTexture":{"index":0},"extensions":{"KHR_materials_ior":{"ior":1.4}}},{"name":"plain"}],
		"textures":[{"source":0}],"images":[{"uri":"gone.png"}]`
	tree := func(used, root string) fstest.MapFS { return s.tree(fill(fmt.Sprintf(text, used, root), numbers)) }
	plain := tree("", "")
	counts := func(doc *gltf.Document) string {
		return fmt.Sprint(len(doc.Nodes), len(doc.Meshes), len(doc.Materials), len(doc.Textures), len(doc.Images), len(doc.Accessors), doc.ExtensionsUsed)
	}
	for _, tc := range []struct {
		what   string
		tree   fstest.MapFS
		change func(*meshOptions)
		want   string // length of each list, and the names of the extensions
		warned string
	}{
		// The mesh moves to a new node below the node of the source.
		{"all", plain, nil, "5 2 2 1 1 8 [KHR_materials_ior KHR_mesh_quantization]", "gone.png"},
		{"pruned", plain, func(o *meshOptions) { o.Prune = true }, "3 1 1 0 0 3 [KHR_mesh_quantization]", ""},
		{"without empty nodes", plain, func(o *meshOptions) { o.Prune, o.PruneEmpty = true, true }, "2 1 1 0 0 3 [KHR_mesh_quantization]", ""},
		{"kept", plain, func(o *meshOptions) { o.Prune, o.PruneEmpty, o.Keep = true, true, []string{"Socket_*", "ou?"} },
			"5 2 2 1 1 7 [KHR_materials_ior KHR_mesh_quantization]", "gone.png"},
		{"something unknown", tree(`,"EXT_mine"`, `"extensions":{"EXT_mine":{"x":1}},`), func(o *meshOptions) { o.Prune = true },
			"5 2 2 1 1 8 [KHR_materials_ior EXT_mine KHR_mesh_quantization]", "extension EXT_mine may refer"},
	} {
		o := options(tc.change)
		res := recipetest.Cook(t, Recipe(), o, tc.tree, "", "m/a.gltf")
		if res.Err != nil {
			t.Fatal(res.Err)
		}
		doc := decode(t, res.Outputs[0], nil)
		if have := counts(doc); have != tc.want {
			t.Errorf("%s: %s, want %s", tc.what, have, tc.want)
		}
		warned := fmt.Sprint(res.Warned)
		if !strings.Contains(warned, tc.warned) || tc.warned == "" && strings.Contains(warned, "gone.png") {
			t.Errorf("%s: warned of %s", tc.what, warned)
		}
	}
	job := jobs.New(Recipe(), jobs.Env{Path: "m/a.gltf", Open: plain.Open, Stat: plain.Stat}, 1)
	lines, err := options(func(o *meshOptions) { o.Prune = true }).explainResult(t.Context(), job)
	const want = "prune removes 1 node, 1 mesh, 1 material, 1 texture, 1 image, 4 accessors"
	if err != nil || lines[0] != want {
		t.Errorf("%q, %v; want %q", lines, err, want)
	}
}

// A run must note which attributes and elements are removed. Colors must be removed only if all of
// them are white.
func TestLeftOutAttributesAreNoted(t *testing.T) {
	for _, tc := range []struct {
		blue float32
		keep []string
		want string
	}{{1, nil, "COLOR_0 TEXCOORD_0 materials"}, {0.5, nil, "TEXCOORD_0 materials"}, {1, []string{"COLOR_0", "TEXCOORD_0", "odd"}, ""}} {
		s := new(sheet)
		p, n, uv, i := s.grid(3, 1)
		colors := make([]float32, 0, 64)
		for k := range 16 {
			if colors = append(colors, 1, 1, 1, 1); k == 7 {
				colors[4*k+2] = tc.blue
			}
		}
		tree := s.tree(fmt.Sprintf(`"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"materials":[{"name":"odd"}],"meshes":[{"primitives":[
			{"attributes":{"POSITION":%d,"NORMAL":%d,"TEXCOORD_0":%d,"COLOR_0":%d},"indices":%d}]}]`, p, n, uv, s.floats("VEC4", 4, colors...), i))
		var notes []string
		env := jobs.OfTree(Recipe(), tree, "m/a.gltf")
		env.Note = func(line string) { notes = append(notes, strings.Fields(line)[3]) }
		env.Create = func(int) (*os.File, error) { return os.Create(filepath.Join(t.TempDir(), "a.glb")) }
		o := options(func(o *meshOptions) { o.Prune, o.Keep = true, tc.keep })
		if err := o.Cook(t.Context(), jobs.New(Recipe(), env, 1)); err != nil {
			t.Fatal(err)
		}
		slices.Sort(notes)
		if have := strings.Join(notes, " "); have != tc.want {
			t.Errorf("blue %v, keep %q: notes %q, want %q", tc.blue, tc.keep, have, tc.want)
		}
	}
}
