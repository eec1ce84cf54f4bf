package gltf

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestReadsAFileOnce(t *testing.T) {
	reads := 0
	c := check{doc: &Document{}, size: func(string) (int64, error) { reads++; return 8, nil }}
	for _, uri := range []string{"a", "./a", "b/../a", "%61"} {
		c.doc.Buffers = append(c.doc.Buffers, Buffer{URI: &uri, ByteLength: 8})
	}
	if err := c.checkBuffers(t.Context()); err != nil || c.faults.faultsError() != nil || reads != 1 {
		t.Errorf("%d reads, %v, %v", reads, err, c.faults.faultsError())
	}
}

// TestStaysInsideItsMemory parses the documents that take the most memory for their size, and
// expects less than the estimate.
func TestStaysInsideItsMemory(t *testing.T) {
	repeat := func(field, item string, n int) string {
		return `{"` + field + `":[` + strings.Repeat(item+",", n) + item + `]}`
	}
	for name, text := range map[string]string{
		"objects":    repeat("accessors", `{"count":1  }`, 100_000),
		"attributes": `{"meshes":[` + repeat("primitives", `{"attributes":{"P":0,"Q":0}}`, 50_000) + `]}`,
		"children":   `{"nodes":[{"children":[` + strings.Repeat("0,", 1_000_000) + `0]}]}`,
		"data":       `{"buffers":[{"uri":"data:;base64,` + strings.Repeat("AAAA", 500_000) + `","byteLength":1}]}`,
	} {
		estimate := Memory(int64(len(text)))
		data := []byte(text)
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		doc, err := Parse(data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		held := int64(after.HeapAlloc) - int64(before.HeapAlloc) + int64(len(data))
		if held > estimate {
			t.Errorf("%s: %d bytes of text need %d, estimate %d", name, len(data), held, estimate)
		}
		runtime.KeepAlive(doc)
	}
}

func FuzzDataURI(f *testing.F) {
	f.Add("data:;base64,AAAA")
	f.Add("data:text/plain,a%20b")
	f.Add("data:image/png;x=y;base64,AAA=")
	f.Add("data:;base64,AAAAA")
	f.Add("0,a") // an input that is too short for "data:"
	f.Fuzz(func(t *testing.T, uri string) {
		size, err := dataURISize(uri)
		data, _, dataErr := DataURI(uri)
		if (err == nil) != (dataErr == nil) || err == nil && size != int64(len(data)) {
			t.Fatalf("%q: %d bytes, %v, but measured %d, %v", uri, len(data), dataErr, size, err)
		}
		head, body, _ := strings.Cut(uri, ",")
		if err != nil || !strings.HasSuffix(strings.ToLower(head), ";base64") {
			return
		}
		want, wantErr := base64.StdEncoding.DecodeString(body)
		if wantErr != nil {
			want, wantErr = base64.RawStdEncoding.DecodeString(body)
		}
		if wantErr != nil || !bytes.Equal(data, want) {
			t.Fatalf("%q: have %q, want %q, %v", uri, data, want, wantErr)
		}
	})
}

// TestCompressed checks compressed views against the rules of EXT_meshopt_compression, without
// decompressing them.
func TestCompressed(t *testing.T) {
	const (
		good = `{"buffer":1,"byteOffset":8,"byteLength":40,"byteStride":8,"count":3,"mode":"ATTRIBUTES","filter":"QUATERNION"}`
		rest = `"buffers":[{"byteLength":24,"extensions":{"EXT_meshopt_compression":{"fallback":true}}},{"byteLength":48}],
			"extensionsUsed":["EXT_meshopt_compression"],"bufferViews":[{"buffer":0,"byteLength":24,"extensions":{"EXT_meshopt_compression":` + good + `}}]`
	)
	doc, err := parseAndCheck(t, rest)
	if err != nil {
		t.Fatal(err)
	}
	p := doc.BufferViews[0].Compressed()
	if l, err := p.Layout(); err != nil || l.Size() != 24 || l.Mode.String() != "ATTRIBUTES" || l.Filter.String() != "QUATERNION" {
		t.Errorf("%+v, %v", l, err)
	}
	for _, tc := range []struct{ old, new, want string }{
		{`"buffer":1`, `"buffer":2`, "bufferView 0 compressed: there is no buffer 2"},
		{`"buffer":1,`, ``, "has no buffer"},
		{`"byteLength":40`, `"byteLength":41`, "41 bytes from 8 on do not fit in buffer 1 of 48 bytes"},
		{`"byteOffset":8`, `"byteOffset":-8`, "40 bytes from -8 on"},
		{`"byteLength":40`, `"byteLength":0`, "0 bytes from 8 on"},
		{`"count":3`, `"count":2`, "2 elements of 8 bytes do not match the view of 24 bytes"},
		{`"count":3`, `"count":9007199254740991`, "2147483647 elements of 8 bytes"},
		{`"byteStride":8,"count":3`, `"byteStride":12,"count":2`, "filter QUATERNION does not allow a byteStride of 12"},
		{`"ATTRIBUTES"`, `"attributes"`, `mode "attributes"`},
		{`"ATTRIBUTES"`, `"TRIANGLES"`, "byteStride of indices is 8"},
		{`"QUATERNION"`, `"ROT13"`, `filter "ROT13" is unknown`},
		{`"QUATERNION"`, `7`, "filter: want a string"},
		{`"buffer":0,"byteLength":24`, `"buffer":0,"byteStride":12,"byteLength":24`, "byteStride is 8, but the view has 12"},
		{`"fallback":true`, `"fallback":1`, "fallback: want true or false"},
	} {
		if _, err := parseAndCheck(t, strings.Replace(rest, tc.old, tc.new, 1)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.new, err, tc.want)
		}
	}
}

