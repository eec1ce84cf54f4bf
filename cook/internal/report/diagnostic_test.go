package report

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook"
)

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

// The first failures are repeated if much was printed since.
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
