package builtin

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/google/go-cmp/cmp"
)

// kart is a right document that has one of everything.
const kart = `{
  "asset": {"version": "2.0", "minVersion": "2.0", "extras": {"made by": ["hand"]}},
  "extensionsUsed": ["EXT_meshopt_compression"],
  "scene": 0,
  "scenes": [{"nodes": [0, 2]}],
  "nodes": [
    {"mesh": 0, "skin": 0, "children": [1], "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]},
    {"camera": 0},
    {}
  ],
  "cameras": [{"type": "perspective", "perspective": {"yfov": 0.7, "znear": 0.01}}],
  "meshes": [{"primitives": [{
    "attributes": {"POSITION": 0, "JOINTS_0": 4, "WEIGHTS_0": 5}, "indices": 1, "material": 0, "targets": [{"POSITION": 0}]
  }]}],
  "materials": [{
    "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}, "metallicRoughnessTexture": {"index": 1}},
    "normalTexture": {"index": 0, "scale": 2}, "occlusionTexture": {"index": 1}, "emissiveTexture": {"index": 2}
  }],
  "textures": [{"sampler": 0, "source": 0}, {"source": 1}, {"source": 2}],
  "samplers": [{"magFilter": 9729}],
  "images": [
    {"uri": "no%20such.png"}, {"uri": "data:image/png;base64,AAAA"}, {"bufferView": 3, "mimeType": "image/png"}
  ],
  "skins": [{"joints": [0, 1], "skeleton": 0, "inverseBindMatrices": 2}],
  "animations": [{
    "channels": [{"sampler": 0, "target": {"node": 2, "path": "rotation"}}, {"sampler": 0, "target": {"path": "rotation"}}],
    "samplers": [{"input": 3, "output": 6}]
  }],
  "accessors": [
    {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [0, 0, 0]},
    {"bufferView": 1, "byteOffset": 2, "componentType": 5123, "count": 3, "type": "SCALAR"},
    {"componentType": 5126, "count": 2, "type": "MAT4"},
    {"componentType": 5126, "count": 3, "type": "SCALAR", "min": [0], "max": [0], "sparse": {
      "count": 2, "indices": {"bufferView": 2, "componentType": 5121}, "values": {"bufferView": 2, "byteOffset": 4}
    }},
    {"componentType": 5121, "count": 3, "type": "VEC4"},
    {"componentType": 5126, "count": 3, "type": "VEC4"},
    {"componentType": 5126, "count": 3, "type": "VEC4"}
  ],
  "bufferViews": [
    {"buffer": 0, "byteOffset": 4, "byteLength": 44, "byteStride": 16},
    {"buffer": 1, "byteLength": 8},
    {"buffer": 0, "byteLength": 40},
    {"buffer": 0, "byteLength": 4}
  ],
  "buffers": [
    {"uri": "my%20kart.bin", "byteLength": 48},
    {"uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAA=", "byteLength": 9},
    {"byteLength": 100, "extensions": {"EXT_meshopt_compression": {"fallback": true}}}
  ]
}
`

func cookGLTF(t testing.TB, document string) recipetest.Result {
	t.Helper()
	r := named(t, "gltf")
	return recipetest.Cook(t, r, r.New(), fstest.MapFS{
		"models/kart.gltf":   {Data: []byte(document)},
		"models/my kart.bin": {Data: make([]byte, 48)},
		"shared/wheel.bin":   {Data: make([]byte, 10)},
		"models/100%.bin":    {Data: make([]byte, 10)},
		"models/folder":      {Mode: fs.ModeDir},
	}, "", "models/kart.gltf")
}

func TestGLTFIsCopied(t *testing.T) {
	res := cookGLTF(t, kart)
	if res.Err != nil || string(res.Outputs[0]) != kart {
		t.Fatalf("error %v, %d bytes", res.Err, len(res.Outputs[0]))
	}
	want := []recipe.Dep{
		{Name: "no such.png", On: recipe.Dependency{Kind: dependency.Presence, Path: "models/no such.png"}},
		{Name: "my kart.bin", On: recipe.Dependency{Path: "models/my kart.bin"}, Found: true},
	}
	if d := cmp.Diff(want, res.Deps); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{`image "no such.png" does not exist; it is named all the same`}, res.Warned); d != "" {
		t.Error(d)
	}
}

