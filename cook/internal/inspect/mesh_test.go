package inspect

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"net/http/httptest"
	"os"
	"slices"
	"testing"

	"github.com/assetcook/assetcook/internal/mesh/drawn"
)

// TestMeshParts decodes the answer as parts.js and mesh.js do, and compares it with the scene.
func TestMeshParts(t *testing.T) {
	const dir = "../../../testdata/assets/models/"
	data, err := os.ReadFile(dir + "kart.gltf")
	if err != nil {
		t.Fatal(err)
	}
	scene, err := drawn.Open(context.Background(), data, ".gltf", func(name string) ([]byte, error) { return os.ReadFile(dir + name) })
	if err != nil {
		t.Fatal(err)
	}
	half := scene.Levels[0]
	half.Indices = half.Indices[:3]
	half.Parts = []drawn.Part{{Mesh: "<b>", MadeNormals: true, Color: [4]float32{1, .5, 0, 1}, Vertices: half.Vertices(), Triangles: 1}}
	half.Clipped = 1 << 60
	scene.Levels = append(scene.Levels, half)

	header, parts, err := meshParts(context.Background(), scene)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	writeParts(w, header, parts...)
	body := w.Body.Bytes()
	at := 4 + int(binary.LittleEndian.Uint32(body))
	var info meshInfo
	if err := json.Unmarshal(body[4:at], &info); err != nil {
		t.Fatal(err)
	}
	if buffer, err := os.Stat(dir + "kart.bin"); err != nil || info.Bytes != int64(len(data))+buffer.Size() {
		t.Errorf("%d bytes, %v", info.Bytes, err)
	}
	if at%8 != 0 || len(info.Levels) != 2 {
		t.Fatalf("bytes begin at %d, %d levels", at, len(info.Levels))
	}
	next := func() uint32 {
		at += 4
		return binary.LittleEndian.Uint32(body[at-4:])
	}
	for i, l := range info.Levels {
		want := &scene.Levels[i]
		if l.Vertices != want.Vertices() || l.Triangles != want.Triangles() || l.Low != want.Low || l.High != want.High || l.Clipped != want.Clipped {
			t.Errorf("level %d is %+v", i, l)
		}
		for _, numbers := range [][]float32{want.Positions, want.Normals} {
			for k, x := range numbers {
				if got := math.Float32frombits(next()); got != x {
					t.Fatalf("level %d: number %d is %v, want %v", i, k, got, x)
				}
			}
		}
		indices := make([]uint32, 3*l.Triangles)
		for k := range indices {
			indices[k] = next()
		}
		if !slices.Equal(indices, want.Indices) {
			t.Errorf("level %d: indices differ", i)
		}
		if len(l.Parts) != len(want.Parts) || l.Parts[0].Mesh != want.Parts[0].Mesh || l.Parts[0].Made != want.Parts[0].MadeNormals || l.Parts[0].Color != want.Parts[0].Color {
			t.Errorf("level %d: parts %+v, want %+v", i, l.Parts, want.Parts)
		}
	}
	if at != len(body) {
		t.Errorf("%d bytes, %d of them read", len(body), at)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := meshParts(ctx, scene); err == nil {
		t.Error("no error of a context that has ended")
	}
}
