package mesh

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/qmuntal/gltf"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	own "github.com/assetcook/assetcook/internal/mesh/gltf"
)

// repaired cooks a model with options that keep floats, and compares the warnings.
func repaired(t *testing.T, tree fstest.MapFS, name string, want ...string) *gltf.Document {
	t.Helper()
	o := options(ways["floats"])
	o.Optimize = false
	res := recipetest.Cook(t, Recipe(), o, tree, "", name)
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	if d := cmp.Diff(want, res.Warned); d != "" {
		t.Error(d)
	}
	return decode(t, res.Outputs[0], nil)
}

// near compares numbers to within float32's rounding.
func near(t *testing.T, have [][]float64, want ...[]float64) {
	t.Helper()
	for i := range want {
		for k := range want[i] {
			if i >= len(have) || math.Abs(have[i][k]-want[i][k]) > 1e-6 {
				t.Fatalf("%v, want %v", have, want)
			}
		}
	}
}

// triangle returns a model of one triangle, with additional attributes and other parts.
func (s *sheet) triangle(attributes, rest string) fstest.MapFS {
	p := s.positions(0, 0, 0, 2, 0, 0, 0, 2, 0)
	return s.tree(fmt.Sprintf(`"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":%d%s}}]}]%s`,
		p, attributes, rest))
}

// Normals must get length 1. A normal of length 0 must become the normal of the triangle.
func TestRepairsNormals(t *testing.T) {
	s := new(sheet)
	s.floats("VEC3", 3, 0, 0, 2, 0, 0, 0, 0, 0.6, 0.8)
	doc := repaired(t, s.triangle(`,"NORMAL":0`, ""), "m/a.gltf",
		"mesh 0 primitive 0: a normal was not of length 1 and was normalized",
		"mesh 0 primitive 0: a normal had length 0 and was computed again")
	near(t, elements(t, doc, doc.Meshes[0].Primitives[0].Attributes["NORMAL"]), []float64{0, 0, 1}, []float64{0, 0, 1}, []float64{0, 0.6, 0.8})
}

// Tangents must get length 1 and a sign of 1 or -1. If a tangent has length 0, the tangents must be
// left out.
func TestRepairsTangents(t *testing.T) {
	s := new(sheet)
	s.floats("VEC3", 3, 0, 0, 1, 0, 0, 1, 0, 0, 1)
	s.floats("VEC4", 4, 2, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, -0.5)
	doc := repaired(t, s.triangle(`,"NORMAL":0,"TANGENT":1`, ""), "m/a.gltf",
		"mesh 0 primitive 0: a tangent was not of length 1 and was normalized",
		"mesh 0 primitive 0: the sign of a tangent was not 1 or -1 and was rounded (and 1 similar repairs)")
	near(t, elements(t, doc, doc.Meshes[0].Primitives[0].Attributes["TANGENT"]), []float64{1, 0, 0, 1}, []float64{1, 0, 0, 1}, []float64{1, 0, 0, -1})

	s = new(sheet)
	s.floats("VEC3", 3, 0, 0, 1, 0, 0, 1, 0, 0, 1)
	s.floats("VEC4", 4, 2, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1)
	doc = repaired(t, s.triangle(`,"NORMAL":0,"TANGENT":1`, ""), "m/a.gltf", "mesh 0 primitive 0: tangents had length 0 and were removed")
	if _, there := doc.Meshes[0].Primitives[0].Attributes["TANGENT"]; there {
		t.Error("tangents without length are still there")
	}
}

func TestRepairsColors(t *testing.T) {
	s := new(sheet)
	s.floats("VEC3", 3, 1.5, 0, -1, 0.5, 1, 0, 0, 0, 0)
	doc := repaired(t, s.triangle(`,"COLOR_0":0`, ""), "m/a.gltf",
		"mesh 0 primitive 0: a component of a color was below 0 or above 1 and was clamped (and 1 similar repairs)")
	near(t, elements(t, doc, doc.Meshes[0].Primitives[0].Attributes["COLOR_0"]), []float64{1, 0, 0}, []float64{0.5, 1, 0})
}