// FuzzUnescape compares results and error texts with the standard library.
func FuzzUnescape(f *testing.F) {
	for _, text := range []string{"", "%", "a%2", "%2g", "100%.bin", "%41%6A%6a+b", "%%41", "a%e2%82%ac\xff", "é%zz"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		have, haveErr := decodePercent(text)
		want, wantErr := url.PathUnescape(text)
		if have != want || (haveErr == nil) != (wantErr == nil) || haveErr != nil && haveErr.Error() != wantErr.Error() {
			t.Errorf("%q: have %q, %v, want %q, %v", text, have, haveErr, want, wantErr)
		}
	})
}

// FuzzMend checks that a repaired document is valid JSON and needs no further repair.
func FuzzMend(f *testing.F) {
	for _, text := range []string{
		`{"nodes":[{"children":[],"name":"a"},{"a":[],"children":[ ] }],"meshes":[],"skins":[]}`,
		`{"scene":1e0,"nodes":[{"children":[1.0,2],"weights":[]}], "textures" : [ ] , "images":[] }`,
		`{"images":[],"asset":{"version":"2.0"},"skins":[],"extras":{"skins":[]}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := Parse(text)
		if err != nil {
			return
		}
		if !json.Valid(doc.Text) {
			t.Fatalf("%s became %s", text, doc.Text)
		}
		again, err := Parse(doc.Text)
		if err != nil {
			t.Fatalf("%s: %v", doc.Text, err)
		}
		if !bytes.Equal(again.Text, doc.Text) {
			t.Fatalf("%s became %s, which became %s", text, doc.Text, again.Text)
		}
	})
}

// TestNames expects an error for members whose names differ from glTF's only in case.
func TestNames(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{`{"nodes":[{"extras":{"Mesh":0}}],"meshes":[{"primitives":[{"attributes":{"_Mesh":0},"targets":[{"_NODES":0}]}]}]}`, ""},
		{`{"extras":{"Nodes":[{"Mesh":1}]},"nodes":[{"extensions":{"X":{"Name":[{"Mesh":0}]}},"name":"Mesh"}]}`, ""},
		{`{"extras":7,"nodes":[{"extras":"x"},{"own":"Mesh"}]}`, ""},
		{"{\n \"nOdes\" : []}", `2:2: unknown property "nOdes"; write "nodes"`},
		{`{"extras":{},"nodes":[{"m\u0065Sh":0}]}`, `1:24: nodes: unknown property "meSh"; write "mesh"`},
		{`{"extras":[1],"Nodes":[]}`, `1:15: unknown property "Nodes"`},
		{`{"accessors":[{"` + "\u017fparse" + `":{}}]}`, `write "sparse"`},
		{`{"nodes":[{"Extras":{}}]}`, `unknown property "Extras"; write "extras"`},
	} {
		_, err := Parse([]byte(tc.text))
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.text, err, tc.want)
		}
	}
}

// TestShapesHaveAllThatIsDecoded checks that the shapes describe every member that Parse decodes.
func TestShapesHaveAllThatIsDecoded(t *testing.T) {
	unmarshaler := reflect.TypeFor[json.Unmarshaler]()
	inside := func(of reflect.Type) reflect.Type {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		return of
	}
	var look func(s *shape, of reflect.Type)
	lookAtExtensions := func(s *shape, of reflect.Type) {
		for i := range of.NumField() {
			f, name := of.Field(i), of.Field(i).Tag.Get("json")
			if reflect.PointerTo(f.Type).Implements(unmarshaler) {
				continue
			}
			if s.extensions[name] == nil {
				t.Errorf("extension %s of a %s is decoded unchecked", name, s.name)
				continue
			}
			look(s.extensions[name], inside(f.Type))
		}
	}
	look = func(s *shape, of reflect.Type) {
		for i := range of.NumField() {
			f, name := of.Field(i), of.Field(i).Tag.Get("json")
			switch v := s.members[name]; {
			case name == "-" || !f.IsExported() || reflect.PointerTo(f.Type).Implements(unmarshaler):
			case name == "extensions":
				lookAtExtensions(s, inside(f.Type))
			case v == nil:
				t.Errorf("%s.%s is decoded unchecked", s.name, name)
			case inside(f.Type).Kind() == reflect.Struct:
				for v.kind == aList {
					v = v.of
				}
				look(v.shape, inside(f.Type))
			}
		}
	}
	look(allShapes().document, reflect.TypeFor[Document]())
}

// TestMendsLayout expects one report for each kind of repaired fault in the layout of views.
func TestMendsLayout(t *testing.T) {
	const (
		stride  = "a bufferView has a byteStride, but no attributes; rewritten"
		mixed   = "a bufferView has vertices, indices or images together; rewritten"
		shared  = "a bufferView without byteStride has attributes of several accessors; rewritten"
		crooked = "attribute offsets are not multiples of 4; rewritten"
	)
	accessor := func(view, component int, kind, more string) string {
		return fmt.Sprintf(`{"bufferView":%d,"componentType":%d,"count":2,"type":%q%s}`, view, component, kind, more)
	}
	const box = `,"min":[0,0,0],"max":[0,0,0]`
	position := accessor(0, 5126, "VEC3", box)
	primitive := func(members string) string { return `"meshes":[{"primitives":[{` + members + `}]}],` }
	animation := `"nodes":[{}],"animations":[{"channels":[{"sampler":0,"target":{"node":0,"path":"scale"}}],"samplers":[{"input":0,"output":1}]}],`
	times := accessor(0, 5126, "SCALAR", `,"min":[0],"max":[0]`)
	for _, tc := range []struct {
		views, accessors, rest string
		want                   []string
	}{
		{`{}`, position, primitive(`"attributes":{"POSITION":0}`), nil},
		{`{"byteStride":12},{"byteStride":12}`, position + "," + accessor(1, 5126, "VEC3", box), primitive(`"attributes":{"POSITION":0},"targets":[{"POSITION":1}]`), nil},
		{`{"byteStride":24}`, position + "," + accessor(0, 5126, "VEC3", `,"byteOffset":12`), primitive(`"attributes":{"POSITION":0,"NORMAL":1}`), nil},
		{`{"byteStride":100}`, `{"componentType":5126,"count":1,"type":"SCALAR"}`, ``, []string{"bufferView 0: the byteStride of a bufferView is larger than the bufferView; rewritten"}},
		{`{"byteStride":4,"target":34963}`, accessor(0, 5125, "SCALAR", ""), ``, []string{"bufferView 0: " + stride}},
		{`{"byteStride":4,"target":34962}`, accessor(0, 5125, "SCALAR", ""), ``, nil},
		{`{},{"byteStride":4}`, position + "," + accessor(1, 5125, "SCALAR", ""), primitive(`"attributes":{"POSITION":0},"indices":1`), []string{"bufferView 1: " + stride}},
		{`{"byteStride":4},{"byteStride":12}`, times + "," + accessor(1, 5126, "VEC3", ""), animation, []string{"bufferView 0: " + stride + "+1"}},
		{`{},{}`, times + "," + accessor(1, 5126, "VEC3", ""), animation, nil},
		{`{}`, times + "," + accessor(0, 5126, "VEC3", ""), animation, nil}, // both accessors hold the same kind of data, so nothing is repaired
		{`{"byteStride":64}`, accessor(0, 5126, "MAT4", ""), `"nodes":[{}],"skins":[{"joints":[0],"inverseBindMatrices":0}],`, []string{"bufferView 0: " + stride}},
		{`{"byteStride":4}`, accessor(0, 5126, "SCALAR", ""), `"images":[{"bufferView":0,"mimeType":"image/png"}],`, []string{"bufferView 0: " + stride}},
		{`{}`, `{"componentType":5126,"count":9,"type":"SCALAR","sparse":{"count":1,"indices":{"bufferView":0,"componentType":5121},"values":{"bufferView":0}}}`, ``, nil},
		{`{"byteStride":4}`, `{"componentType":5126,"count":9,"type":"SCALAR","sparse":{"count":1,"indices":{"bufferView":0,"componentType":5121},"values":{"bufferView":0}}}`,
			``, []string{"bufferView 0: " + stride}},
		{`{}`, position + "," + accessor(0, 5125, "SCALAR", ""), primitive(`"attributes":{"POSITION":0},"indices":1`), []string{"bufferView 0: " + mixed}},
		{`{"target":34963}`, position, primitive(`"attributes":{"POSITION":0}`), []string{"bufferView 0: " + mixed}},
		{`{}`, position + "," + accessor(0, 5126, "VEC3", "") + "," + accessor(0, 5126, "VEC4", ""), primitive(`"attributes":{"POSITION":0,"NORMAL":1,"TANGENT":2}`),
			[]string{"bufferView 0: " + shared}},
		{`{},{}`, position + "," + accessor(1, 5121, "VEC3", `,"normalized":true`), primitive(`"attributes":{"POSITION":0,"COLOR_0":1}`), []string{"accessor 1: " + crooked}},
		{`{},{"byteStride":4}`, position + "," + accessor(1, 5121, "VEC3", `,"normalized":true`), primitive(`"attributes":{"POSITION":0,"COLOR_0":1}`), nil},
		{`{},{"byteStride":8}`, position + "," + accessor(1, 5121, "VEC4", `,"normalized":true,"byteOffset":2`), primitive(`"attributes":{"POSITION":0,"COLOR_0":1}`),
			[]string{"accessor 1: " + crooked}},
		{`{},{}`, accessor(0, 5126, "VEC3", "") + "," + accessor(1, 5126, "VEC3", `,"min":[0,0,0]`),
			primitive(`"attributes":{"POSITION":0},"targets":[{"POSITION":1},{"POSITION":1}]`), []string{"accessor 0: min or max are missing; added+1"}},
		{`{},{}`, accessor(0, 5126, "SCALAR", "") + "," + accessor(1, 5126, "VEC3", ""), animation, []string{"accessor 0: min or max are missing; added"}},
	} {
		// A view has 400 bytes, unless its stride is longer.
		size := 400
		if strings.Contains(tc.views, ":100") {
			size = 99
		}
		views := strings.ReplaceAll(tc.views, "{", fmt.Sprintf(`{"buffer":0,"byteLength":%d,`, size))
		views = strings.ReplaceAll(views, ",}", "}")
		doc, err := parseAndCheck(t, tc.rest+`"accessors":[`+tc.accessors+`],"bufferViews":[`+views+`],"buffers":[{"byteLength":400}]`)
		if err != nil {
			t.Errorf("%s %s: %v", tc.views, tc.rest, err)
			continue
		}
		var have []string
		for _, m := range doc.Mended {
			line := m.First + ": " + m.What + "; " + m.How
			if m.N > 1 {
				line += fmt.Sprintf("+%d", m.N-1)
			}
			have = append(have, line)
		}
		if !slices.Equal(have, tc.want) {
			t.Errorf("%s %s: mended %q, want %q", tc.views, tc.rest, have, tc.want)
		}
	}
}

// TestMendsOthers expects one report for each kind of repaired fault, except faults in the layout
// of views.
func TestMendsOthers(t *testing.T) {
	const (
		png     = "iVBORw0KGgo="
		webp    = "UklGRhwAAABXRUJQVlA4TA8AAAA="
		other   = "the type of an embedded image differs from the declared type; the declared type was corrected"
		unnamed = "the extension for the type of an embedded image is missing in extensionsUsed; the extension was added"
		octets  = "the data URI of a buffer has a media type other than application/octet-stream or application/gltf-buffer; read anyway"
		view    = `,"bufferViews":[{"buffer":0,"byteLength":1}],"buffers":[{"byteLength":1}]`
	)
	for _, tc := range []struct{ rest, want string }{
		{`"nodes":[{"rotation":[0,0,0,1.004]}]`, ""},
		{`"nodes":[{},{"rotation":[0,0,0,1.006]},{"rotation":[1,1,1,1]}]`, "node 1: the length of a rotation is not 1; scaled"},
		{`"buffers":[{"byteLength":1,"uri":"data:Application/Octet-Stream,a"},{"byteLength":1,"uri":"data:application/gltf-buffer;base64,AA=="}]`, ""},
		{`"buffers":[{"byteLength":1,"uri":"data:,a"}]`, "buffer 0: " + octets},
		{`"buffers":[{"byteLength":1,"uri":"data:text/plain;base64,AA=="}]`, "buffer 0: " + octets},
		{`"images":[{"uri":"data:image/png;base64,` + png + `"},{"uri":"data:image/png;base64,` + png + `","mimeType":"image/png"},{"uri":"data:;base64,` + png + `"}]`, ""},
		{`"images":[{"uri":"data:image/gif;base64,` + png + `"}]`, "image 0: " + other},
		{`"images":[{"uri":"data:image/png;base64,` + png + `","mimeType":"image/jpeg"}]`, "image 0: " + other},
		{`"images":[{"uri":"data:image/x;base64,AA==","mimeType":"image/y"}]`, "image 0: " + other},
		{`"images":[{"uri":"data:image/webp;base64,` + webp + `"}]`, "image 0: " + unnamed},
		{`"images":[{"uri":"data:image/webp;base64,` + webp + `"}],"extensionsUsed":["EXT_texture_webp"]`, ""},
		{`"images":[{"bufferView":0,"mimeType":"image/webp"}]` + view, "image 0: " + unnamed},
		{`"images":[{"bufferView":0,"mimeType":"image/png"}]` + view, ""},
		{`"images":[{"bufferView":0}]` + view, "image 0: an image in a bufferView has no mimeType; its type was set by its first bytes"},
	} {
		doc, err := parseAndCheck(t, tc.rest)
		if err != nil {
			t.Errorf("%s: %v", tc.rest, err)
			continue
		}
		have := ""
		for _, m := range doc.Mended {
			have += m.First + ": " + m.What + "; " + m.How
		}
		if have != tc.want {
			t.Errorf("%s: mended %q, want %q", tc.rest, have, tc.want)
		}
	}
}
