package builtin

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/qmuntal/gltf"
	"github.com/qmuntal/gltf/modeler"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/plaintext"
)

// kart is a valid document with an object of every kind, such as a mesh, a camera and a skin.
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
	if d := cmp.Diff([]string{`image "no such.png" does not exist; the model names it anyway`}, res.Warned); d != "" {
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
		// Parts that the recipe does not decode may have any content.
		{`"extras": {`, `"extras": {"nodes": [1], "targets": [null], "x": [{"targets": [2]}], `},
		{`"scene": 0`, `"scene": 0, "mine": {"nodes": [0]}, "extensionsRequired": ["EXT_meshopt_compression"]`},
		// The last column of a matrix needs no padding.
		{`{"bufferView": 1, "byteOffset": 2, "componentType": 5123, "count": 3, "type": "SCALAR"}`,
			`{"bufferView": 1, "byteOffset": 2, "componentType": 5121, "count": 1, "type": "MAT2"}`},
	} {
		document := strings.Replace(kart, tc.old, tc.new, 1)
		if strings.Contains(tc.new, "},") && strings.Contains(tc.new, "wheel") {
			// The case inserts a buffer at the front, so the buffer numbers of the views increase.
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

// A buffer without a uri gets its bytes from the program that loads the model. The recipe must warn
// about it.
func TestGLTFWarnsOfPlaceholders(t *testing.T) {
	res := cookGLTF(t, `{"asset": {"version": "2.0"}, "buffers": [{"byteLength": 7}, {"byteLength": 8}]}`)
	want := []string{"buffer 0 has no uri; the program that loads the model must provide its 7 bytes"}
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

// A missing file must be a dependency, so that the asset is cooked again when the file appears.
func TestGLTFDependsOnMissingBuffers(t *testing.T) {
	buffer := `{"uri": "gone.bin", "byteLength": 1}`
	res := cookGLTF(t, `{"asset": {"version": "2.0"}, "buffers": [`+buffer+`,`+strings.Replace(buffer, "gone", "./gone", 1)+`]}`)
	wantError(t, res.Err, `buffer 0: "gone.bin" does not exist; buffer 1: "gone.bin" does not exist`)
	want := []recipe.Dep{{Name: "gone.bin", On: recipe.Dependency{Path: "models/gone.bin"}}}
	if d := cmp.Diff(want, res.Deps); d != "" {
		t.Error(d)
	}
}

// A deep tree must be accepted, and a long cycle must be refused.
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

// A document from another library must be accepted. Its buffer must be a dependency.
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
	res := recipetest.Cook(t, named(t, "gltf"), &gltfOptions{}, os.DirFS(dir), dir, "triangle.gltf")
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

// Each test case changes a valid document by one edit and expects an error.
func TestGLTFRefuses(t *testing.T) {
	for _, tc := range []struct{ old, new, want string }{
		{`"version": "2.0"`, `"version": "1.0"`, `asset.version is "1.0", want 2.x`},
		{`"version": "2.0"`, `"version": "2."`, `asset.version is "2.", want 2.x`},
		{`"version": "2.0", `, ``, `asset.version is missing`},
		{`"asset"`, `"assets"`, `asset.version is missing`},
		{`"minVersion": "2.0"`, `"minVersion": "3.0"`, `asset.minVersion is "3.0"`},
		{`"scene": 0`, `"scene": 1`, `document: there is no scene 1; the document has 1`},
		{`[0, 2]`, `[0, 3]`, `scene 0: there is no node 3; the document has 3`},
		{`[0, 2]`, `[0, 1]`, `scene 0: node 1 is not a root, but a child of node 0`},
		{`"indices": 1`, `"indices": 1, "mode": 7`, `mesh 0 primitive 0: mode is 7, want 0 to 6`},
		{`"mesh": 0`, `"mesh": -1`, `7:14: nodes.mesh: -1 is out of range`},
		{`"skin": 0`, `"skin": 1`, `node 0: there is no skin 1; the document has 1`},
		{`"camera": 0`, `"camera": 1`, `node 1: there is no camera 1; the document has 1`},
		{`"children": [1]`, `"children": [1, 7]`, `node 0 child 1: there is no node 7; the document has 3`},
		{`"children": [1]`, `"children": [1, 1]`, `node 1 is a child of both node 0 and node 0`},
		{`"children": [1]`, `"children": [0]`, `node 0 is its own ancestor`},
		{`{"camera": 0}`, `{"children": [0]}`, `is its own ancestor`},
		{`    {}`, `    {"children": [1]}`, `node 1 is a child of both node 0 and node 2`},
		{`[{
    "attributes": {"POSITION": 0, "JOINTS_0": 4, "WEIGHTS_0": 5}, "indices": 1, "material": 0, "targets": [{"POSITION": 0}]
  }]`, `[]`, `12:29: meshes.primitives: is empty`},
		{`"WEIGHTS_0": 5}`, `"WEIGHTS_0": 5, "_B": 9, "_A": 8}`,
			`mesh 0 primitive 0 "_A": there is no accessor 8; the document has 7; mesh 0 primitive 0 "_B": there is no accessor 9; the document has 7`},
		{`[{"POSITION": 0}]`, `[{"POSITION": 7}]`, `mesh 0 primitive 0 "POSITION": there is no accessor 7; the document has 7`},
		{`"indices": 1,`, `"indices": 7,`, `mesh 0 primitive 0 indices: there is no accessor 7; the document has 7`},
		{`"material": 0`, `"material": 1`, `mesh 0 primitive 0: there is no material 1; the document has 1`},
		{`"baseColorTexture": {"index": 0}`, `"baseColorTexture": {"index": 3}`, `material 0 baseColorTexture: there is no texture 3; the document has 3`},
		{`"metallicRoughnessTexture": {"index": 1}`, `"metallicRoughnessTexture": {}`, `material 0 metallicRoughnessTexture: the index of the texture is missing`},
		{`"normalTexture": {"index": 0`, `"normalTexture": {"index": 3`, `material 0 normalTexture: there is no texture 3; the document has 3`},
		{`"occlusionTexture": {"index": 1`, `"occlusionTexture": {"index": 3`, `material 0 occlusionTexture: there is no texture 3; the document has 3`},
		{`"emissiveTexture": {"index": 2`, `"emissiveTexture": {"index": 3`, `material 0 emissiveTexture: there is no texture 3; the document has 3`},
		{`"sampler": 0, "source"`, `"sampler": 1, "source"`, `texture 0: there is no sampler 1; the document has 1`},
		{`"source": 2`, `"source": 3`, `texture 2: there is no image 3; the document has 3`},
		{`no%20such.png`, `https://example.com/a.png`, `image 0: "https://example.com/a.png" is not a file`},
		{`image/png;base64,AAAA`, `image/png;base64,A!`, `image 1: data URI: illegal base64`},
		{`{"bufferView": 3, "mime`, `{"bufferView": 4, "mime`, `image 2: there is no bufferView 4; the document has 4`},
		{`{"bufferView": 3, "mime`, `{"uri": "a.png", "bufferView": 3, "mime`, `image 2 has both uri and bufferView`},
		{`"joints": [0, 1]`, `"joints": []`, `skins.joints: is empty`},
		{`"joints": [0, 1]`, `"joints": [0, 3]`, `skin 0 joint 1: there is no node 3; the document has 3`},
		{`"joints": [0, 1]`, `"joints": [0, 1, 2]`, `skin 0 has 2 inverseBindMatrices for 3 joints`},
		{`"skeleton": 0`, `"skeleton": 3`, `skin 0 skeleton: there is no node 3; the document has 3`},
		{`"inverseBindMatrices": 2`, `"inverseBindMatrices": 7`, `skin 0 inverseBindMatrices: there is no accessor 7; the document has 7`},
		{`{"sampler": 0, "target": {"node": 2`, `{"sampler": 1, "target": {"node": 2`, `animation 0 channel 0: there is no sampler 1; the document has 1`},
		{`{"node": 2`, `{"node": 3`, `animation 0 channel 0 target: there is no node 3; the document has 3`},
		{`"input": 3`, `"input": 7`, `animation 0 sampler 0 input: there is no accessor 7; the document has 7`},
		{`, "output": 6`, ``, `animation 0 sampler 0 output: the index of the accessor is missing`},
		{`5123, "count": 3`, `5124, "count": 3`, `accessor 1: glTF 2.0 has no componentType 5124`},
		{`"type": "VEC3"`, `"type": "vec3"`, `accessor 0: glTF 2.0 has no type "vec3"`},
		{`5123, "count": 3`, `5123, "count": 0`, `accessor 1: count is 0, want at least 1`},
		{`5123, "count": 3`, `5123, "count": 4`, `accessor 1: 4 elements of 2 bytes from 2 on do not fit in bufferView 1 of 8 bytes`},
		{`5123, "count": 3`, `5123, "count": 9007199254740992`, `do not fit in bufferView 1`},
		{`"byteOffset": 2, `, `"byteOffset": 9007199254740990, `, `do not fit in bufferView 1`},
		{`"byteOffset": 2, `, `"byteOffset": -2, `, `accessor 1: byteOffset is -2`},
		{`"byteOffset": 2, `, `"byteOffset": 1, `, `accessor 1: the accessor starts at byte 1 of bufferView 1 at byte 0, want a multiple of its component size, 2 bytes`},
		{`"byteOffset": 4, "byteLength": 44`, `"byteOffset": 2, "byteLength": 44`, `accessor 0: the accessor starts at byte 0 of bufferView 0 at byte 2`},
		{`"byteLength": 44`, `"byteLength": 43`, `accessor 0: 3 elements of 16 bytes from 0 on do not fit in bufferView 0 of 43 bytes`},
		{`"byteOffset": 2, "componentType": 5123, "count": 3, "type": "SCALAR"`, `"byteOffset": 3, "componentType": 5121, "count": 1, "type": "MAT2"`,
			`accessor 1: 1 elements of 8 bytes from 3 on do not fit in bufferView 1 of 8 bytes`},
		{`"byteStride": 16`, `"byteStride": 8`, `accessor 0: elements have 12 bytes, more than the byteStride of bufferView 0, which is 8`},
		{`"byteStride": 16`, `"byteStride": 18`, `bufferView 0: byteStride is 18, want a multiple of 4 from 4 to 252`},
		{`"byteStride": 16`, `"byteStride": 256`, `bufferView 0: byteStride is 256`},
		{`{"bufferView": 1, "byteOffset"`, `{"bufferView": 4, "byteOffset"`, `accessor 1: there is no bufferView 4; the document has 4`},
		{`"count": 2, "indices"`, `"count": 4, "indices"`, `accessor 3: sparse.count is 4, want from 1 to the accessor's 3`},
		{`"componentType": 5121`, `"componentType": 5126`, `accessor 3: sparse.indices: componentType 5126, want 5121, 5123 or 5125`},
		{`{"bufferView": 2, "componentType": 5121}`, `{"componentType": 5121}`, `accessor 3: sparse.indices: the index of the bufferView is missing`},
		{`{"bufferView": 2, "componentType": 5121}`, `{"bufferView": 2, "byteOffset": 39, "componentType": 5121}`,
			`accessor 3: sparse.indices: 2 elements of 1 bytes from 39 on do not fit in bufferView 2 of 40 bytes`},
		{`"values": {"bufferView": 2, "byteOffset": 4}`, `"values": {"bufferView": 2, "byteOffset": 36}`,
			`accessor 3: sparse.values: 2 elements of 4 bytes from 36 on do not fit in bufferView 2 of 40 bytes`},
		{`"byteOffset": 4, "byteLength": 44`, `"byteOffset": 5, "byteLength": 44`, `bufferView 0: 44 bytes from 5 on do not fit in buffer 0 of 48 bytes`},
		{`"byteOffset": 4, "byteLength": 44`, `"byteOffset": 4, "byteLength": 9007199254740992`, `bufferView 0: 9007199254740992 bytes from 4 on do not fit`},
		{`"byteOffset": 4, "byteLength": 44`, `"byteOffset": -4, "byteLength": 44`, `bufferView 0: byteOffset is -4`},
		{`"byteLength": 8`, `"byteLength": 0`, `bufferView 1: byteLength is 0, want at least 1`},
		{`{"buffer": 1, `, `{"buffer": 3, `, `bufferView 1: there is no buffer 3; the document has 3`},
		{`{"buffer": 1, `, `{`, `bufferView 1: the index of the buffer is missing`},
		{`"byteLength": 48`, `"byteLength": 49`, `buffer 0: "my%20kart.bin" holds 48 bytes, but byteLength is 49`},
		{`"byteLength": 9`, `"byteLength": 12`, `buffer 1: its data URI holds 11 bytes, but byteLength is 12`},
		{`"byteLength": 9`, `"byteLength": -9`, `buffer 1: byteLength is -9, want at least 1`},
		{`"my%20kart.bin"`, `"kart.bin"`, `buffer 0: "kart.bin" does not exist`},
		{`"my%20kart.bin"`, `"folder"`, `buffer 0: folder is not a regular file`},
		{`"my%20kart.bin"`, `""`, `buffer 0: uri is empty`},
		{`"my%20kart.bin"`, `"../../kart.bin"`, `outside the asset tree`},
		{`"my%20kart.bin"`, `"%2e%2e/%2e%2e/kart.bin"`, `outside the asset tree`},
		{`"my%20kart.bin"`, `"/shared/wheel.bin"`, `buffer 0: "/shared/wheel.bin" is absolute, want a path relative to the document`},
		{`"my%20kart.bin"`, `"%2fshared/wheel.bin"`, `buffer 0: "shared/wheel.bin" does not exist`},
		{`"my%20kart.bin"`, `"100%.bin"`, `invalid URL escape "%.b"; in a file name write %25 for %`},
		{`"my%20kart.bin"`, `"a.bin?v=1"`, `has a query or fragment`},
		{`"my%20kart.bin"`, `"a%00.bin"`, `not a file name`},
		{`"my%20kart.bin"`, `"C:\\kart.bin"`, `is not a file`},
		{`"my%20kart.bin"`, `"HTTP://example.com/kart.bin"`, `is not a file; copy the file into the asset directory and name the copy`},
		{`"data:application/octet-stream;base64,`, `"data:application/octet-stream;base64`, `buffer 1: the data URI has no comma`},
		{`"byteLength": 48`, `"byteLength": 48.5`, `buffers.byteLength: want a whole number, have number 48.5`},
		{`"scene": 0`, `"scene": 3000000000`, `4:12: scene: 3000000000 is out of range`},
		{`"scenes": [{"nodes": [0, 2]}]`, `"scenes": {}`, `5:13: scenes: want a list of objects, have object`},
		{`"my%20kart.bin"`, `7`, `buffers.uri: want a string, have number`},
		{`"nodes": [0, 2]`, `"nodes": [0, 2], "nodes": [0]`, `5:32: duplicate key "nodes", first at 5:15`},
		{`"min": [0], `, ``, `accessor 3: min or max are missing; the recipe "mesh" repairs this`},
		{kart, plaintext.ByteOrderMark + kart, `1:1: glTF forbids a byte order mark`},
		{kart, "glTF\x02\x00\x00\x00", `the file is binary glTF`},
		{kart, `[]`, `1:1: want an object`},
		{`"scenes": [{`, `"scenes": [null, {`, `5:14: scenes: want a list of objects`},
		{`"joints": [0, 1]`, `"joints": [{}]`, `skins.joints: want a whole number, have object`},
		{`[{"POSITION": 0}]`, `[{"POSITION": 0}, 1]`, `meshes.primitives.targets: want an object, have number`},
		{`"channels": [`, `"Channels": ["", `, `unknown property "Channels"; write "channels"`},
		{`"accessors": [`, `"accessors": [[], `, `accessors: want a list of objects`},
		{`"count": 3, "type": "SCALAR"}`, `"count": 9223372036854775807, "type": "SCALAR"}`, `accessors.count: 9223372036854775807 is out of range`},
		{kart, ``, `the file is empty`},
		{kart, `{"nodes": [` + strings.Repeat("{},", 5000) + `{}]}`, `there are 5002 objects in 15015 bytes, want at most 2275`},
	} {
		document := strings.Replace(kart, tc.old, tc.new, 1)
		if document == kart {
			t.Errorf("%s is not in the document", tc.old)
		}
		res := cookGLTF(t, document)
		if res.Err == nil {
			t.Errorf("%s: accepted, want %q", tc.new, tc.want)
			continue
		}
		wantError(t, res.Err, tc.want)
		if strings.Contains(res.Err.Error(), "\n") || res.Outputs[0] != nil {
			t.Errorf("%s: more than a line, or written all the same: %v", tc.new, res.Err)
		}
	}
}
