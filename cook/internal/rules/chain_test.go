package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// steps lists the steps of a chain, each as recipe and input.
func steps(m *Method, path string) (list []string) {
	for s := range m.Steps(path) {
		list = append(list, s.Recipe.Name+" "+s.Path+s.Of)
	}
	return list
}

func TestRulesForArtifactsMakeChains(t *testing.T) {
	s := compile(t, `
[target.pc]
[target.web]
[target.web.zstd]
level = 9
[[rule]]
match = "*.txt"
recipe = "mesh"
outputs = ["{stem}.a", "b/{stem}.b"]
[[rule]]
from = "artifacts"
match = "*.a"
recipe = "copy"
output = "{stem}.c"
[[rule]]
from = "artifacts"
match = "*.c"
recipe = "copy"
output = "{stem}.a"
[[rule]]
from = "artifacts"
target = "web"
match = "*"
recipe = "zstd"
[[rule]]
match = "*"
level = 1      # not for artifacts
`)
	for _, tc := range []struct{ path, target, steps, names string }{
		{"x/m.txt", "pc", "mesh x/m.txt|copy x/m.a of {stem}.a|copy x/m.c of {stem}.c of {stem}.a", "x/m.a b/m.b"},
		// The rule for zstd is the last, so it overrides the others, but applies only once.
		{"x/m.txt", "web", "mesh x/m.txt|zstd x/m.a of {stem}.a|zstd b/m.b of b/{stem}.b", "x/m.a.zst b/m.b.zst"},
		{"m.png", "pc", "image m.png", "m.png"},
		{"m.png", "web", "image m.png|zstd m.png of {path}", "m.png.zst"},
		{"m.a", "pc", "copy m.a|copy m.a of {path}|copy m.c of {stem}.c of {path}", "m.a"},
	} {
		m := method(t, s, tc.path, tc.target)
		got := strings.Join(steps(m, tc.path), "|")
		if names := strings.Join(m.Names(tc.path), " "); got != tc.steps || names != tc.names {
			t.Errorf("%s for %s: %s makes %s, want %s making %s", tc.path, tc.target, got, names, tc.steps, tc.names)
		}
	}
	if a, b := method(t, s, "x/m.txt", "pc"), method(t, s, "y/n.txt", "pc"); a != b {
		t.Error("equal chains are not one method")
	}
	for step := range method(t, s, "m.png", "web").Steps("m.png") {
		i := slices.IndexFunc(step.Options, func(o Option) bool { return o.Key == "level" })
		if step.Recipe.Name == "zstd" && (i < 0 || step.Options[i].Value != "9" || step.Options[i].From.Line != 5) {
			t.Errorf("options of zstd: %v", step.Options)
		}
	}
}

func TestBadChainIsReported(t *testing.T) {
	var hostile strings.Builder
	var outputs []string
	for i := range 20 {
		outputs = append(outputs, fmt.Sprintf("'{path}%d'", i))
	}
	for i := range 20 {
		fmt.Fprintf(&hostile, "[[rule]]\nfrom = 'artifacts'\nmatch = '*'\ncommand = ['x', '%d']\noutputs = [%s]\n", i, strings.Join(outputs, ", "))
	}
	for text, want := range map[string]string{
		"[[rule]]\nfrom = 'artifacts'\nmatch = '*'\nrecipe = 'command'\noutput = 'a'": `cook.toml:4:1: recipe "command": command: want a program and its arguments`,
		hostile.String(): "cook.toml:4:1: rules for artifacts make more than 1000 steps of one source",
	} {
		_, err := compile(t, text).Method("m.png", "")
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for text, want := range map[string]string{
		"[[rule]]\nfrom = 'artefacts'\nmatch = '*'\nrecipe = 'copy'": `cook.toml:2:8: from: want "sources" or "artifacts"`,
		"[[rule]]\nfrom = 1\nmatch = '*'\nrecipe = 'copy'":           `cook.toml:2:8: from: want "sources" or "artifacts"`,
	} {
		if _, err := Compile([]File{{Name: "cook.toml", Data: []byte(text)}}, recipes(t)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