// skinned returns a model of one triangle that two joints move.
func skinned(joints []uint16, weights []float32) fstest.MapFS {
	s := new(sheet)
	p := s.positions(0, 0, 0, 2, 0, 0, 0, 2, 0)
	j, w := s.shorts("VEC4", 4, joints...), s.floats("VEC4", 4, weights...)
	return s.tree(fmt.Sprintf(`"scene":0,"scenes":[{"nodes":[0,1]}],"nodes":[{"mesh":0,"skin":0},{"children":[2]},{}],"skins":[{"joints":[1,2]}],
		"meshes":[{"primitives":[{"attributes":{"POSITION":%d,"JOINTS_0":%d,"WEIGHTS_0":%d}}]}]`, p, j, w))
}

// The weights of a vertex must get a sum of 1, and each joint must occur once.
func TestRepairsWeights(t *testing.T) {
	joints := []uint16{0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0}
	doc := repaired(t, skinned(joints, []float32{1, 3, 0, 0, 0.25, 0.5, 0.25, 0, 0, 0, 0, 0}), "m/a.gltf",
		"mesh 0 primitive 0: a vertex had two weights for one joint, which were added",
		"mesh 0 primitive 0: a vertex had no weights and was assigned to its first joint",
		"mesh 0 primitive 0: the sum of weights was not 1, so they were scaled")
	near(t, elements(t, doc, doc.Meshes[0].Primitives[0].Attributes["WEIGHTS_0"]),
		[]float64{0.25, 0.75, 0, 0}, []float64{0.75, 0, 0.25, 0}, []float64{1, 0, 0, 0})
	fine := []float32{1, 0, 0, 0, 1, 0, 0, 0, 0.5, 0.5, 0, 0}
	repaired(t, skinned(joints, fine), "m/a.gltf")
	wantRefusal(t, skinned([]uint16{0, 2, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}, fine), "m/a.gltf", "mesh 0 primitive 0: vertex 0 uses joint 2 of a skin with 2 joints")
	wantRefusal(t, skinned(joints, []float32{1, 0, 0, 0, 1.5, -0.5, 0, 0, 1, 0, 0, 0}), "m/a.gltf", "mesh 0 primitive 0: vertex 1 has a weight of -0.5")
}

// animated returns a model with an animation that turns node 1.
func animated(times, turns []float32, bounds, interpolation string) fstest.MapFS {
	s := new(sheet)
	in, out := s.floats("SCALAR", 1, times...), s.floats("VEC4", 4, turns...)
	s.accessors[in] = strings.Replace(s.accessors[in], `"type"`, bounds+`"type"`, 1)
	return s.tree(fmt.Sprintf(`"nodes":[{},{}],"animations":[{"channels":[{"sampler":0,"target":{"node":1,"path":"rotation"}}],
		"samplers":[{"input":%d,"output":%d,"interpolation":"%s"}]}]`, in, out, interpolation))
}

