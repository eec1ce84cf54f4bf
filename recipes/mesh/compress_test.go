package mesh

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/optimize"
)

// A packedDocument holds the parts of a document that describe compressed views.
type packedDocument struct {
	Used     []string `json:"extensionsUsed"`
	Required []string `json:"extensionsRequired"`
	Buffers  []struct {
		ByteLength int
		URI        string
		Extensions map[string]struct{ Fallback bool }
	}
	BufferViews []struct {
		Buffer, ByteOffset, ByteLength, ByteStride, Target int
		Extensions                                         map[string]struct {
			Buffer, ByteOffset, ByteLength, ByteStride, Count int
			Mode, Filter                                      string
		}
	}
}

func compressed(o *meshOptions) { o.Compression = "meshopt" }

// compressions are the extensions by values of option compression.
var compressions = map[string]string{"meshopt": gltf.MeshoptEXT, "meshopt-khr": gltf.MeshoptKHR}

// A compressed model must follow the extension's specification. Views are in a second buffer
// without bytes, their bytes are in the first buffer, and the extension is required.
func TestCompresses(t *testing.T) {
	for compression, extension := range compressions {
		t.Run(compression, func(t *testing.T) { testCompresses(t, compression, extension) })
	}
}

func testCompresses(t *testing.T, compression, extension string) {
	plain := cook(t, options(nil), bent(), "m/a.gltf")
	packed := cook(t, options(func(o *meshOptions) { o.Compression = compression }), bent(), "m/a.gltf")
	if len(packed) > len(plain)*2/3 {
		t.Errorf("%d bytes, without compression %d", len(packed), len(plain))
	}
	text, chunk, _, err := gltf.SplitGLB(packed)
	if err != nil {
		t.Fatal(err)
	}
	var doc packedDocument
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(doc.Required) != "[KHR_mesh_quantization "+extension+"]" || fmt.Sprint(doc.Used) != fmt.Sprint(doc.Required) {
		t.Errorf("extensions used %v, required %v", doc.Used, doc.Required)
	}
	if b := doc.Buffers; len(b) != 2 || b[0].ByteLength != len(chunk) || b[1].URI != "" || !b[1].Extensions[extension].Fallback {
		t.Errorf("buffers %+v, a chunk of %d", b, len(chunk))
	}
	kinds, end := map[string]int{}, 0
	for i, v := range doc.BufferViews {
		p, ok := v.Extensions[extension]
		if !ok {
			continue
		}
		kinds[p.Mode+p.Filter]++
		switch {
		case v.Buffer != 1 || p.Buffer != 0 || v.ByteLength != p.Count*p.ByteStride || v.ByteOffset < end || v.ByteOffset%4 != 0,
			v.Target == 34962 && v.ByteStride != p.ByteStride,
			p.ByteOffset%4 != 0 || p.ByteOffset+p.ByteLength > len(chunk):
			t.Errorf("view %d: %+v", i, v)
		}
		end = v.ByteOffset + v.ByteLength
	}
	if end > doc.Buffers[1].ByteLength {
		t.Errorf("views up to %d in a buffer of %d", end, doc.Buffers[1].ByteLength)
	}
	if kinds["ATTRIBUTES"] < 1 || kinds["ATTRIBUTESOCTAHEDRAL"] != 1 || kinds["TRIANGLES"] != 1 {
		t.Errorf("views by mode and filter: %v", kinds)
	}
}

// bent returns a model with every attribute of vertices, large enough to be worth compressing.
func bent() fstest.MapFS {
	s := new(sheet)
	p, n, t, i := s.grid(20, 1)
	return s.tree(fmt.Sprintf(`"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"meshes":[{"primitives":[
		{"attributes":{"POSITION":%d,"NORMAL":%d,"TEXCOORD_0":%d},"indices":%d}]}]`, p, n, t, i))
}

// Reading a compressed model must give the same model, because the compression is lossless.
func TestReadsCompressed(t *testing.T) {
	for compression := range compressions {
		t.Run(compression, func(t *testing.T) { testReadsCompressed(t, compression) })
	}
}

