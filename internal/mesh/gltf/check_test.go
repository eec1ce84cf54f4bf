package gltf

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

func TestReadsAFileOnce(t *testing.T) {
	reads := 0
	c := check{doc: &Document{}, size: func(string) (int64, error) { reads++; return 8, nil }}
	for _, uri := range []string{"a", "./a", "b/../a", "%61"} {
		c.doc.Buffers = append(c.doc.Buffers, Buffer{URI: &uri, ByteLength: 8})
	}
	if err := c.buffers(t.Context()); err != nil || c.faults.err() != nil || reads != 1 {
		t.Errorf("%d reads, %v, %v", reads, err, c.faults.err())
	}
}

// The documents that take most memory for their size stay inside the estimate.
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
	f.Add("0,a") // no scheme, shorter than one
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

// A packed view is checked as EXT_meshopt_compression demands before it is unpacked.
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
		{`"buffer":1,`, ``, "without buffer"},
		{`"byteLength":40`, `"byteLength":41`, "41 bytes from 8 on do not lie in buffer 1 of 48 bytes"},
		{`"byteOffset":8`, `"byteOffset":-8`, "40 bytes from -8 on"},
		{`"byteLength":40`, `"byteLength":0`, "0 bytes from 8 on"},
		{`"count":3`, `"count":2`, "2 elements of 8 bytes, the view has 24 bytes"},
		{`"count":3`, `"count":9007199254740991`, "2147483647 elements of 8 bytes"},
		{`"byteStride":8,"count":3`, `"byteStride":12,"count":2`, "filter QUATERNION with a byteStride of 12"},
		{`"ATTRIBUTES"`, `"attributes"`, `mode "attributes"`},
		{`"ATTRIBUTES"`, `"TRIANGLES"`, "byteStride of indices is 8"},
		{`"QUATERNION"`, `"ROT13"`, `filter "ROT13" is not known`},
		{`"QUATERNION"`, `7`, "filter: want a string"},
		{`"buffer":0,"byteLength":24`, `"buffer":0,"byteStride":12,"byteLength":24`, "byteStride is 8, but 12 in the view"},
		{`"fallback":true`, `"fallback":1`, "fallback: want true or false"},
	} {
		if _, err := parseAndCheck(t, strings.Replace(rest, tc.old, tc.new, 1)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.new, err, tc.want)
		}
	}
}

// FuzzUnescape compares with the standard library, errors and their text included.
func FuzzUnescape(f *testing.F) {
	for _, text := range []string{"", "%", "a%2", "%2g", "100%.bin", "%41%6A%6a+b", "%%41", "a%e2%82%ac\xff", "é%zz"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		have, haveErr := unescape(text)
		want, wantErr := url.PathUnescape(text)
		if have != want || (haveErr == nil) != (wantErr == nil) || haveErr != nil && haveErr.Error() != wantErr.Error() {
			t.Errorf("%q: have %q, %v, want %q, %v", text, have, haveErr, want, wantErr)
		}
	})
}

// FuzzMend checks that a mended document is JSON that needs no mending, and lost nothing
// else.
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

// Members that are called like one of glTF's but for their case are refused.
func TestNames(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{`{"nodes":[{"extras":{"Mesh":0}}],"meshes":[{"primitives":[{"attributes":{"_Mesh":0},"targets":[{"_NODES":0}]}]}]}`, ""},
		{`{"extras":{"Nodes":[{"Mesh":1}]},"nodes":[{"extensions":{"X":{"Name":[{"Mesh":0}]}},"name":"Mesh"}]}`, ""},
		{`{"extras":7,"nodes":[{"extras":"x"},{"own":"Mesh"}]}`, ""},
		{"{\n \"nOdes\" : []}", `2:2: "nOdes" must be written "nodes"`},
		{`{"extras":{},"nodes":[{"m\u0065Sh":0}]}`, `1:24: nodes: "meSh" must be written "mesh"`},
		{`{"extras":[1],"Nodes":[]}`, `1:15: "Nodes" must`},
		{`{"accessors":[{"` + "\u017fparse" + `":{}}]}`, `must be written "sparse"`},
		{`{"nodes":[{"Extras":{}}]}`, `must be written "extras"`},
	} {
		_, err := Parse([]byte(tc.text))
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.text, err, tc.want)
		}
	}
}

// All that is decoded has been checked before.
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
