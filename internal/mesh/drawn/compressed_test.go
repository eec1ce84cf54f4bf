package drawn_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/internal/mesh/meshopt"
)

// Models whose views are packed are drawn.
func TestCompressed(t *testing.T) {
	var positions []byte
	for _, x := range []float32{0, 0, 0, 1, 0, 0, 0, 1, 7} {
		positions = binary.LittleEndian.AppendUint32(positions, math.Float32bits(x))
	}
	vertices, err := meshopt.EncodeAttributes(t.Context(), positions, 12)
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
	if l := &open(t, files, "a.gltf").Levels[0]; l.Triangles() != 1 || l.High[2] != 7 {
		t.Errorf("%d triangles up to %v", l.Triangles(), l.High)
	}
}
