package gltfcheck

import (
	"reflect"
	"strings"
	"testing"
)

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
	var look func(s *shape, of reflect.Type)
	look = func(s *shape, of reflect.Type) {
		for i := range of.NumField() {
			f := of.Field(i)
			name := f.Tag.Get("json")
			if name == "-" || name == "extensions" {
				continue
			}
			v := s.members[name]
			if v == nil {
				t.Errorf("%s.%s is decoded unchecked", s.name, name)
				continue
			}
			inside := f.Type
			for inside.Kind() == reflect.Pointer || inside.Kind() == reflect.Slice {
				inside = inside.Elem()
			}
			for v.of != nil && v.kind == aList {
				v = v.of
			}
			if inside.Kind() == reflect.Struct {
				look(v.shape, inside)
			}
		}
	}
	look(allShapes().document, reflect.TypeFor[Document]())
}