func testReadsCompressed(t *testing.T, compression string) {
	packed := cook(t, options(func(o *meshOptions) { o.Compression = compression }), bent(), "m/a.gltf")
	tree := fstest.MapFS{"a.glb": {Data: packed}}
	plain := cook(t, options(func(o *meshOptions) { o.Optimize = false }), tree, "a.glb")
	if bytes.Contains(plain, []byte("meshopt")) {
		t.Error("the extension is still named")
	}
	again := cook(t, options(func(o *meshOptions) { o.Optimize, o.Compression = false, compression }), fstest.MapFS{"b.glb": {Data: plain}}, "b.glb")
	last := cook(t, options(func(o *meshOptions) { o.Optimize = false }), fstest.MapFS{"a.glb": {Data: again}}, "a.glb")
	if !bytes.Equal(last, plain) {
		t.Errorf("compressing changed a model of %d bytes, now %d", len(plain), len(last))
	}
	if need, err := options(nil).estimateMemory(packed, int64(len(packed))); err != nil || need < int64(len(plain)) {
		t.Errorf("needs %d bytes, %v", need, err)
	}
}

// Without a choice of order, both extensions must hold the same model, and KHR_meshopt_compression
// must take fewer bytes.
func TestExtensionsHoldTheSame(t *testing.T) {
	read := map[string][]byte{}
	size := map[string]int{}
	for compression := range compressions {
		packed := cook(t, options(func(o *meshOptions) { o.Optimize, o.Compression = false, compression }), bent(), "m/a.gltf")
		size[compression] = len(packed)
		read[compression] = cook(t, options(func(o *meshOptions) { o.Optimize = false }), fstest.MapFS{"a.glb": {Data: packed}}, "a.glb")
	}
	if !bytes.Equal(read["meshopt"], read["meshopt-khr"]) {
		t.Error("the models differ")
	}
	if size["meshopt-khr"] >= size["meshopt"] {
		t.Errorf("%d bytes, with EXT_meshopt_compression %d", size["meshopt-khr"], size["meshopt"])
	}
}

// Damaged compressed data must be refused.
func TestRefusesDamagedCompression(t *testing.T) {
	packed := cook(t, options(compressed), bent(), "m/a.gltf")
	for _, tc := range []struct{ old, new, want string }{
		{`"mode":"TRIANGLES"`, `"mode":"TRIANGLED"`, "mode \"TRIANGLED\""},
		{`"filter":"OCTAHEDRAL"`, `"filter":"octahedral"`, "filter \"octahedral\" is unknown"},
		{`"byteStride":8,"count":4`, `"byteStride":8,"count":5`, "elements of 8 bytes do not match the view of"},
		{`"buffer":0,"byteLength"`, `"buffer":1,"byteLength"`, "the buffer with its compressed bytes is empty"},
		{`"buffer":0,"byteLength"`, `"buffer":7,"byteLength"`, "there is no buffer 7"},
		{"\xe1\xf0", "\xe2\xf0", "not a triangle list of version 1"},
	} {
		data := bytes.Replace(packed, []byte(tc.old), []byte(tc.new), 1)
		if bytes.Equal(data, packed) {
			t.Errorf("%s is not in the file", tc.old)
			continue
		}
		res := recipetest.Cook(t, Recipe(), options(nil), fstest.MapFS{"a.glb": {Data: data}}, "", "a.glb")
		if res.Err == nil || !strings.Contains(res.Err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.new, res.Err, tc.want)
		}
	}
}

