package mesh

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/qmuntal/gltf"
)

// What drawing does not need goes, and its bytes with it.
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
		names := func(o *Mesh) (string, *gltf.Document, int) {
			glb := cook(t, o, tree, "m/a.gltf")
			doc := decode(t, glb, nil)
			return strings.Join(slices.Sorted(maps.Keys(doc.Meshes[0].Primitives[0].Attributes)), " "), doc, len(glb)
		}
		have, doc, size := names(options(func(o *Mesh) { o.Prune, o.Keep = true, tc.keep }))
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