func TestGLTFAccepts(t *testing.T) {
	for _, tc := range []struct{ old, new string }{
		{`"my%20kart.bin"`, `"./../models/my kart.bin"`},
		{`{"uri": "my%20kart.bin", "byteLength": 48}`, `{"uri": "../shared/wheel.bin", "byteLength": 10}, {"uri": "my%20kart.bin", "byteLength": 48}`},
		{`{"uri": "my%20kart.bin", "byteLength": 48}`, `{"uri": "my%20kart.bin", "byteLength": 48}, {"uri": "100%25.bin", "byteLength": 10}`},
		{`data:application/octet-stream;base64,AAAAAAAAAAAAAAA=`, `DATA:application/Octet-Stream;BASE64,AAAAAAAAAAAA`},
		{`data:application/octet-stream;base64,AAAAAAAAAAAAAAA=`, `data:application/gltf-buffer;a=b;base64,AAAAAAAAAAAAAAA`},
		{`data:application/octet-stream;base64,AAAAAAAAAAAAAAA=`, `data:application/octet-stream,ninebytes%20`},
		{`"version": "2.0"`, `"version": "2.11"`},
		// Undecoded parts may be anything.
		{`"extras": {`, `"extras": {"nodes": [1], "targets": [null], "x": [{"targets": [2]}], `},
		{`"scene": 0`, `"scene": 0, "mine": {"nodes": [0]}, "extensionsRequired": ["EXT_meshopt_compression"]`},
		// The last column of a matrix needs no padding.
		{`{"bufferView": 1, "byteOffset": 2, "componentType": 5123, "count": 3, "type": "SCALAR"}`,
			`{"bufferView": 1, "byteOffset": 2, "componentType": 5121, "count": 1, "type": "MAT2"}`},
	} {
		document := strings.Replace(kart, tc.old, tc.new, 1)
		if strings.Contains(tc.new, "},") && strings.Contains(tc.new, "wheel") {
			// A buffer was put in front: the views' numbers move up.
			document = strings.NewReplacer(`"buffer": 0`, `"buffer": 1`, `"buffer": 1`, `"buffer": 2`).Replace(document)
		} else if strings.Contains(tc.new, "100%25") {
			document = strings.Replace(document, `"buffer": 1`, `"buffer": 2`, 1)
		}
		if strings.Contains(tc.new, "MAT2") {
			document = strings.Replace(document, `"indices": 1, `, "", 1)
		}
		if res := cookGLTF(t, document); res.Err != nil || document == kart {
			t.Errorf("%s: %v", tc.new, res.Err)
		}
	}
}

// A buffer without a uri is a place for bytes that come from elsewhere.
func TestGLTFWarnsOfPlaceholders(t *testing.T) {
	res := cookGLTF(t, `{"asset": {"version": "2.0"}, "buffers": [{"byteLength": 7}, {"byteLength": 8}]}`)
	want := []string{"buffer 0 has no uri: what loads the model has to bring its 7 bytes"}
	if d := cmp.Diff(want, res.Warned); res.Err != nil || d != "" {
		t.Error(res.Err, d)
	}
}

func TestGLTFReportsThreeFaults(t *testing.T) {
	res := cookGLTF(t, `{"buffers": [{}, {}, {}, {}, {}]}`)
	want := "buffer 0: byteLength is 0, want at least 1; buffer 1: byteLength is 0, want at least 1; " +
		"buffer 2: byteLength is 0, want at least 1; and 3 more"
	if res.Err == nil || res.Err.Error() != want {
		t.Errorf("error %v, want %s", res.Err, want)
	}
}

// A missing file is a dependency as well: its arrival must cook again.
func TestGLTFDependsOnMissingBuffers(t *testing.T) {
	buffer := `{"uri": "gone.bin", "byteLength": 1}`
	res := cookGLTF(t, `{"asset": {"version": "2.0"}, "buffers": [`+buffer+`,`+strings.Replace(buffer, "gone", "./gone", 1)+`]}`)
	wantError(t, res.Err, `buffer 0: "gone.bin" does not exist; buffer 1: "gone.bin" does not exist`)
	want := []recipe.Dep{{Name: "gone.bin", On: recipe.Dependency{Path: "models/gone.bin"}}}
	if d := cmp.Diff(want, res.Deps); d != "" {
		t.Error(d)
	}
}

// A deep tree and a long cycle cost one walk.
func TestGLTFDeepNodes(t *testing.T) {
	const n = 100_000
	chain := func(last string) string {
		var b strings.Builder
		b.WriteString(`{"asset": {"version": "2.0"}, "nodes": [`)
		for i := range n - 1 {
			fmt.Fprintf(&b, `{"children": [%d]},`, i+1)
		}
		return b.String() + last + `]}`
	}
	if res := cookGLTF(t, chain(`{}`)); res.Err != nil {
		t.Error(res.Err)
	}
	wantError(t, cookGLTF(t, chain(`{"children": [0]}`)).Err, "is its own ancestor")
}

func FuzzGLTF(f *testing.F) {
	f.Add([]byte(kart))
	f.Add([]byte(`{"asset":{"version":"2.0"},"buffers":[{"uri":"my%20kart.bin","byteLength":1}],"nodes":[{"children":[0]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		res := cookGLTF(t, string(data))
		if res.Err == nil && !bytes.Equal(res.Outputs[0], data) {
			t.Fatalf("changed the document")
		}
		if res.Err != nil && len(res.Err.Error()) > 4096 {
			t.Fatalf("error of %d bytes", len(res.Err.Error()))
		}
	})
}