func TestRepairsAnimations(t *testing.T) {
	const right = `"min":[0],"max":[1],`
	doc := repaired(t, animated([]float32{0, 1}, []float32{0, 0, 0, 2, 0, 0, 0, 1}, right, "LINEAR"), "m/a.gltf",
		"accessor 1: a rotation in an animation was not of length 1 and was normalized")
	near(t, elements(t, doc, 1), []float64{0, 0, 0, 1}, []float64{0, 0, 0, 1})
	// Tangents of splines may have any length.
	repaired(t, animated([]float32{0, 1}, []float32{9, 0, 0, 0, 0, 0, 0, 1, 9, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 1, 7, 0, 0, 0}, right, "CUBICSPLINE"), "m/a.gltf")
	doc = repaired(t, animated([]float32{0, 1}, []float32{0, 0, 0, 1, 0, 0, 0, 1}, `"min":[0],"max":[2],`, "STEP"), "m/a.gltf",
		"accessor 0: min or max did not match the elements and were corrected")
	if have := doc.Accessors[0].Max; !reflect.DeepEqual(have, []float64{1}) {
		t.Errorf("max %v", have)
	}
	doc = repaired(t, animated([]float32{0.5, 1}, []float32{0, 0, 0, 1, 0, 0, 0, 1}, "", "STEP"), "m/a.gltf",
		"accessor 0: min or max are missing; added")
	if a := doc.Accessors[0]; !reflect.DeepEqual(a.Min, []float64{0.5}) || !reflect.DeepEqual(a.Max, []float64{1}) {
		t.Errorf("min %v, max %v", a.Min, a.Max)
	}
	for _, tc := range []struct {
		times, turns []float32
		want         string
	}{
		{[]float32{1, 1}, []float32{0, 0, 0, 1, 0, 0, 0, 1}, "accessor 0: keyframe 1 at 1 seconds is not after the previous keyframe, at 1"},
		{[]float32{-1, 1}, []float32{0, 0, 0, 1, 0, 0, 0, 1}, "accessor 0: keyframe 0 is at -1 seconds"},
		{[]float32{0, 1}, []float32{0, 0, 0, 1, 0, 0, 0, 0}, "accessor 1: element 1 is a rotation of length 0"},
		{[]float32{0, float32(math.Inf(1))}, []float32{0, 0, 0, 1, 0, 0, 0, 1}, "accessor 0: element 1 is +Inf"},
	} {
		wantRefusal(t, animated(tc.times, tc.turns, "", "LINEAR"), "m/a.gltf", tc.want)
	}
}

