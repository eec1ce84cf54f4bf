package mesh

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// The materials of variants must count like a primitive's own material. Their normal maps must
// cause tangents. The triangles must keep their order if one of the materials blends.
func TestVariants(t *testing.T) {
	model := func(materials, primitive string) fstest.MapFS {
		s := new(sheet)
		p, n, uv, i := s.grid(9, 1)
		return s.tree(fill(`"extensionsUsed":["KHR_materials_variants"],"textures":[{}],"scene":0,"scenes":[{"nodes":[0]}],
			"extensions":{"KHR_materials_variants":{"variants":[{"name":"x"},{"name":"y"}]}},"nodes":[{"mesh":0}],
			"materials":[`+materials+`],
			"meshes":[{"primitives":[{"attributes":{"POSITION":$p,"NORMAL":$n,"TEXCOORD_0":$uv},"indices":$i`+primitive+`}]}]`,
			map[string]int{"p": p, "n": n, "uv": uv, "i": i}))
	}
	mapped := func(materials ...string) string {
		var mappings []string
		for i, m := range materials {
			mappings = append(mappings, fmt.Sprintf(`{"material":%s,"variants":[%d]}`, m, i))
		}
		return `,"extensions":{"KHR_materials_variants":{"mappings":[` + strings.Join(mappings, ",") + `]}}`
	}
	const (
		dark = `{"normalTexture":{"index":0},"extensions":{"KHR_materials_unlit":{}}}`
		bump = `{"normalTexture":{"index":0}}`
	)
	for _, tc := range []struct {
		name, materials, primitive string
		tangents, keeps            bool
	}{
		{"a variant is bumpy", `{},` + bump, `,"material":0` + mapped("0", "1"), true, false},
		{"without a material of its own", `{},` + bump, mapped("1"), true, false},
		{"unlit but for a bumpy variant", dark + `,` + bump, `,"material":0` + mapped("1"), true, false},
		{"unlit but for a plain variant", dark + `,{}`, `,"material":0` + mapped("1"), false, false},
		{"a variant blends", `{},{"alphaMode":"BLEND"}`, `,"material":0` + mapped("1"), false, true},
		{"nothing of that", `{},` + bump + `,{"alphaMode":"BLEND"}`, `,"material":0` + mapped("0"), false, false},
	} {
		tree := model(tc.materials, tc.primitive)
		order := func(o *meshOptions) []shown { return show(t, decode(t, cook(t, o, tree, "m/a.gltf"), nil)) }
		doc := decode(t, cook(t, options(nil), tree, "m/a.gltf"), nil)
		if _, made := doc.Meshes[0].Primitives[0].Attributes["TANGENT"]; made != tc.tangents {
			t.Errorf("%s: tangents made: %t", tc.name, made)
		}
		keeps := reflect.DeepEqual(order(options(nil)), order(options(func(o *meshOptions) { o.Optimize = false })))
		if keeps != tc.keeps {
			t.Errorf("%s: triangles keep their order: %t", tc.name, keeps)
		}
	}
	wantRefusal(t, model(`{}`, mapped("7")), "m/a.gltf", "the index 7 is out of range: the number of materials is 1")
	// The estimate must include the vertices that tangents add.
	estimate := func(materials string) int64 {
		text := model(materials, `,"material":0`+mapped("1"))["m/a.gltf"].Data
		n, err := options(nil).estimateMemory(text, int64(len(text)))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if bumpy, plain := estimate(`{},`+bump), estimate(`{},{}`); bumpy-plain < 9*9*6*28 {
		t.Errorf("estimate %d, without a normal map %d", bumpy, plain)
	}
}

// An extension may name a node, such as the shape of a collider. This node must keep its mesh
// unchanged and get no levels of detail. Other nodes and meshes must be cooked as usual.
func TestNamedNodesKeepTheirMeshes(t *testing.T) {
	s := new(sheet)
	p, n, _, i := s.grid(12, 0.1)
	q, m, _, k := s.grid(12, 0.1)
	tree := s.tree(fill(`"extensionsUsed":["KHR_physics_rigid_bodies"],"scene":0,"scenes":[{"nodes":[0,1,2]}],
		"nodes":[
			{"extensions":{"KHR_physics_rigid_bodies":{"collider":{"geometry":{"node":1,"convexHull":true}}}},"extras":{"node":2}},
			{"mesh":0},{"mesh":1}],
		"meshes":[{"primitives":[{"attributes":{"POSITION":$p,"NORMAL":$n},"indices":$i}]},
			{"primitives":[{"attributes":{"POSITION":$q,"NORMAL":$m},"indices":$k}]}]`,
		map[string]int{"p": p, "n": n, "i": i, "q": q, "m": m, "k": k}))
	doc := decode(t, cook(t, options(func(o *meshOptions) { o.LODs, o.LODError = 1, 0.5 }), tree, "m/a.gltf"), nil)
	if node := doc.Nodes[1]; node.Mesh == nil || *node.Mesh != 0 || len(node.Children) > 0 {
		t.Errorf("the named node: mesh %v, children %v", node.Mesh, node.Children)
	}
	if a := doc.Accessors[doc.Meshes[0].Primitives[0].Attributes["POSITION"]]; a.ComponentType.ByteSize() != 4 {
		t.Errorf("the positions of its mesh are of type %d", a.ComponentType)
	}
	if node := doc.Nodes[2]; node.Mesh != nil || len(node.Children) != 1 || lodIDs(t, doc.Nodes[node.Children[0]]) == nil {
		t.Errorf("another node: mesh %v, children %v", node.Mesh, node.Children)
	}
	for text, want := range map[string][]bool{
		`{"node":1,"extensions":{"A":{"deep":[{"x":{"node":2}}]}}}`:                                                       {false, false, true},
		`{"extensions":{"A":{"node":0,"B":{"node":1}},"node":2}}`:                                                         {true, true, false},
		`{"extensions":{"A":{"node":3,"n":0,"B":{"node":"1"}},"C":{"node":-1}},"b":{"extensions":{"node":{"node":[0]}}}}`: {false, false, false},
	} {
		if have := namedNodes(&gltf.Document{Text: []byte(text), Nodes: make([]gltf.Node, 3)}); !reflect.DeepEqual(have, want) {
			t.Errorf("%s: %v, want %v", text, have, want)
		}
	}
}

// The extract named held must return the files that a source names as buffers or MTL files.
func TestHeldFilesOfModels(t *testing.T) {
	glb := func(text string) string {
		b := append([]byte("glTF"), 2, 0, 0, 0)
		b = binary.LittleEndian.AppendUint32(b, uint32(20+len(text)))
		b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
		return string(append(b, "JSON"+text...))
	}
	const buffers = `{"buffers":[{"uri":"a%20b.bin"},{"uri":"./x/../c.bin"},{"uri":"data:,x"},{},{"uri":"http://a/b.bin"}],"images":[{"uri":"d.bin"}]}`
	long := strings.Repeat("v 0 0 0\n", maxOBJHead/8-1)
	for _, tt := range []struct {
		name, model string
		want        []string
	}{
		{"glTF", buffers, []string{"a b.bin", "c.bin"}},
		{"glTF with a byte order mark", "\ufeff" + buffers, []string{"a b.bin", "c.bin"}},
		{"GLB", glb(buffers), []string{"a b.bin", "c.bin"}},
		{"GLB that is cut short", glb(buffers)[:60], nil},
		{"glTF that is no JSON", buffers[:60], nil},
		{"OBJ", "# a\nmtllib one.mtl sub\\two.mtl\nv 0 0 0\nmtllib with space.txt\n", []string{"one.mtl", "sub/two.mtl", "with space.txt"}},
		{"OBJ whose beginning is enough", "mtllib a.mtl\n" + long, []string{"a.mtl"}},
		{"OBJ with a name at the bound", long + "mtllib a.mtl\n", nil},
		{"OBJ with zero bytes", "mtllib a.mtl\n\x00", nil},
		{"empty", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			says, err := filesHeldBy(bytes.NewReader([]byte(tt.model)), int64(len(tt.model)))
			if err != nil {
				t.Fatal(err)
			}
			if got := slices.Sorted(maps.Keys(says)); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
