package drawn_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/internal/mesh/drawn"
)

// accessors is the JSON text of the test documents' buffer and of the accessors that read it.
const accessors = `"accessors": [
	{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]},
	{"bufferView": 1, "componentType": 5121, "count": 3, "type": "SCALAR"},
	{"bufferView": 2, "componentType": 5126, "count": 2, "type": "VEC3", "min": [10, 0, 0], "max": [10, 20, 0]},
	{"bufferView": 3, "componentType": 5121, "count": 4, "type": "VEC4"},
	{"bufferView": 4, "componentType": 5126, "count": 4, "type": "VEC4"},
	{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 7],
	 "sparse": {"count": 1, "indices": {"bufferView": 5, "componentType": 5121}, "values": {"bufferView": 6}}},
	{"componentType": 5126, "count": 9007199254740992, "type": "VEC3", "min": [0, 0, 0], "max": [0, 0, 0]}],
"bufferViews": [
	{"buffer": 0, "byteOffset": 0, "byteLength": 48},
	{"buffer": 0, "byteOffset": 48, "byteLength": 4},
	{"buffer": 0, "byteOffset": 52, "byteLength": 24},
	{"buffer": 0, "byteOffset": 76, "byteLength": 16},
	{"buffer": 0, "byteOffset": 92, "byteLength": 64},
	{"buffer": 0, "byteOffset": 156, "byteLength": 4},
	{"buffer": 0, "byteOffset": 160, "byteLength": 12}],
"buffers": [{"byteLength": 172, "uri": "a.bin"}], "asset": {"version": "2.0"}`

func buffer() []byte {
	le := binary.LittleEndian
	var b []byte
	add := func(values ...float32) { b, _ = binary.Append(b, le, values) }
	add(0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0)                       // corners of a square
	b = append(b, 0, 1, 2, 0)                                     // one triangle of the square
	add(10, 0, 0, 10, 20, 0)                                      // positions of the instances
	b = append(b, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0) // joints of each vertex
	add(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, .5, .5, 0, 0)
	b = append(b, 2, 0, 0, 0) // index of the sparse element, vertex 2
	add(0, 1, 7)
	return b
}

// model returns a document with some nodes and meshes.
func model(members string) fstest.MapFS {
	return fstest.MapFS{
		"a.gltf": {Data: []byte("{" + members + ", " + accessors + "}")},
		"a.bin":  {Data: buffer()},
	}
}

const (
	oneNode  = `"scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}], `
	triangle = `"meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}]`
)

// TestPlaced checks the positions of triangles for every glTF feature that places a mesh in a
// scene.
func TestPlaced(t *testing.T) {
	for _, tt := range []struct{ name, members, want string }{
		{"plain", oneNode + triangle, "[0 0 0, 1 0 0, 0 1 0]"},
		{"strip", oneNode + `"meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 5}]}]`,
			"[0 0 0, 1 0 0, 0 1 0, 1 0 0, 1 1 0, 0 1 0]"},
		{"sparse", oneNode + `"meshes": [{"primitives": [{"attributes": {"POSITION": 5}, "indices": 1}]}]`, "[0 0 0, 1 0 0, 0 1 7]"},
		{"children", `"scenes": [{"nodes": [1]}], "nodes": [{"mesh": 0, "translation": [1, 0, 0]}, {"children": [0], "scale": [2, 3, 4]}], ` + triangle,
			"[2 0 0, 4 0 0, 2 3 0]"},
		{"matrix", `"scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0, "matrix": [0,1,0,0, -1,0,0,0, 0,0,1,0, 5,6,7,1]}], ` + triangle,
			"[5 6 7, 5 7 7, 4 6 7]"},
		{"rotation", `"scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0, "rotation": [0, 1, 0, 0]}], ` + triangle, "[0 0 0, -1 0 0, 0 1 0]"},
		{"mirror", `"scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0, "scale": [-1, 1, 1]}], ` + triangle, "[0 0 0, 0 1 0, -1 0 0]"},
		{"no scene", `"nodes": [{"mesh": 0}, {"mesh": 0, "translation": [0, 0, 1]}], ` + triangle,
			"[0 0 0, 1 0 0, 0 1 0, 0 0 1, 1 0 1, 0 1 1]"},
		{"hidden", `"extensionsUsed": ["KHR_node_visibility"], "scenes": [{"nodes": [0, 1]}], "nodes": [{"mesh": 0},
			{"extensions": {"KHR_node_visibility": {"visible": false}}, "children": [2]}, {"mesh": 0}], ` + triangle, "[0 0 0, 1 0 0, 0 1 0]"},
		{"instances", `"extensionsUsed": ["EXT_mesh_gpu_instancing"], "nodes": [{"mesh": 0, "scale": [2, 2, 2],
			"extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 2}}}}], ` + triangle,
			"[20 0 0, 22 0 0, 20 2 0, 20 40 0, 22 40 0, 20 42 0]"},
		{"morph", `"nodes": [{"mesh": 0, "weights": [2]}, {"mesh": 0}], "meshes": [{"weights": [0.5], "primitives":
			[{"attributes": {"POSITION": 0}, "indices": 1, "targets": [{"POSITION": 0}]}]}]`,
			"[0 0 0, 3 0 0, 0 3 0, 0 0 0, 1.5 0 0, 0 1.5 0]"},
		{"skin", `"scenes": [{"nodes": [0, 1]}], "nodes": [{"mesh": 0, "skin": 0, "translation": [100, 0, 0]},
			{"translation": [0, 0, 3], "scale": [1, 1, 2], "children": [2]}, {"translation": [0, 0, 6]}], "skins": [{"joints": [1, 2]}],
			"meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 3, "WEIGHTS_0": 4}, "mode": 6}]}]`,
			"[1 0 15, 0 1 15, 0 0 3, 0 1 15, 1 1 9, 0 0 3]"},
	} {
		l := &openModel(t, model(tt.members), "a.gltf").Levels[0]
		area(t, l)
		if got := corners(l); got != tt.want {
			t.Errorf("%s: corners %s, want %s", tt.name, got, tt.want)
		}
	}
}