// The last row of an inverse bind matrix must be rounded if it is nearly right.
func TestRepairsInverseBindMatrices(t *testing.T) {
	model := func(corner float32) fstest.MapFS {
		s := new(sheet)
		m := s.floats("MAT4", 16, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, corner)
		return s.tree(fmt.Sprintf(`"nodes":[{}],"skins":[{"joints":[0],"inverseBindMatrices":%d}]`, m))
	}
	doc := repaired(t, model(0.99999), "m/a.gltf", "accessor 0: "+lastRow)
	if have := elements(t, doc, 0)[0][15]; have != 1 {
		t.Errorf("the corner is %v", have)
	}
	wantRefusal(t, model(0.9), "m/a.gltf", "accessor 0: matrix 0: 0.9 in the last row, want 0 0 0 1")
	// Matrices that reverse quantization must be rounded, too.
	moved := func(x, corner float32) fstest.MapFS {
		tree := skinned([]uint16{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, []float32{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0})
		bind := []float32{x, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, corner, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}
		var data []byte
		for _, v := range bind {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
		text := strings.Replace(string(tree["m/a.gltf"].Data), `"joints":[1,2]`, `"joints":[1,2],"inverseBindMatrices":3`, 1)
		text = strings.Replace(text, `],"bufferViews":[`, `,{"bufferView":3,"componentType":5126,"count":2,"type":"MAT4"}],"bufferViews":[`, 1)
		text = strings.Replace(text, `],"buffers":[`, fmt.Sprintf(`,{"buffer":1,"byteLength":128}],"buffers":[{"byteLength":128,"uri":"data:application/octet-stream;base64,%s"},`,
			base64.StdEncoding.EncodeToString(data)), 1)
		text = strings.NewReplacer(`"buffer":0`, `"buffer":1`, `"buffer":1`, `"buffer":0`).Replace(text)
		tree["m/a.gltf"].Data = []byte(text)
		return tree
	}
	res := recipetest.Cook(t, Recipe(), options(nil), moved(1, 0.99999), "", "m/a.gltf")
	if d := cmp.Diff([]string{"accessor 3: " + lastRow}, res.Warned); res.Err != nil || d != "" {
		t.Error(res.Err, d)
	}
	wantRefusal(t, moved(float32(math.NaN()), 1), "m/a.gltf", "skin 0: element 0 is NaN")
	large := moved(3e38, 1)
	binary.LittleEndian.PutUint32(large["m/a b.bin"].Data, math.Float32bits(4e30))
	wantRefusal(t, large, "m/a.gltf", "skin 0: its mesh is too large")
}

func TestRepairsDocuments(t *testing.T) {
	s := new(sheet)
	tree := s.triangle("", `,"cameras":[],"materials":[{"extensions":{"EXT_mine":{}}}]`)
	text := string(tree["m/a.gltf"].Data)
	tree["m/a.gltf"].Data = []byte(strings.Replace(text, `{"mesh":0}`, `{"mesh":0,"children":[],"rotation":[0,0,0,2]}`, 1))
	doc := repaired(t, tree, "m/a.gltf",
		`1:82: a list is empty (2 times); left out`,
		`1:218: an extension is missing in extensionsUsed; the extension was added`,
		`node 0: the length of a rotation is not 1; scaled`)
	if doc.Nodes[0].Rotation != [4]float64{0, 0, 0, 1} || !reflect.DeepEqual(doc.ExtensionsUsed, []string{"EXT_mine"}) || doc.Nodes[0].Children != nil {
		t.Errorf("node %v, extensions %v", doc.Nodes[0], doc.ExtensionsUsed)
	}
}

// Views must be laid out again, even if accessors share them or are misaligned.
func TestRepairsLayout(t *testing.T) {
	s := new(sheet)
	s.floats("VEC3", 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1) // three positions, then three normals
	s.accessors = []string{
		`{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}`,
		`{"bufferView":0,"byteOffset":36,"componentType":5126,"count":3,"type":"VEC3"}`,
		`{"bufferView":1,"componentType":5121,"normalized":true,"count":3,"type":"VEC3"}`,
		`{"bufferView":2,"componentType":5126,"count":2,"type":"SCALAR","min":[0],"max":[1]}`,
		`{"bufferView":3,"componentType":5126,"count":2,"type":"VEC3"}`,
	}
	view := func(more string, data ...byte) {
		s.views = append(s.views, fmt.Sprintf(`{"buffer":0,"byteOffset":%d,"byteLength":%d%s}`, len(s.data), len(data), more))
		s.data = append(s.data, data...)
	}
	view("", 255, 0, 0, 0, 255, 0, 0, 0, 255)
	s.data = append(s.data, 0, 0, 0)
	view(`,"byteStride":8`, 0, 0, 0, 0, 9, 9, 9, 9, 0, 0, 0x80, 0x3f)
	view("", append(make([]byte, 20), 0, 0, 0x40, 0x40)...) // the last of these floats is 3
	doc := repaired(t, s.tree(`"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0,"NORMAL":1,"COLOR_0":2}}]}],
		"animations":[{"channels":[{"sampler":0,"target":{"node":0,"path":"translation"}}],"samplers":[{"input":3,"output":4}]}]`), "m/a.gltf",
		"accessor 2: attribute offsets are not multiples of 4; rewritten",
		"bufferView 0: a bufferView without byteStride has attributes of several accessors; rewritten",
		"accessor 0: min or max are missing; added",
		"bufferView 2: a bufferView has a byteStride, but no attributes; rewritten")
	attributes := doc.Meshes[0].Primitives[0].Attributes
	near(t, elements(t, doc, attributes["POSITION"]), []float64{0, 0, 0}, []float64{2, 0, 0}, []float64{0, 2, 0})
	near(t, elements(t, doc, attributes["NORMAL"]), []float64{0, 0, 1}, []float64{0, 0, 1}, []float64{0, 0, 1})
	near(t, elements(t, doc, attributes["COLOR_0"]), []float64{1, 0, 0}, []float64{0, 1, 0}, []float64{0, 0, 1})
	sampler := doc.Animations[0].Samplers[0]
	near(t, elements(t, doc, sampler.Input), []float64{0}, []float64{1})
	near(t, elements(t, doc, sampler.Output), []float64{0, 0, 0}, []float64{0, 0, 3})
	for i, v := range doc.BufferViews {
		if a := doc.Accessors[sampler.Input]; *a.BufferView == i && v.ByteStride != 0 {
			t.Errorf("keyframes have a byteStride of %d", v.ByteStride)
		}
	}
}

// A primitive without the coordinates of its material's textures must get a copy of the material
// without these textures. Other primitives must keep the material.
func TestTexturesWithoutCoordinates(t *testing.T) {
	s := new(sheet)
	p := s.positions(0, 0, 0, 2, 0, 0, 0, 2, 0)
	uv := s.floats("VEC2", 2, 0, 0, 1, 0, 0, 1)
	tree := s.tree(fmt.Sprintf(`"extensionsUsed":["KHR_texture_transform","KHR_materials_sheen","KHR_materials_variants"],
		"extensions":{"KHR_materials_variants":{"variants":[{"name":"x"}]}},"textures":[{}],
		"materials":[{"name":"both","pbrMetallicRoughness":{"metallicFactor":0.5,"baseColorTexture":{"index":0}},
			"normalTexture":{"index":0,"texCoord":0,"extensions":{"KHR_texture_transform":{"texCoord":1}}},
			"extensions":{"KHR_materials_sheen":{"sheenColorTexture":{"index":0,"texCoord":2},"sheenRoughnessFactor":0.5}}},{}],
		"meshes":[{"primitives":[{"attributes":{"POSITION":%[1]d},"material":0},{"attributes":{"POSITION":%[1]d,"TEXCOORD_0":%[2]d},"material":0},
			{"attributes":{"POSITION":%[1]d},"material":1,"extensions":{"KHR_materials_variants":{"mappings":[{"material":0,"variants":[0]}]}}}]}]`, p, uv))
	doc := repaired(t, tree, "m/a.gltf",
		"mesh 0 primitive 0: a primitive with a textured material has no texture coordinates, so it is drawn without the texture; export the coordinates (and 2 similar repairs)")
	texts := func(i int) string {
		root, err := own.ParseObject(textOf(t, cook(t, options(nil), tree, "m/a.gltf")))
		if err != nil {
			t.Fatal(err)
		}
		list, err := root.List("materials")
		if err != nil {
			t.Fatal(err)
		}
		return string(list[i])
	}
	for i, want := range map[int]string{
		2: `{"name":"both","pbrMetallicRoughness":{"metallicFactor":0.5},"extensions":{"KHR_materials_sheen":{"sheenRoughnessFactor":0.5}}}`,
		3: `{"name":"both","pbrMetallicRoughness":{"metallicFactor":0.5,"baseColorTexture":{"index":0}},"extensions":{"KHR_materials_sheen":{"sheenRoughnessFactor":0.5}}}`,
	} {
		if have := texts(i); have != want {
			t.Errorf("material %d: %s, want %s", i, have, want)
		}
	}
	primitives := doc.Meshes[0].Primitives
	if *primitives[0].Material != 2 || *primitives[1].Material != 3 || *primitives[2].Material != 1 {
		t.Errorf("materials %d %d %d", *primitives[0].Material, *primitives[1].Material, *primitives[2].Material)
	}
	mappings := fmt.Sprint(at(value(t, textOf(t, cook(t, options(nil), tree, "m/a.gltf"))), "meshes", 0, "primitives", 2, "extensions", extVariants))
	if !strings.Contains(mappings, "material:2") {
		t.Errorf("variants %s", mappings)
	}
}

// Some faces of an OBJ file have a textured material but no texture coordinates. They must get a
// copy of the material without textures. A missing library or image must be reported.
func TestOBJ(t *testing.T) {
	tree := fstest.MapFS{
		"m/a.obj": {Data: []byte("mtllib a.mtl\nmtllib gone.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl x\nf 1/1 2/2 3/3\nf 3 2 1\n")},
		"m/a.mtl": {Data: []byte("newmtl x\nKd 1 0 0\nmap_Kd wood.png\n")},
	}
	doc := repaired(t, tree, "m/a.obj",
		`mtllib gone.mtl does not exist, so its materials get default properties; add the file`,
		`image "wood.png" does not exist; the model names it anyway`,
		"mesh 0 primitive 1: a primitive with a textured material has no texture coordinates, so it is drawn without the texture; export the coordinates")
	first, second := doc.Meshes[0].Primitives[0], doc.Meshes[0].Primitives[1]
	if doc.Materials[*first.Material].PBRMetallicRoughness.BaseColorTexture == nil {
		t.Error("the texture is gone")
	}
	if m := doc.Materials[*second.Material].PBRMetallicRoughness; m.BaseColorTexture != nil || m.BaseColorFactor == nil || *m.BaseColorFactor != [4]float64{1, 0, 0, 1} {
		t.Errorf("without coordinates: %+v", m)
	}
}

// The model must have the vertex colors and material values of an OBJ file. One warning must name
// the statements that glTF cannot express.
func TestOBJKeepsValues(t *testing.T) {
	tree := fstest.MapFS{
		"m/a.obj": {Data: []byte("mtllib a.mtl\nv 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 0 1 0\nusemtl x\ns 1\nf 1 2 3\n")},
		"m/a.mtl": {Data: []byte("newmtl x\nPr 0.5\nKe 4 0 0\nNi 1.25\nTf 1 0 0\nmap_Bump b.png\n")},
	}
	doc := repaired(t, tree, "m/a.obj", `the cooked glTF model loses Tf, map_Bump (norm names a normal map), `+
		`s (smoothing groups; set normals = "smooth" in a rule to make normals), which glTF cannot store`)
	p, m := doc.Meshes[0].Primitives[0], doc.Materials[0]
	color, ok := p.Attributes["COLOR_0"]
	if !ok {
		t.Fatalf("attributes %v", p.Attributes)
	}
	if have := elements(t, doc, color); fmt.Sprint(have) != "[[1 0 0 1] [0 1 0 1] [1 1 1 1]]" {
		t.Errorf("colors %v", have)
	}
	if *m.PBRMetallicRoughness.RoughnessFactor != 0.5 || m.EmissiveFactor != [3]float64{1, 0, 0} || len(m.Extensions) != 2 {
		t.Errorf("material %+v", m)
	}
}

// Tangents must be made for all materials that need them, not only for normal maps. If they cannot
// be made, the model must be refused.
func TestTangentsForCoats(t *testing.T) {
	coat := func(uv string) fstest.MapFS {
		s := new(sheet)
		s.floats("VEC2", 2, 0, 0, 1, 0, 0, 1)
		s.floats("VEC3", 3, 0, 0, 1, 0, 0, 1, 0, 0, 1)
		tree := s.triangle(uv, `,"extensionsUsed":["KHR_materials_clearcoat"],"textures":[{}],
			"materials":[{"extensions":{"KHR_materials_clearcoat":{"clearcoatNormalTexture":{"index":0}}}}]`)
		tree["m/a.gltf"].Data = []byte(strings.Replace(string(tree["m/a.gltf"].Data), `"attributes"`, `"material":0,"attributes"`, 1))
		return tree
	}
	for _, wanted := range []bool{true, false} {
		o := options(func(o *meshOptions) { o.Tangents = wanted })
		doc := decode(t, cook(t, o, coat(`,"TEXCOORD_0":0,"NORMAL":1`), "m/a.gltf"), nil)
		if _, made := doc.Meshes[0].Primitives[0].Attributes["TANGENT"]; !made {
			t.Errorf("tangents = %v: no tangents", wanted)
		}
	}
	o := options(func(o *meshOptions) { o.Normals = "none" })
	if res := recipetest.Cook(t, Recipe(), o, coat(`,"TEXCOORD_0":0`), "", "m/a.gltf"); res.Err == nil || !strings.Contains(res.Err.Error(), "needs tangents") {
		t.Errorf("without normals: %v", res.Err)
	}
}

// If an extension may name a primitive's vertices, the primitive stays unchanged. It must still be
// checked.
func TestRefusesFaultsInWhatStays(t *testing.T) {
	stays := func(count int, kind, attribute string, values ...float32) fstest.MapFS {
		s := new(sheet)
		s.floats(kind, len(values)/count, values...)
		tree := s.triangle(attribute, `,"extensionsUsed":["EXT_mine"]`)
		tree["m/a.gltf"].Data = []byte(strings.Replace(string(tree["m/a.gltf"].Data), `"attributes"`, `"extensions":{"EXT_mine":{}},"attributes"`, 1))
		return tree
	}
	wantRefusal(t, stays(3, "VEC3", `,"NORMAL":0`, 0, 0, 2, 0, 0, 1, 0, 0, 1), "m/a.gltf", "accessor 0: vertex 0: the length of [0 0 2] is not 1")
	wantRefusal(t, stays(3, "VEC3", `,"COLOR_0":0`, 0, 0, 1, 0, 0, 1, 0, 0, 1.5), "m/a.gltf", "accessor 0: vertex 2 has a color of [0 0 1.5]")
	s := new(sheet)
	i := s.shorts("SCALAR", 1, 0, 1, 3)
	tree := s.triangle("", `,"extensionsUsed":["EXT_mine"]`)
	tree["m/a.gltf"].Data = []byte(strings.Replace(string(tree["m/a.gltf"].Data), `"attributes"`, fmt.Sprintf(`"extensions":{"EXT_mine":{}},"indices":%d,"attributes"`, i), 1))
	wantRefusal(t, tree, "m/a.gltf", "accessor 0: index 2 refers to vertex 3, but there are only 3")
}

// The indices of a sparse accessor do not increase, so the model must be refused.
func TestRefusesSparseOutOfOrder(t *testing.T) {
	s := new(sheet)
	at, values := s.shorts("SCALAR", 1, 2, 1), s.floats("VEC3", 3, 1, 1, 1, 2, 2, 2)
	p := s.positions(0, 0, 0, 2, 0, 0, 0, 2, 0)
	s.accessors[p] = strings.TrimSuffix(s.accessors[p], "}") + fmt.Sprintf(`,"sparse":{"count":2,"indices":{"bufferView":%d,"componentType":5123},"values":{"bufferView":%d}}}`, at, values)
	wantRefusal(t, s.tree(fmt.Sprintf(`"meshes":[{"primitives":[{"attributes":{"POSITION":%d}}]}]`, p)), "m/a.gltf", "sparse indices do not increase at 1")
}

// Faults in the structure of a GLB file must be reported. Its readable parts must be read.
func TestOddGLB(t *testing.T) {
	chunk := func(kind string, data []byte) []byte {
		return append(append(binary.LittleEndian.AppendUint32(nil, uint32(len(data))), kind...), data...)
	}
	glb := func(chunks ...[]byte) []byte {
		var all []byte
		for _, c := range chunks {
			all = append(all, c...)
		}
		return append(binary.LittleEndian.AppendUint32([]byte("glTF\x02\x00\x00\x00"), uint32(12+len(all))), all...)
	}
	text := chunk("JSON", []byte(`{"asset":{"version":"2.0"},"buffers":[{"byteLength":4}]}`))
	bin, other := chunk("BIN\x00", []byte("1234")), chunk("MINE", []byte("abcd"))
	for _, tc := range []struct {
		file []byte
		want []string
	}{
		{glb(text, bin), nil},
		{glb(text, bin, other), nil},
		{glb(text, other, bin), []string{"the binary chunk of the GLB file is not its second chunk; export the file again"}},
		{glb(text, bin, bin), []string{"the GLB file has more than one chunk of a type; the first is read; export the file again"}},
		{append(glb(text, bin), 0, 0, 0, 0), []string{"there are extra bytes after the end of the GLB data; export the file again"}},
		{glb(text, chunk("BIN\x00", []byte("12345"))), []string{"a chunk of the GLB file is not a multiple of four bytes long; export the file again"}},
	} {
		res := recipetest.Cook(t, Recipe(), options(nil), fstest.MapFS{"a.glb": {Data: tc.file}}, "", "a.glb")
		if d := cmp.Diff(tc.want, res.Warned); res.Err != nil || d != "" {
			t.Error(res.Err, d)
		}
	}
}
