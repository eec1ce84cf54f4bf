package report

import (
	"bytes"
	"testing"

	"github.com/assetcook/assetcook/cook"
)

var findings = []struct {
	cook.Finding
	text, json string
}{
	{
		cook.Finding{
			Kind: "not reproducible", Path: "textures/wood.png", Output: "textures/wood.ktx2", Recipe: "command",
			Bytes: &cook.ByteDifference{Offset: 132, Was: 0x1f, Now: 0x20},
			Text:  `textures/wood.ktx2 differs from a new cook at offset 132 (0x1f, now 0x20): the recipe "command" is not deterministic`,
		},
		`textures/wood.png: error: textures/wood.ktx2 differs from a new cook at offset 132 (0x1f, now 0x20): the recipe "command" is not deterministic`,
		`{"event":"difference","severity":"error","path":"textures/wood.png","recipe":"command","outputs":["textures/wood.ktx2"],"file":"textures/wood.png","text":"textures/wood.ktx2 differs from a new cook at offset 132 (0x1f, now 0x20): the recipe \"command\" is not deterministic","finding":{"kind":"not reproducible","bytes":{"offset":132,"was":31,"now":32}}}`,
	},
	{
		cook.Finding{
			Kind: "hidden absence", Path: "wood.frag", Recipe: "command", Inputs: []string{"a.glsl", "b.glsl"}, Warning: true,
			Text: "glslc looked for a.glsl and 1 other, which are not there",
		},
		"wood.frag: warning: glslc looked for a.glsl and 1 other, which are not there",
		`{"event":"difference","severity":"warning","path":"wood.frag","recipe":"command","file":"wood.frag","text":"glslc looked for a.glsl and 1 other, which are not there","finding":{"kind":"hidden absence","inputs":["a.glsl","b.glsl"]}}`,
	},
	{
		cook.Finding{Kind: "output missing", Path: "a", Target: "pc", Output: "pc/a", Text: "pc/a is missing; run cook"},
		`a: error: [pc] pc/a is missing; run cook`,
		`{"event":"difference","severity":"error","path":"a","target":"pc","outputs":["pc/a"],"file":"a","text":"pc/a is missing; run cook","finding":{"kind":"output missing"}}`,
	},
	{
		cook.Finding{Kind: "cannot be verified", Path: "a\n\xff", Text: "\x1b[2Jno\nmore\n"},
		`"a\n\xff": error: \x1b[2Jno` + "\n  | more",
		`{"event":"difference","severity":"error","path":"a\n` + `\ufffd` + `","path_base64":"YQr/","file":"a\n\ufffd","text":"\u001b[2Jno\nmore\n","finding":{"kind":"cannot be verified"}}`,
	},
}

func TestFinding(t *testing.T) {
	for _, tc := range findings {
		var text, json bytes.Buffer
		Find(cook.Observers{cook.Observers{}, &Text{Out: &text}, NewJSON(&json)}, tc.Finding)
		if got := text.String(); got != tc.text+"\n" {
			t.Errorf("got  %q\nwant %q", got, tc.text)
		}
		if got := json.String(); got != tc.json+"\n" {
			t.Errorf("got  %s\nwant %s", got, tc.json)
		}
	}
}
