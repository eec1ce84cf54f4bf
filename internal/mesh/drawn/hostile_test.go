package drawn_test

import (
	"context"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/mesh/drawn"
)

// try opens a file with any content. It must not panic, and errors must have one line.
func try(t *testing.T, data []byte, ext string, other []byte) {
	s, err := drawn.Open(context.Background(), data, ext, func(name string) ([]byte, error) {
		if other == nil {
			return nil, fs.ErrNotExist
		}
		return other, nil
	})
	if err != nil {
		if text := err.Error(); strings.Contains(text, "\n") || len(text) > 4096 {
			t.Fatalf("error of %d bytes: %q", len(text), text)
		}
		return
	}
	triangles := 0
	for i := range s.Levels {
		l := &s.Levels[i]
		triangles += l.Triangles()
		for _, v := range l.Indices {
			if int(v) >= l.Vertices() {
				t.Fatalf("index %d of %d vertices", v, l.Vertices())
			}
		}
		for k, x := range l.Positions {
			if x-x != 0 || l.Low[k%3] > x || l.High[k%3] < x {
				t.Fatalf("vertex %d is at %v, outside of %v to %v", k/3, x, l.Low, l.High)
			}
		}
	}
	if triangles > drawn.MaxTriangles {
		t.Fatalf("%d triangles", triangles)
	}
}

// TestDamage truncates files and flips bits. Each file must be drawn or refused.
func TestDamage(t *testing.T) {
	files := tree(t)
	cooked := cook(t, files, "cone.gltf", 1)["a.glb"].Data
	for n := range cooked {
		try(t, cooked[:n], ".glb", nil)
	}
	for n := range 8 * len(cooked) {
		if n > 8*2600 && n%17 != 0 { // binary data starts here; a sample of the bits is enough
			continue
		}
		cooked[n/8] ^= 1 << (n % 8)
		try(t, cooked, ".glb", nil)
		cooked[n/8] ^= 1 << (n % 8)
	}
	for _, name := range []string{"barrier.obj", "crate.gltf"} {
		data, other := files[name].Data, files[strings.TrimSuffix(name, path.Ext(name))+".bin"]
		for n := 0; n < len(data); n += 7 {
			if other == nil {
				try(t, data[:n], path.Ext(name), files["barrier.mtl"].Data)
				continue
			}
			try(t, data[:n], path.Ext(name), other.Data)
		}
	}
}

func FuzzOpen(f *testing.F) {
	files := tree(f)
	f.Add(cook(f, files, "cone.gltf", 2)["a.glb"].Data, []byte{}, 0)
	f.Add(files["crate.gltf"].Data, files["crate.bin"].Data, 1)
	f.Add(files["barrier.obj"].Data, files["barrier.mtl"].Data, 2)
	skin := model(`"nodes": [{"mesh": 0, "skin": 0}, {"mesh": 0, "weights": [1]}, {"extensions": {"MSFT_lod": {"ids": [1]}}}], "skins": [{"joints": [1, 2]}],
		"meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 3, "WEIGHTS_0": 4}, "mode": 6, "targets": [{"POSITION": 5}]}]}]`)
	f.Add(skin["a.gltf"].Data, skin["a.bin"].Data, 1)
	f.Fuzz(func(t *testing.T, data, other []byte, kind int) {
		try(t, data, [...]string{".glb", ".gltf", ".obj"}[uint(kind)%3], other)
	})
}
