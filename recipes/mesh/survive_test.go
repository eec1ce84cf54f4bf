package mesh

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// value decodes JSON. Numbers keep their text.
func value(t testing.TB, text []byte) map[string]any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func textOf(t testing.TB, glb []byte) []byte {
	t.Helper()
	text, _, _, err := gltf.SplitGLB(glb)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			v = v.(map[string]any)[p]
		case int:
			v = v.([]any)[p]
		}
	}
	return v
}

// Members that do not depend on meshes, buffers and grids must keep their values.
func TestSurvives(t *testing.T) {
	tree := figure()
	source, _ := fs.ReadFile(tree, "m/a.gltf")
	before := value(t, source)
	glb := cook(t, options(func(o *meshOptions) { o.AnimationError = 0 }), tree, "m/a.gltf")
	after := value(t, textOf(t, glb))
	for _, key := range []string{"asset", "scene", "scenes", "extras"} {
		if !reflect.DeepEqual(before[key], after[key]) {
			t.Errorf("%s: %v, want %v", key, after[key], before[key])
		}
	}
	if n := fmt.Sprint(at(after, "extras", "exactly")); n != "12345678901234567890.1250" {
		t.Errorf("a number became %s", n)
	}
	nodes := after["nodes"].([]any)
	for i, n := range before["nodes"].([]any) {
		want, have := maps.Clone(n.(map[string]any)), maps.Clone(nodes[i].(map[string]any))
		for _, key := range []string{"mesh", "weights", "children"} {
			delete(want, key)
			delete(have, key)
		}
		if !reflect.DeepEqual(want, have) {
			t.Errorf("node %d: %v, want %v", i, have, want)
		}
	}
	// Two nodes show the face. Each of them must get a new child that shows it.
	if len(nodes) != 12 {
		t.Fatalf("%d nodes, want 12", len(nodes))
	}
	for i, parent := range []int{5, 6} {
		children := at(nodes, parent, "children").([]any)
		if last := fmt.Sprint(children[len(children)-1]); last != fmt.Sprint(10+i) {
			t.Errorf("node %d has %v below it", parent, children)
		}
		if at(nodes, parent, "mesh") != nil || fmt.Sprint(at(nodes, 10+i, "mesh")) != "1" || at(nodes, 10+i, "weights") == nil {
			t.Errorf("node %d: %v, below %v", parent, nodes[parent], nodes[10+i])
		}
	}
	// Channels of weights must refer to the new nodes. Other channels must be unchanged.
	channels := at(after, "animations", 0, "channels")
	for i, node := range []string{"10", "5", "1", "3"} {
		if have := fmt.Sprint(at(channels, i, "target", "node")); have != node {
			t.Errorf("channel %d moves node %s, want %s", i, have, node)
		}
	}
	if !reflect.DeepEqual(at(before, "animations", 0, "samplers", 1, "interpolation"), at(after, "animations", 0, "samplers", 1, "interpolation")) {
		t.Error("interpolation is gone")
	}
	from, to := decodeFile(t, tree, "m/a.gltf"), decode(t, glb, nil)
	for i, s := range from.Animations[0].Samplers {
		for _, pair := range [][2]int{{s.Input, to.Animations[0].Samplers[i].Input}, {s.Output, to.Animations[0].Samplers[i].Output}} {
			if !reflect.DeepEqual(elements(t, from, pair[0]), elements(t, to, pair[1])) {
				t.Errorf("animation sampler %d: other values", i)
			}
		}
	}
	instances := at(after, "nodes", 8, "extensions", "EXT_mesh_gpu_instancing", "attributes", "TRANSLATION")
	var index int
	if _, err := fmt.Sscan(fmt.Sprint(instances), &index); err != nil {
		t.Fatal(err)
	}
	if have := elements(t, to, index); !reflect.DeepEqual(have, [][]float64{{0, 1, 0}, {5, 1, 0}}) {
		t.Errorf("instances at %v", have)
	}
	if !slices.Contains(to.ExtensionsRequired, gltf.Quantization) || !slices.Contains(to.ExtensionsUsed, "EXT_mesh_gpu_instancing") {
		t.Errorf("extensions %v, required %v", to.ExtensionsUsed, to.ExtensionsRequired)
	}
}

