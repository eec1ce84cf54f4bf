package drawn_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/mesh/drawn"
	"github.com/assetcook/assetcook/internal/mesh/meshopt"
	"github.com/assetcook/assetcook/internal/recipeset"
	"github.com/assetcook/assetcook/recipes/mesh"
)

const models = "../../../testdata/assets/models"

// tree returns the test models of the project.
func tree(t testing.TB) fstest.MapFS {
	t.Helper()
	files, err := os.ReadDir(models)
	if err != nil {
		t.Fatal(err)
	}
	fs := fstest.MapFS{}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(models, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		fs[f.Name()] = &fstest.MapFile{Data: data}
	}
	return fs
}

func openModel(t testing.TB, fs fstest.MapFS, name string) *drawn.Scene {
	t.Helper()
	s, err := drawn.Open(context.Background(), fs[name].Data, path.Ext(name), fs.ReadFile)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

// cook returns the output of the mesh recipe.
func cook(t testing.TB, fs fstest.MapFS, name string, lods int) fstest.MapFS {
	t.Helper()
	o := mesh.Recipe().New()
	for key, value := range map[string]any{"lods": int64(lods), "lod_error": 0.2} {
		if err := recipeset.SetOption(o, key, value); err != nil {
			t.Fatal(key, err)
		}
	}
	res := recipetest.Cook(t, mesh.Recipe(), o, fs, "", name)
	if res.Err != nil {
		t.Fatalf("%s: %v", name, res.Err)
	}
	return fstest.MapFS{"a.glb": {Data: res.Outputs[0]}}
}

// area returns the area of a level's triangles. It also checks the documented properties of a
// level.
func area(t *testing.T, l *drawn.Level) float64 {
	t.Helper()
	if len(l.Normals) != len(l.Positions) || len(l.Indices)%3 != 0 {
		t.Fatalf("%d numbers of normals for %d of positions, %d indices", len(l.Normals), len(l.Positions), len(l.Indices))
	}
	for i := 0; i < len(l.Normals); i += 3 {
		n := l.Normals[i:][:3]
		if length := n[0]*n[0] + n[1]*n[1] + n[2]*n[2]; math.Abs(float64(length)-1) > 1e-4 {
			t.Fatalf("normal %d is %v", i/3, n)
		}
	}
	vertices, triangles := 0, 0
	for _, p := range l.Parts {
		for _, v := range l.Indices[3*triangles:][:3*p.Triangles] {
			if int(v) < vertices || int(v) >= vertices+p.Vertices {
				t.Fatalf("index %d of a part with the vertices from %d on, %d of them", v, vertices, p.Vertices)
			}
		}
		vertices, triangles = vertices+p.Vertices, triangles+p.Triangles
	}
	if vertices != l.Vertices() || triangles != l.Triangles() {
		t.Fatalf("parts have %d vertices and %d triangles of %d and %d", vertices, triangles, l.Vertices(), l.Triangles())
	}
	sum := 0.
	for i := 0; i < len(l.Indices); i += 3 {
		var e [2][3]float64
		for k := range 3 {
			a := l.Positions[3*l.Indices[i]+uint32(k)]
			e[0][k], e[1][k] = float64(l.Positions[3*l.Indices[i+1]+uint32(k)]-a), float64(l.Positions[3*l.Indices[i+2]+uint32(k)]-a)
		}
		x, y, z := e[0][1]*e[1][2]-e[0][2]*e[1][1], e[0][2]*e[1][0]-e[0][0]*e[1][2], e[0][0]*e[1][1]-e[0][1]*e[1][0]
		sum += math.Sqrt(x*x+y*y+z*z) / 2
	}
	return sum
}

// TestCooked compares a cooked model with its source, within the error of quantization. Its levels
// of detail must have fewer triangles.
func TestCooked(t *testing.T) {
	files := tree(t)
	for _, name := range []string{"barrier.obj", "coin.gltf", "cone.gltf", "crate.gltf", "kart.gltf", "pebble.glb"} {
		t.Run(name, func(t *testing.T) {
			source, cooked := openModel(t, files, name), openModel(t, cook(t, files, name, 2), "a.glb")
			if len(source.Levels) != 1 {
				t.Errorf("%d levels in the source", len(source.Levels))
			}
			a, b := &source.Levels[0], &cooked.Levels[0]
			if a.Triangles() == 0 || a.Triangles() != b.Triangles() {
				t.Errorf("%d triangles in the source, %d cooked", a.Triangles(), b.Triangles())
			}
			if b.Vertices() > a.Vertices() {
				t.Errorf("%d vertices in the source, %d cooked", a.Vertices(), b.Vertices())
			}
			if x, y := area(t, a), area(t, b); math.Abs(x-y) > 1e-3*x {
				t.Errorf("area %v in the source, %v cooked", x, y)
			}
			for k := range 3 {
				size := a.High[k] - a.Low[k]
				if d := max(math.Abs(float64(a.Low[k]-b.Low[k])), math.Abs(float64(a.High[k]-b.High[k]))); d > 1e-3*float64(size) {
					t.Errorf("from %v to %v in the source, from %v to %v cooked", a.Low, a.High, b.Low, b.High)
				}
			}
			for i := 1; i < len(cooked.Levels); i++ {
				l := &cooked.Levels[i]
				area(t, l)
				if n, before := l.Triangles(), cooked.Levels[i-1].Triangles(); n == 0 || n > before {
					t.Errorf("level %d has %d triangles, that before %d", i, n, before)
				}
			}
			if last := &cooked.Levels[len(cooked.Levels)-1]; (name == "pebble.glb" || name == "kart.gltf") &&
				(len(cooked.Levels) != 3 || last.Triangles() >= b.Triangles()) {
				t.Errorf("%d levels, the last one of %d triangles", len(cooked.Levels), last.Triangles())
			}
			t.Logf("%d levels, %d triangles, vertices %d, cooked %d; %v", len(cooked.Levels), a.Triangles(), a.Vertices(), b.Vertices(), a.Parts)
		})
	}
}

func TestCompressed(t *testing.T) {
	var positions []byte
	for _, x := range []float32{0, 0, 0, 1, 0, 0, 0, 1, 7} {
		positions = binary.LittleEndian.AppendUint32(positions, math.Float32bits(x))
	}
	vertices, err := meshopt.EncodeAttributes(t.Context(), positions, 12, 0)
	if err != nil {
		t.Fatal(err)
	}
	triangles, err := meshopt.EncodeTriangles(t.Context(), []uint32{0, 1, 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	const packed = `"extensions": {"EXT_meshopt_compression": {"buffer": 0, "byteOffset": %d, "byteLength": %d, "byteStride": %d, "count": 3, "mode": %q}}`
	text := fmt.Sprintf(`{"asset": {"version": "2.0"}, "extensionsUsed": ["EXT_meshopt_compression"], "extensionsRequired": ["EXT_meshopt_compression"],
		"scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
		"accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 7]},
			{"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"}],
		"bufferViews": [{"buffer": 1, "byteLength": 36, `+packed+`}, {"buffer": 1, "byteOffset": 36, "byteLength": 6, `+packed+`}],
		"buffers": [{"uri": "a.bin", "byteLength": %d}, {"byteLength": 42}]}`,
		0, len(vertices), 12, "ATTRIBUTES", len(vertices), len(triangles), 2, "TRIANGLES", len(vertices)+len(triangles))
	files := fstest.MapFS{"a.gltf": {Data: []byte(text)}, "a.bin": {Data: append(vertices, triangles...)}}
	if l := &openModel(t, files, "a.gltf").Levels[0]; l.Triangles() != 1 || l.High[2] != 7 {
		t.Errorf("%d triangles up to %v", l.Triangles(), l.High)
	}
}
