package mesh

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// Each test case changes a valid document by one edit and expects an error.
func TestRefuses(t *testing.T) {
	for _, tc := range []struct{ old, new, want string }{
		{`"scene":0`, `"scene":0,"extensionsUsed":["KHR_draco_mesh_compression"]`, "compressed by KHR_draco_mesh_compression, which cook cannot read; export it without compression"},
		{`"scene":0`, `"scene":0,"extensionsUsed":["KHR_draco_mesh_compression"]`, "compressed by KHR_draco_mesh_compression, which cook cannot read; export it without compression"},
		{`"scene":0`, `"scene":0,"extensionsUsed":["KHR_draco_mesh_compression"]`, "compressed by KHR_draco_mesh_compression, which cook cannot read; export it without compression"},
		{`"scene":0`, `"scene":0,"extensions":{"EXT_structural_metadata":{"propertyTables":[{"properties":{"x":{"values":0}}}]}}`, "EXT_structural_metadata refers to bufferViews"},
		{`"scene":0`, `"scene":0,"extensionsUsed":[7]`, "extensionsUsed: want a string, have number"},
		{`"scene":0`, `"scene":0,"extensions":{"KHR_audio":{"audio":[{"bufferView":0}]}}`, "extension KHR_audio refers to bufferViews"},
		{`"scene":0`, `"scene":0,"\u0065xtensions":{"X":{"a":[{"BUFFERVIEWS":[0]}]}}`, "extension X refers to bufferViews"},
		{`"scene":0`, `"scene":1`, "there is no scene 1"},
		{`"meshes":[{"primitives":[{"attributes":{"POSITION":0`, `"meshes":[{"primitives":[{"attributes":{"POSITION":2`, `mesh 0 primitive 0 "POSITION": the type is VEC2, want VEC3`},
		{`"NORMAL":1`, `"NORMAL":2`, `mesh 0 primitive 0 "NORMAL": the type is VEC2, want VEC3`},
		{`"JOINTS_0":4`, `"JOINTS_0":1`, `"JOINTS_0": the type is VEC3, want VEC4`},
		{`"NORMAL":1`, `"NORMAL":1,"TANGENT":1`, `"TANGENT": the type is VEC3, want VEC4`},
		{`"indices":3`, `"indices":1`, "mesh 0 primitive 0 indices: are VEC3 of componentType 5126"},
		{`"count":9,"type":"VEC3"`, `"count":8,"type":"VEC3"`, `"POSITION": the attribute has 8 elements, but other attributes have 9`},
		{`"count":24,"type":"SCALAR"`, `"count":23,"type":"SCALAR"`, "the number of vertices, 23, is not a multiple of 3"},
		{`"skins"`, `"Skins"`, `unknown property "Skins"; write "skins"`},
		{`"mode":4`, `"mode":9`, "mode is 9"},
		{`"bufferView":3,"componentType":5123,"count":24`, `"componentType":5123,"count":24`, "indices are sparse or have no bufferView"},
		{`a%20b.bin`, `gone.bin`, `buffer 0: "gone.bin" does not exist`},
		{`"joints":[0]`, `"joints":[0],"inverseBindMatrices":0`, "skin 0: inverseBindMatrices are VEC3 of componentType 5126"},
	} {
		tree := small()
		text := string(tree["m/a.gltf"].Data)
		changed := strings.Replace(text, tc.old, tc.new, 1)
		if changed == text {
			t.Errorf("%s is not in the document", tc.old)
		}
		tree["m/a.gltf"].Data = []byte(changed)
		wantRefusal(t, tree, "m/a.gltf", tc.want)
	}
}

func wantRefusal(t *testing.T, tree fstest.MapFS, name, want string) {
	t.Helper()
	res := recipetest.Cook(t, Recipe(), options(nil), tree, "", name)
	switch {
	case res.Err == nil:
		t.Errorf("accepted, want %q", want)
	case !strings.Contains(res.Err.Error(), want):
		t.Errorf("error %v, want %q", res.Err, want)
	case strings.Contains(res.Err.Error(), "\n") || len(res.Err.Error()) > 1000 || res.Outputs[0] != nil:
		t.Errorf("more than a line, or written all the same: %v", res.Err)
	}
}

// small returns a skinned sheet of four squares.
func small() fstest.MapFS {
	s := new(sheet)
	p, n, uv, i := s.grid(2, 1)
	j := s.add(5121, "VEC4", 9, make([]byte, 36))
	weights := make([]float32, 36)
	for i := range 9 {
		weights[4*i] = 1
	}
	w := s.floats("VEC4", 4, weights...)
	return s.tree(fill(`"scene":0,"scenes":[{"nodes":[0,1]}],"nodes":[{"mesh":0,"skin":0},{}],"skins":[{"joints":[0]}],
		"meshes":[{"primitives":[{"attributes":{"POSITION":$p,"NORMAL":$n,"TEXCOORD_0":$uv,"JOINTS_0":$j,"WEIGHTS_0":$w},"indices":$i,"mode":4}]}]`,
		map[string]int{"p": p, "n": n, "uv": uv, "i": i, "j": j, "w": w}))
}

