package mesh

import (
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
)

// Whatever a file holds, it is refused in a line or becomes a GLB file that cooks again.
func fuzzCook(t *testing.T, o *Mesh, name string, data, buffer []byte) {
	need, err := o.estimateMemory(data, int64(len(data)))
	if err != nil || need > 1<<28 {
		return // the cooker would not start, or not here
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
		f.Add(cook(f, options(func(o *Mesh) { o.PositionBits, o.NormalBits, o.LODs = 0, 0, 1 }), tree, "m/a.gltf"))
	}
	f.Fuzz(func(t *testing.T, data []byte) { fuzzCook(t, options(nil), "a.glb", data, nil) })
}

func FuzzOBJ(f *testing.F) {
	f.Add([]byte("mtllib a.mtl\no a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 1\nvt 0 0\nvn 0 0 2\nusemtl m\nf 1/1/1 2/1/1 3/1/1\nf 1 2 3 4\n"), []byte("newmtl m\nnorm n.png\n"))
	f.Add([]byte("mtllib a.mtl\nv 0 0 0 1 0 0.5\nv 1 0 0\nv 0 1 0 0 0 1 0.5\nusemtl m\nf 1 2 3\n"), []byte("newmtl m\nNs 10\nKs 1 0 0\nKe 2 1 0\nPc 1\nmap_Pr -s 2 r.png\n"))
	f.Add([]byte("v 0 0 0\nv 1e38 0 0\nv 0 -1e38 0\nf -1 -2 -3\nl 1 2 3\np 1\n"), []byte{})
	f.Fuzz(func(t *testing.T, model, library []byte) { fuzzCook(t, options(nil), "a.obj", model, library) })
}