func corners(l *drawn.Level) string {
	var list []string
	for _, v := range l.Indices {
		p := l.Positions[3*v:][:3]
		list = append(list, fmt.Sprintf("%v %v %v", p[0]+0, p[1]+0, p[2]+0))
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// TestNormals checks that a model without normals gets smooth normals, and that the part reports
// this. Normals from the file must be rotated with the model and stay perpendicular to its surface
// at any scale.
func TestNormals(t *testing.T) {
	l := &openModel(t, model(oneNode+triangle), "a.gltf").Levels[0]
	if !l.Parts[0].MadeNormals || !slices.Equal(l.Normals[:3], []float32{0, 0, 1}) {
		t.Errorf("normals %v, made: %v", l.Normals, l.Parts[0].MadeNormals)
	}
	slope := "v 0 0 0\nv 1 0 1\nv 0 1 0\nvn -1 0 1\nf 1//1 2//1 3//1\n"
	files := fstest.MapFS{"a.obj": {Data: []byte(slope)}}
	l = &openModel(t, files, "a.obj").Levels[0]
	if n := l.Normals[:3]; l.Parts[0].MadeNormals || n[0] > -.7 || n[0] < -.72 || n[1] != 0 {
		t.Errorf("normal %v", n)
	}
	scaled := `"nodes": [{"mesh": 0, "scale": [-2, 1, 1]}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "NORMAL": 0}, "indices": 1}]}]`
	l = &openModel(t, model(scaled), "a.gltf").Levels[0]
	if n := l.Normals[3:6]; n[0] != -1 || n[1] != 0 || n[2] != 0 {
		t.Errorf("normal %v, want that of the mirrored node", n)
	}
}

// TestOBJ checks that equal corners of faces become one vertex, and that materials set colors.
func TestOBJ(t *testing.T) {
	files := fstest.MapFS{
		"a.obj": {Data: []byte("mtllib a.mtl\nmtllib gone.mtl\no box\nusemtl red\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 4 3\n")},
		"a.mtl": {Data: []byte("newmtl red\nKd 1 0.5 0\n")},
	}
	l := &openModel(t, files, "a.obj").Levels[0]
	if l.Vertices() != 4 || l.Triangles() != 2 {
		t.Errorf("%d vertices, %d triangles", l.Vertices(), l.Triangles())
	}
	refuse := func(string) ([]byte, error) { return nil, errors.New("not a file of this asset") }
	if s, err := drawn.Open(context.Background(), files["a.obj"].Data, ".OBJ", refuse); err != nil || s.Levels[0].Parts[0].Color != [4]float32{1, 1, 1, 1} {
		t.Errorf("without materials: %v", err)
	}
	if p := l.Parts[0]; p.Mesh != "box" || p.Material != "red" || p.Color != [4]float32{1, .5, 0, 1} {
		t.Errorf("part %+v", p)
	}
}

// TestLevels checks that a node with levels of detail is replaced at each level. A node with fewer
// levels must show its last level.
func TestLevels(t *testing.T) {
	lod := func(ids string) string {
		return `"extensions": {"MSFT_lod": {"ids": [` + ids + `]}}`
	}
	members := `"extensionsUsed": ["MSFT_lod"], "scenes": [{"nodes": [0, 1, 4]}], "nodes": [
		{"mesh": 0, ` + lod("2, 3") + `}, {"mesh": 0, "translation": [0, 0, 5], ` + lod("3") + `},
		{"mesh": 1}, {"mesh": 1, "translation": [0, 0, 9], ` + lod("0") + `}, {"mesh": 0, "translation": [0, 0, 2]}],
		"meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 5}]}, {"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}]`
	s := openModel(t, model(members), "a.gltf")
	var got []string
	for i := range s.Levels {
		got = append(got, fmt.Sprint(s.Levels[i].Triangles(), s.Levels[i].High[2]))
	}
	if want := []string{"6 5", "4 9", "4 9"}; !slices.Equal(got, want) {
		t.Errorf("triangles and heights %q, want %q", got, want)
	}
}

// TestClipped checks that triangles beyond the limit are counted but not drawn. It uses accessors
// without bytes, which take no memory.
func TestClipped(t *testing.T) {
	l := &openModel(t, model(oneNode+`"meshes": [{"primitives": [{"attributes": {"POSITION": 6}}, {"attributes": {"POSITION": 0}, "mode": 1}]}]`), "a.gltf").Levels[0]
	if l.Triangles() != 0 || l.Clipped != 1<<40 || l.Undrawn != 1 {
		t.Errorf("%d triangles, %d clipped, %d undrawn", l.Triangles(), l.Clipped, l.Undrawn)
	}
	files := model(`"nodes": [{"mesh": 0}, {"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 7}]}]`)
	zeros := fmt.Sprintf(`"max": [0, 0, 0]}, {"componentType": 5125, "count": %d, "type": "SCALAR"}]`, 3*(drawn.MaxTriangles-5))
	files["a.gltf"].Data = bytes.Replace(files["a.gltf"].Data, []byte(`"max": [0, 0, 0]}]`), []byte(zeros), 1)
	l = &openModel(t, files, "a.gltf").Levels[0]
	if l.Triangles() != drawn.MaxTriangles-5 || l.Clipped != drawn.MaxTriangles-5 || l.Vertices() != 1 {
		t.Errorf("%d triangles, %d clipped, %d vertices", l.Triangles(), l.Clipped, l.Vertices())
	}
}

// TestFaults expects a one-line error for each fault in a document.
func TestFaults(t *testing.T) {
	for _, tt := range []struct{ members, want string }{
		{oneNode + strings.Replace(triangle, `"indices": 1`, `"indices": 3`, 1), "indices"},
		{`"extensionsUsed": ["KHR_draco_mesh_compression"], ` + oneNode + triangle, "compressed by KHR_draco_mesh_compression"},
		{`"nodes": [{"mesh": 0, "extensions": {"MSFT_lod": {"ids": [7]}}}], ` + triangle, "MSFT_lod names node 7 of 1"},
		{`"nodes": [{"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"SCALE": -1}}}}], ` + triangle, "names accessor -1"},
		{`"nodes": [{"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"ROTATION": 2}}}}], ` + triangle, "ROTATION is VEC3"},
		{`"nodes": [{"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"SCALE": 6}}}}], ` + triangle, "9007199254740992 instances"},
		{`"nodes": [{"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"SCALE": 0, "TRANSLATION": 2}}}}], ` + triangle, "the attributes have 2 and 4 elements; they must have the same number"},
		{`"nodes": [{"mesh": 0, "scale": [1e300, 1, 1]}], ` + triangle, "vertex 1 is at 1e+300"},
		{`"nodes": [{"mesh": 0, "skin": 0}, {}], "skins": [{"joints": [1]}], "meshes": [{"primitives":
			[{"attributes": {"POSITION": 0, "JOINTS_0": 3, "WEIGHTS_0": 4}}]}]`, "joint 1, but there are 1"},
	} {
		files := model(tt.members)
		_, err := drawn.Open(context.Background(), files["a.gltf"].Data, ".gltf", files.ReadFile)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want %q", tt.members, err, tt.want)
		}
	}
	files := model(oneNode + triangle)
	delete(files, "a.bin")
	if _, err := drawn.Open(context.Background(), files["a.gltf"].Data, ".gltf", files.ReadFile); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("error %v without the buffer's file", err)
	}
	if _, err := drawn.Open(context.Background(), append([]byte("f"), bytes.Repeat([]byte(" 1"), 20<<20)...), ".obj", files.ReadFile); err == nil || !strings.Contains(err.Error(), "MiB of memory; the limit is") {
		t.Errorf("error %v of a face with 20 million corners", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	files = model(oneNode + triangle)
	if _, err := drawn.Open(ctx, files["a.gltf"].Data, ".gltf", files.ReadFile); err == nil {
		t.Error("no error of a context that has ended")
	}
}
