package report

import (
	"bytes"
	"testing"
	"time"
)

var findings = []struct {
	Finding
	text, json string
}{
	{
		Finding{
			Kind: NotReproducible, Path: "textures/wood.png", Output: "textures/wood.ktx2", Recipe: "command",
			Bytes: &ByteDifference{132, 0x1f, 0x20},
			Text:  `textures/wood.ktx2 differs from a new cook at offset 132 (0x1f, now 0x20): the recipe "command" is not deterministic`,
		},
		`cook: textures/wood.png: textures/wood.ktx2 differs from a new cook at offset 132 (0x1f, now 0x20): the recipe "command" is not deterministic`,
		`{"event":"difference","path":"textures/wood.png","recipe":"command","outputs":["textures/wood.ktx2"],"text":"textures/wood.ktx2 differs from a new cook at offset 132 (0x1f, now 0x20): the recipe \"command\" is not deterministic","finding":{"kind":"not reproducible","bytes":{"offset":132,"was":31,"now":32}}}`,
	},
	{
		Finding{Kind: OutputMissing, Path: "a", Target: "pc", Output: "pc/a", Text: "pc/a is missing; run cook"},
		`cook: a [pc]: pc/a is missing; run cook`,
		`{"event":"difference","path":"a","target":"pc","outputs":["pc/a"],"text":"pc/a is missing; run cook","finding":{"kind":"output missing"}}`,
	},
	{
		Finding{Kind: Unreadable, Path: "a\n\xff", Text: "\x1b[2Jno\nmore\n"},
		`cook: "a\n\xff": \x1b[2Jno` + "\n  | more",
		`{"event":"difference","path":"a\n` + `\ufffd` + `","path_base64":"YQr/","text":"\u001b[2Jno\nmore\n","finding":{"kind":"cannot be verified"}}`,
	},
}

func TestFinding(t *testing.T) {
	for _, tc := range findings {
		var text, json bytes.Buffer
		m := Multi{Multi{}, &Text{Out: &text}, NewJSON(&json)}
		m.Finding(tc.Finding)
		if got := text.String(); got != tc.text+"\n" {
			t.Errorf("got  %q\nwant %q", got, tc.text)
		}
		if got := json.String(); got != tc.json+"\n" {
			t.Errorf("got  %s\nwant %s", got, tc.json)
		}
	}
}

func TestByteDifferenceAtAnEnd(t *testing.T) {
	for want, d := range map[string]ByteDifference{
		"offset 7 (the end, now 0x00)": {7, -1, 0}, "offset 0 (0xff, now the end)": {0, 255, -1},
	} {
		if got := d.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestVerifiedLine(t *testing.T) {
	v := Verified{Outputs: 163, Bytes: 12897485, Blobs: 140, Again: 8, Assets: 160, Took: 1200 * time.Millisecond}
	if got, want := v.Line(), "cook: verified 163 outputs (12.3 MiB) and 140 blobs, cooked 8 of 160 assets again: 0 differences in 1.2s"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