// An error about invalid numbers in a buffer must name their place.
func TestRefusesWrongNumbers(t *testing.T) {
	tree := small()
	binary.LittleEndian.PutUint32(tree["m/a b.bin"].Data[4*3*5:], math.Float32bits(float32(math.NaN())))
	wantRefusal(t, tree, "m/a.gltf", "mesh 0 primitive 0: POSITION: vertex 5 is NaN")
	tree = small()
	end := 9*4*(3+3+2) + 2*23
	binary.LittleEndian.PutUint16(tree["m/a b.bin"].Data[end:], 9)
	wantRefusal(t, tree, "m/a.gltf", "mesh 0 primitive 0: index 23 refers to vertex 9, but there are only 9")
}

func TestRefusesTornGLB(t *testing.T) {
	glb := cook(t, options(nil), small(), "m/a.gltf")
	for _, n := range []int{4, 11, 19, 20, 100, len(glb) - 1} {
		res := recipetest.Cook(t, Recipe(), options(nil), fstest.MapFS{"a.glb": {Data: glb[:n]}}, "", "a.glb")
		if res.Err == nil || res.Outputs[0] != nil {
			t.Errorf("%d of %d bytes: accepted", n, len(glb))
		}
	}
	var short bytes.Buffer
	text := `{"asset":{"version":"2.0"},"buffers":[{"byteLength":8}]}`
	if err := gltf.WriteGLB(&short, []byte(text), [][]byte{make([]byte, 4)}); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, fstest.MapFS{"a.glb": {Data: short.Bytes()}}, "a.glb", "buffer 0: the binary chunk holds 4 bytes, but byteLength is 8")
	old := append([]byte("glTF\x01\x00\x00\x00"), glb[8:]...)
	wantRefusal(t, fstest.MapFS{"a.glb": {Data: old}}, "a.glb", "glTF 1.0")
}

// Cooking a cooked model must give a model with the same triangles, of about the same size.
func TestCooksItsOwnOutput(t *testing.T) {
	once := cook(t, options(nil), figure(), "m/a.gltf")
	twice := cook(t, options(nil), fstest.MapFS{"a.glb": {Data: once}}, "a.glb")
	tolerance := tolerances(40, options(nil))
	sameTriangles(t, show(t, decode(t, once, nil)), show(t, decode(t, twice, nil)), tolerance)
	if len(twice) > len(once)+64 {
		t.Errorf("%d bytes became %d", len(once), len(twice))
	}
}

// Any bytes must be refused with an error of limited length, or become a GLB file that can be
// cooked again.
func fuzzCook(t *testing.T, o *meshOptions, name string, data, buffer []byte) {
	need, err := o.estimateMemory(data, int64(len(data)))
	if err != nil || need > 1<<28 {
		return // the file is refused, or is too large for this test
	}
	tree := fstest.MapFS{name: {Data: data}, "a b.bin": {Data: buffer}, "a.mtl": {Data: buffer}}
	res := recipetest.Cook(t, Recipe(), o, tree, "", name)
	if res.Err != nil {
		if n := len(res.Err.Error()); n > 4096 {
			t.Fatalf("error of %d bytes", n)
		}
		return
	}
	if n, err := o.estimateMemory(res.Outputs[0], int64(len(res.Outputs[0]))); err != nil {
		t.Fatalf("%d, %v: the output is no input", n, err)
	}
	again := recipetest.Cook(t, Recipe(), o, fstest.MapFS{"a.glb": {Data: res.Outputs[0]}}, "", "a.glb")
	if again.Err != nil {
		t.Fatalf("the output is no input: %v", again.Err)
	}
}

func FuzzGLTF(f *testing.F) {
	for _, tree := range []fstest.MapFS{figure(), forms(), small(), roof(bumpy), dance(), album(f)} {
		if tree["m/a b.bin"] == nil {
			tree["m/a b.bin"] = &fstest.MapFile{}
		}
		f.Add(tree["m/a.gltf"].Data, tree["m/a b.bin"].Data, false)
		f.Add(tree["m/a.gltf"].Data, tree["m/a b.bin"].Data, true)
	}
	f.Fuzz(func(t *testing.T, text, buffer []byte, lods bool) {
		o := options(nil)
		if lods {
			o.LODs, o.PositionBits, o.Prune, o.PruneEmpty = 2, 7, true, true
			o.Compression, o.Embedded, o.EmbeddedQuality = "meshopt", "dds", "fast"
		}
		fuzzCook(t, o, "a.gltf", text, buffer)
	})
}

