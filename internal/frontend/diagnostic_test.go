package frontend

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type atPlace struct{ line int }

func (e *atPlace) Error() string             { return fmt.Sprintf("rules/cook.toml:%d:2: no such key", e.line) }
func (e *atPlace) Place() (string, int, int) { return "rules/cook.toml", e.line, 2 }
func (e *atPlace) Message() string           { return "no such key" }
func (e *atPlace) Excerpt() string           { return "    3 | x\n      | ^" }

func TestColorsAndLinksEndAndEscapeNames(t *testing.T) {
	d := Diagnostic{File: "a b;\x1b.png", Line: 1, Column: 2, Severity: Warning, Text: "odd"}
	if got, want := (Style{Color: true}).Format(&d), "\x1b[1m\"a b;\\x1b.png\":1:2\x1b[0m: \x1b[1;35mwarning:\x1b[0m odd\n"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	abs, err := filepath.Abs("x")
	if err != nil {
		t.Fatal(err)
	}
	url := FileURL(strings.TrimSuffix(abs, "x")) + "a%20b%3B%1B.png"
	if got, want := (Style{Links: true}).Format(&d), "\x1b]8;;"+url+"\x1b\\\"a b;\\x1b.png\":1:2\x1b]8;;\x1b\\: warning: odd\n"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestPlaceHasAsManyNumbersAsAreKnown(t *testing.T) {
	for want, d := range map[string]Diagnostic{
		"cook: error: x\n": {Program: "cook"}, "a: error: x\n": {Program: "cook", File: "a"}, "a:2: error: x\n": {File: "a", Line: 2}, "a:2:3: error: x\n": {File: "a", Line: 2, Column: 3},
	} {
		if d.Severity, d.Text = Err, "x"; d.String() != want {
			t.Errorf("%q, want %q", d, want)
		}
	}
}

// TestJoinedErrorsAreDiagnosedOneByOne expects one diagnostic for each joined error. An error that
// wraps several errors in one sentence has one diagnostic.
func TestJoinedErrorsAreDiagnosedOneByOne(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want string
	}{
		{errors.New("one\ntwo"), "cook: error: one\ncook: error: two\n"},
		{&atPlace{3}, "rules/cook.toml:3:2: error: no such key\n    3 | x\n      | ^\n"},
		{errors.Join(&atPlace{3}, errors.New("x")), "rules/cook.toml:3:2: error: no such key\n    3 | x\n      | ^\ncook: error: x\n"},
		{fmt.Errorf("rules: %w", &atPlace{3}), "cook: error: rules: rules/cook.toml:3:2: no such key\n"},
		{fmt.Errorf("%w and %w", errors.New("a"), errors.New("b")), "cook: error: a and b\n"},
	} {
		var b strings.Builder
		for _, d := range Diagnose("cook", tc.err) {
			d.Print(&b)
		}
		if b.String() != tc.want {
			t.Errorf("got  %q\nwant %q", b.String(), tc.want)
		}
	}
}

func TestColorsAndLinksAreForTerminalsThatHaveThem(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, tc := range []struct {
		env  map[string]string
		want Style
	}{
		{nil, Style{}},
		{map[string]string{"TERM": "xterm-kitty"}, Style{}},
		{map[string]string{"CLICOLOR_FORCE": "1"}, Style{Color: true}},
		{map[string]string{"CLICOLOR_FORCE": "0"}, Style{}},
		{map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, Style{}},
	} {
		env := func(name string) string { return tc.env[name] }
		if got := StyleOf(file, env); got != tc.want {
			t.Errorf("%v: file gets %+v, want %+v", tc.env, got, tc.want)
		}
		if got := StyleOf(&bytes.Buffer{}, env); got != tc.want {
			t.Errorf("%v: buffer gets %+v, want %+v", tc.env, got, tc.want)
		}
	}
	for name, want := range map[string]bool{
		"TERM=xterm-256color": false, "TERM=xterm-kitty": true, "TERM=foot": true, "VTE_VERSION=6800": true, "VTE_VERSION=4999": false,
		"WT_SESSION=1": true, "TERM_PROGRAM=vscode": true, "TERM_PROGRAM=Apple_Terminal": false,
	} {
		key, value, _ := bytes.Cut([]byte(name), []byte("="))
		env := map[string]string{string(key): string(value)}
		if got := knowsLinks(func(name string) string { return env[name] }); got != want {
			t.Errorf("%s: links %t, want %t", name, got, want)
		}
		env["CI"] = "true"
		if knowsLinks(func(name string) string { return env[name] }) {
			t.Errorf("%s: links in a job of a build server", name)
		}
	}
	if Animates(func(name string) string { return map[string]string{"TERM": "dumb"}[name] }) || !Animates(func(string) string { return "" }) {
		t.Error("a dumb terminal cannot move its cursor, others can")
	}
}
