package gltfcheck

import (
	"strings"
	"testing"
)

// What EXT_meshopt_compression asks of a packed view is checked before it is unpacked.
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
		{`"buffer":0,"byteLength":24`, `"buffer":0,"byteStride":12,"byteLength":24`, "byteStride is 8, that of the view 12"},
		{`"fallback":true`, `"fallback":1`, "fallback: want true or false"},
	} {
		if _, err := parseAndCheck(t, strings.Replace(rest, tc.old, tc.new, 1)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.new, err, tc.want)
		}
	}
}