// A primitive with an unknown extension must stay unchanged, and so must its whole mesh.
func TestUnknownPrimitiveStays(t *testing.T) {
	tree := forms()
	from, to := decodeFile(t, tree, "m/a.gltf"), decode(t, cook(t, options(nil), tree, "m/a.gltf"), nil)
	for name, a := range from.Meshes[2].Primitives[0].Attributes {
		b := to.Meshes[2].Primitives[0].Attributes[name]
		if !reflect.DeepEqual(elements(t, from, a), elements(t, to, b)) {
			t.Errorf("%s: other values", name)
		}
	}
	a, b := *from.Meshes[2].Primitives[0].Indices, *to.Meshes[2].Primitives[0].Indices
	if !reflect.DeepEqual(elements(t, from, a), elements(t, to, b)) {
		t.Error("other indices")
	}
	if to.Nodes[2].Mesh == nil {
		t.Error("the mesh left its node")
	}
	own := from.Meshes[0].Primitives[3].Attributes["_OWN"]
	if have := elements(t, to, to.Meshes[0].Primitives[3].Attributes["_OWN"]); !reflect.DeepEqual(elements(t, from, own)[:len(have)], have) {
		t.Errorf("_OWN: %v", have)
	}
}

func TestBlendingKeepsOrder(t *testing.T) {
	tree := forms()
	first := func(o *meshOptions) []shown {
		doc := decode(t, cook(t, o, tree, "m/a.gltf"), nil)
		doc.Scenes[0].Nodes = doc.Scenes[0].Nodes[:1]
		doc.Meshes[0].Primitives = doc.Meshes[0].Primitives[3:4]
		return show(t, doc)
	}
	if have, want := first(options(nil)), first(options(func(o *meshOptions) { o.Optimize = false })); !reflect.DeepEqual(have, want) {
		t.Error("other order")
	}
}

// The bounds of normalized positions must be the stored integers. The size of a moving part must be
// computed from the fractions.
func TestFractionsAsPositions(t *testing.T) {
	s := new(sheet)
	var data []byte
	for _, x := range []int16{-32767, 0, 0, 32767, 0, 0, 0, 16384, 0} {
		data = binary.LittleEndian.AppendUint16(data, uint16(x))
	}
	p := s.add(5122, "VEC3", 3, data)
	s.accessors[p] = strings.TrimSuffix(s.accessors[p], "}") + `,"normalized":true,"min":[-32767,0,0],"max":[32767,16384,0]}`
	tree := s.tree(fill(`"extensionsUsed":["KHR_mesh_quantization"],"extensionsRequired":["KHR_mesh_quantization"],
		"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":$p}}]}]`, map[string]int{"p": p}))
	o := options(func(o *meshOptions) { o.Normals = "none" })
	accessor := at(value(t, textOf(t, cook(t, o, tree, "m/a.gltf"))), "accessors", 0)
	if have := fmt.Sprint(at(accessor, "min"), at(accessor, "max")); have != "[-32767 0 0] [32767 16384 0]" {
		t.Errorf("bounds %s", have)
	}
	job := jobs.New(Recipe(), jobs.Env{Path: "m/a.gltf", Open: tree.Open, Stat: tree.Stat}, 1)
	doc, _, err := o.readModel(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	if reach, want := doc.Reaches()[0], 2*math.Hypot(1, 0.25); math.Abs(reach-want) > 1e-3 {
		t.Errorf("a node of %v is taken to be %v large", want, reach)
	}
}

// An accessor for both positions and normals must get the bounds of positions, in each run.
func TestPositionsAsNormals(t *testing.T) {
	s := new(sheet)
	p := s.floats("VEC3", 3, 1, 0, 0, 0, 1, 0, 0, 0, 1)
	tree := s.tree(fill(`"extensionsUsed":["EXT_who_knows"],"nodes":[{"mesh":0}],
		"meshes":[{"primitives":[{"attributes":{"POSITION":$p,"NORMAL":$p},"extensions":{"EXT_who_knows":{}}}]}]`, map[string]int{"p": p}))
	for range 20 {
		accessor := at(value(t, textOf(t, cook(t, options(nil), tree, "m/a.gltf"))), "accessors", 0)
		if have := fmt.Sprint(at(accessor, "min"), at(accessor, "max")); have != "[0 0 0] [1 1 1]" {
			t.Fatalf("bounds %s", have)
		}
	}
}
