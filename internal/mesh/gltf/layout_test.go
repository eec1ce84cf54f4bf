package gltf

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Faults that writing the document anew repairs are reported once for each kind.
func TestMendsLayout(t *testing.T) {
	const (
		stride  = "a byteStride for other data than attributes; laid out anew"
		mixed   = "a bufferView for data of more than one kind; laid out anew"
		shared  = "several accessors of attributes in a bufferView without byteStride; laid out anew"
		crooked = "attributes that do not all start at multiples of four bytes; laid out anew"
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
		{`{"byteStride":100}`, `{"componentType":5126,"count":1,"type":"SCALAR"}`, ``, []string{"bufferView 0: a byteStride of more bytes than the bufferView has; laid out anew"}},
		{`{"byteStride":4,"target":34963}`, accessor(0, 5125, "SCALAR", ""), ``, []string{"bufferView 0: " + stride}},
		{`{"byteStride":4,"target":34962}`, accessor(0, 5125, "SCALAR", ""), ``, nil},
		{`{},{"byteStride":4}`, position + "," + accessor(1, 5125, "SCALAR", ""), primitive(`"attributes":{"POSITION":0},"indices":1`), []string{"bufferView 1: " + stride}},
		{`{"byteStride":4},{"byteStride":12}`, times + "," + accessor(1, 5126, "VEC3", ""), animation, []string{"bufferView 0: " + stride + "+1"}},
		{`{},{}`, times + "," + accessor(1, 5126, "VEC3", ""), animation, nil},
		{`{}`, times + "," + accessor(0, 5126, "VEC3", ""), animation, nil}, // of one kind
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
		// Each view has 400 bytes, but for the one whose stride is longer.
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

// So is what else is put right.
func TestMendsOthers(t *testing.T) {
	const (
		png     = "iVBORw0KGgo="
		webp    = "UklGRhwAAABXRUJQVlA4TA8AAAA="
		other   = "an embedded image of another type than it is declared; declared as what it is"
		unnamed = "an embedded image of a type whose extension extensionsUsed does not name; entered there"
		octets  = "a data URI of a buffer whose media type is not application/octet-stream or application/gltf-buffer; read all the same"
		view    = `,"bufferViews":[{"buffer":0,"byteLength":1}],"buffers":[{"byteLength":1}]`
	)
	for _, tc := range []struct{ rest, want string }{
		{`"nodes":[{"rotation":[0,0,0,1.004]}]`, ""},
		{`"nodes":[{},{"rotation":[0,0,0,1.006]},{"rotation":[1,1,1,1]}]`, "node 1: a rotation of another length than 1; scaled"},
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
		{`"images":[{"bufferView":0}]` + view, "image 0: an image in a bufferView without mimeType; known by its first bytes"},
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