// Equal arrays must be in the buffer only once. With prune they must also share an accessor. Arrays
// that differ in one bit must stay separate.
func TestEqualArraysAreShared(t *testing.T) {
	tree := func(copies int, bend float64) fstest.MapFS {
		s := new(sheet)
		nodes, meshes := "", ""
		for k := range copies {
			p, n, _, i := s.grid(20, bend*float64(k))
			if k > 0 {
				nodes, meshes = nodes+",", meshes+","
			}
			nodes += fmt.Sprintf(`{"mesh":%d,"translation":[%d,0,0]}`, k, 40*k)
			meshes += fmt.Sprintf(`{"primitives":[{"attributes":{"POSITION":%d,"NORMAL":%d},"indices":%d}]}`, p, n, i)
		}
		return s.tree(`"scenes":[{"nodes":[0,1,2]}],"nodes":[` + nodes + `],"meshes":[` + meshes + `]`)
	}
	for way, change := range map[string]func(*meshOptions){
		"plain":      nil,
		"compressed": func(o *meshOptions) { o.Compression = "meshopt" },
		"pruned":     func(o *meshOptions) { o.Prune = true },
	} {
		o := options(change)
		files := tree(3, 0)
		equal, different := cook(t, o, files, "m/a.gltf"), cook(t, o, tree(3, 0.1), "m/a.gltf")
		if len(equal) > len(different)*2/3 {
			t.Errorf("%s: %d bytes, %d if they differ", way, len(equal), len(different))
		}
		doc := decode(t, equal, nil)
		want := 12 // the number includes unused coordinates
		if o.Prune {
			want = 3
		}
		if o.Compression == "none" && len(doc.Accessors) != want {
			t.Errorf("%s: %d accessors, want %d", way, len(doc.Accessors), want)
		}
		sameTriangles(t, show(t, decodeFile(t, files, "m/a.gltf")), show(t, doc), tolerances(20, o))
	}
}

// The error of compressed texture coordinates must be at most half a step of uv_bits, even outside
// of 0 to 1.
func TestCompressedCoordinatesKeepTheirError(t *testing.T) {
	for _, scale := range []float32{0.7, 9} {
		for _, bits := range []int{12, 16} {
			s := new(sheet)
			p, n, _, i := s.grid(20, 1)
			values := make([]float32, 2*21*21)
			for k := range values {
				values[k] = scale * float32(k*7919%1009) / 1009
			}
			uv := s.floats("VEC2", 2, values...)
			tree := s.tree(fmt.Sprintf(`"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"meshes":[{"primitives":[
				{"attributes":{"POSITION":%d,"NORMAL":%d,"TEXCOORD_0":%d},"indices":%d}]}]`, p, n, uv, i))
			o := options(func(o *meshOptions) { o.Compression, o.UVBits = "meshopt", bits })
			packed := cook(t, o, tree, "m/a.gltf")
			if want := scale > 1 || bits < 16; bytes.Contains(packed, []byte(`"filter":"EXPONENTIAL"`)) != want {
				t.Errorf("scale %v, %d bits: the filter is used: %v, want %v", scale, bits, !want, want)
			}
			sameTriangles(t, show(t, decodeFile(t, tree, "m/a.gltf")), show(t, decode(t, packed, nil)), tolerances(20, o))
		}
	}
}

// With compression, the order of the triangles must take at most as many bytes as the order for the
// vertex cache.
func TestCompressionChoosesTheSmallestOrder(t *testing.T) {
	o := options(compressed)
	job := jobs.New(Recipe(), jobs.Env{Path: "m/a.gltf", Open: bent().Open, Stat: bent().Stat}, 1)
	doc, _, err := o.readModel(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	c, err := o.cookModel(t.Context(), job, doc, false)
	if err != nil {
		t.Fatal(err)
	}
	g := c.geometries[0]
	chosen, err := g.packedSize(t.Context(), gltf.MeshoptEXT, g.indices)
	if err != nil {
		t.Fatal(err)
	}
	cached, err := optimize.VertexCache(t.Context(), g.indices, g.vertices())
	if err != nil {
		t.Fatal(err)
	}
	if size, err := g.packedSize(t.Context(), gltf.MeshoptEXT, cached); err != nil || size < chosen {
		t.Errorf("%d bytes, %d in the order for the cache, %v", chosen, size, err)
	}
}

// A transform must lose only the digits that its float32 values do not need.
func TestTransformsKeepTheirFloats(t *testing.T) {
	for source, want := range map[string]string{
		"[0.10000000149011612,0,-2.5]": "[0.1,0,-2.5]",
		"[0.1000000000001,0,1]":        "[0.1000000000001,0,1]", // the first number is not a float32, so it keeps its digits
		"[1,2,3]":                      "[1,2,3]",
	} {
		node := gltf.Object{{Key: "translation", Value: json.RawMessage(source)}}
		shortenTransform(&node)
		if have := string(node.Member("translation")); have != want {
			t.Errorf("%s became %s, want %s", source, have, want)
		}
	}
}
