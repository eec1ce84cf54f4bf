package report

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
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

type atPlace struct{ line int }

func (e *atPlace) Error() string             { return fmt.Sprintf("rules/cook.toml:%d:2: no such key", e.line) }
func (e *atPlace) Place() (string, int, int) { return "rules/cook.toml", e.line, 2 }
func (e *atPlace) Message() string           { return "no such key" }
func (e *atPlace) Excerpt() string           { return "    3 | x\n      | ^" }

func TestDiagnose(t *testing.T) {
	for _, tc := range []struct {
		dir  string
		e    cook.Event
		want string
	}{
		{"assets", cook.Event{Path: "a/b.png", Outcome: cook.Failed, Err: errors.New("no picture")}, "assets/a/b.png: error: no picture\n"},
		{".", cook.Event{Path: "b.png", Outcome: cook.Warned, Err: errors.New("odd\nmore")}, "b.png: warning: odd\n  | more\n"},
		{"/x", cook.Event{Path: "b.json", Target: "pc", Outcome: cook.Failed, Err: errors.New("3:14: want a value")}, "/x/b.json:3:14: error: [pc] want a value\n"},
		{"a", cook.Event{Path: "b", Outcome: cook.Error, Err: errors.New("3: want: x")}, "a/b: error: 3: want: x\n"},
		{"a", cook.Event{Path: "b", Outcome: cook.Error, Err: errors.New("0:1: x")}, "a/b: error: 0:1: x\n"},
		{"a", cook.Event{Outcome: cook.Error, Err: errors.New("no room")}, "cook: error: no room\n"},
		{"a", cook.Event{Path: "b", Outcome: cook.Failed, Err: fmt.Errorf("%w", &atPlace{3})}, "rules/cook.toml:3:2: error: no such key\n    3 | x\n      | ^\n"},
		{"a", cook.Event{Path: "x\x1b[2J", Outcome: cook.Failed, Err: errors.New("\x1b[2J")}, "\"a/x\\x1b[2J\": error: \\x1b[2J\n"},
	} {
		if got := diagnose(tc.dir, &tc.e).String(); got != tc.want {
			t.Errorf("got  %q\nwant %q", got, tc.want)
		}
	}
}

func TestRecap(t *testing.T) {
	for _, between := range []int{3, 30} {
		var out strings.Builder
		text := Text{Out: &out, Err: &out, Verbose: true}
		for i := range 5 {
			text.Event(cook.Event{Path: fmt.Sprintf("bad%d", i), Outcome: cook.Failed, Err: errors.New("no good\nmore")})
		}
		for i := range between {
			text.Event(cook.Event{Path: fmt.Sprintf("good%d", i), Outcome: cook.Cooked})
		}
		out.Reset()
		text.Recap(&out)
		want := "cook: the first of 5 failures:\nbad0: error: no good\nbad1: error: no good\nbad2: error: no good\n"
		if between == 3 {
			want = ""
		}
		if out.String() != want {
			t.Errorf("%d lines between: %q", between, out.String())
		}
	}
}
