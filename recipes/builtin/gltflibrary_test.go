package builtin

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/qmuntal/gltf"
	"github.com/qmuntal/gltf/modeler"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
)

// What another program's writer makes is accepted, and its buffer is a
// dependency.
func TestGLTFOfAnotherWriter(t *testing.T) {
	doc := gltf.NewDocument()
	indices := modeler.WriteIndices(doc, []uint16{0, 1, 2})
	positions := modeler.WritePosition(doc, [][3]float32{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}})
	normals := modeler.WriteNormal(doc, [][3]float32{{0, 0, 1}, {0, 0, 1}, {0, 0, 1}})
	doc.Meshes = []*gltf.Mesh{{Primitives: []*gltf.Primitive{{
		Indices:    gltf.Index(indices),
		Attributes: gltf.PrimitiveAttributes{gltf.POSITION: positions, gltf.NORMAL: normals},
	}}}}
	doc.Nodes = []*gltf.Node{{Mesh: gltf.Index(0)}}
	doc.Scenes[0].Nodes = []int{0}
	doc.Buffers[0].URI = "triangle.bin"

	dir := t.TempDir()
	if err := gltf.Save(doc, filepath.Join(dir, "triangle.gltf")); err != nil {
		t.Fatal(err)
	}
	res := recipetest.Cook(t, named(t, "gltf"), &GLTF{}, os.DirFS(dir), dir, "triangle.gltf")
	text, err := os.ReadFile(filepath.Join(dir, "triangle.gltf"))
	if err != nil {
		t.Fatal(err)
	}
	if res.Err != nil || !bytes.Equal(res.Outputs[0], text) {
		t.Errorf("error %v", res.Err)
	}
	if len(res.Deps) != 1 || res.Deps[0].On.Path != "triangle.bin" || !res.Deps[0].Found {
		t.Errorf("dependencies %v", res.Deps)
	}
}
