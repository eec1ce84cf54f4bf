package gltfcheck

import (
	"strings"
	"testing"
)

func TestCheckNames(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{`{"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"Mesh":0},"targets":[{"NODES":0}]}]}]}`, ""},
		{`{"extras":{"Nodes":[{"Mesh":1}]},"nodes":[{"extensions":{"X":{"Name":[{"Mesh":0}]}},"name":"Mesh"}]}`, ""},
		{`{"extras":7,"nodes":[{"extras":"x"},{"own":"Mesh"}]}`, ""},
		{"{\n \"nOdes\" : []}", `2:2: "nOdes" must be written "nodes"`},
		{`{"extras":{},"nodes":[{"m\u0065Sh":0}]}`, `1:24: "meSh" must be written "mesh"`},
		{`{"extras":[1],"Nodes":[]}`, `1:15: "Nodes" must`},
		{`{"extras":1,"x":{"Mesh":1}}`, `1:18: "Mesh" must`},
		{`{"accessors":[{"` + "\u017fparse" + `":{}}]}`, `must be written "sparse"`},
		{`{"nodes":[{"Extras":{}}]}`, `must be written "extras"`},
	} {
		err := CheckNames([]byte(tc.text))
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.text, err, tc.want)
		}
	}
}