func FuzzGLB(f *testing.F) {
	for _, tree := range []fstest.MapFS{figure(), forms(), small(), roof(bumpy)} {
		f.Add(cook(f, options(nil), tree, "m/a.gltf"))
		f.Add(cook(f, options(compressed), tree, "m/a.gltf"))
		f.Add(cook(f, options(func(o *meshOptions) { o.PositionBits, o.NormalBits, o.LODs = 0, 0, 1 }), tree, "m/a.gltf"))
	}
	f.Fuzz(func(t *testing.T, data []byte) { fuzzCook(t, options(nil), "a.glb", data, nil) })
}

func FuzzOBJ(f *testing.F) {
	f.Add([]byte("mtllib a.mtl\no a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 1\nvt 0 0\nvn 0 0 2\nusemtl m\nf 1/1/1 2/1/1 3/1/1\nf 1 2 3 4\n"), []byte("newmtl m\nnorm n.png\n"))
	f.Add([]byte("mtllib a.mtl\nv 0 0 0 1 0 0.5\nv 1 0 0\nv 0 1 0 0 0 1 0.5\nusemtl m\nf 1 2 3\n"), []byte("newmtl m\nNs 10\nKs 1 0 0\nKe 2 1 0\nPc 1\nmap_Pr -s 2 r.png\n"))
	f.Add([]byte("v 0 0 0\nv 1e38 0 0\nv 0 -1e38 0\nf -1 -2 -3\nl 1 2 3\np 1\n"), []byte{})
	f.Fuzz(func(t *testing.T, model, library []byte) { fuzzCook(t, options(nil), "a.obj", model, library) })
}

// impatient is a context that is canceled after a number of calls of Err.
type impatient struct {
	context.Context
	left *int
}

func (c impatient) Err() error {
	if *c.left--; *c.left < 0 {
		return context.Canceled
	}
	return nil
}

// Whenever the context is canceled, cooking must end with its error.
func TestCancel(t *testing.T) {
	tree := figure()
	count := math.MaxInt
	o := options(func(o *meshOptions) { o.LODs = 1 })
	res := recipetest.CookContext(impatient{t.Context(), &count}, t, Recipe(), o, tree, "", "m/a.gltf")
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	looks := math.MaxInt - count
	if looks < 50 {
		t.Errorf("looked %d times", looks)
	}
	for n := 0; n < looks; n += 1 + looks/50 {
		left := n
		res := recipetest.CookContext(impatient{t.Context(), &left}, t, Recipe(), o, tree, "", "m/a.gltf")
		if res.Err == nil || !strings.Contains(res.Err.Error(), context.Canceled.Error()) {
			t.Fatalf("after %d of %d looks: %v", n, looks, res.Err)
		}
	}
}

// Cooking a mesh of many vertices must check the context often.
func TestLooksOften(t *testing.T) {
	s := new(sheet)
	p, n, uv, i := s.grid(200, 1)
	tree := s.tree(fill(`"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
		"meshes":[{"primitives":[{"attributes":{"POSITION":$p,"NORMAL":$n,"TEXCOORD_0":$uv},"indices":$i}]}]`,
		map[string]int{"p": p, "n": n, "uv": uv, "i": i}))
	count := math.MaxInt
	res := recipetest.CookContext(impatient{t.Context(), &count}, t, Recipe(), options(nil), tree, "", "m/a.gltf")
	if looks := math.MaxInt - count; res.Err != nil || looks < 60 {
		t.Errorf("looked %d times at 240000 corners, error %v", looks, res.Err)
	}
}

// Other kinds of .obj files must not be recognized as models.
func TestOtherOBJFilesAreNotRecognized(t *testing.T) {
	for head, want := range map[string]bool{
		"": true, "v 0 0 0\nf 1 1 1\n": true, "# Blender\no Cube\n": true, "glTF\x02\x00\x00\x00": true, `{"asset": {}}`: true, "I\n800\n": true,
		"\x4c\x01\x03\x00": false, "\x64\x86\x03\x00": false, "\x00\x00\xff\xff\x00": false, "\x80\x0a\x00": false, "\x7fELF\x02": false,
		"I\n800\nOBJ\n\nTEXTURE a.png\n": false, "A\r\n700\r\nOBJ\r\n": false,
	} {
		if got := Recipe().Recognizes([]byte(head)); got != want {
			t.Errorf("%q: %v, want %v", head, got, want)
		}
	}
}
