package rules

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/recipe"
)

// steps lists the steps of a chain, each with recipe and input.
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
		// The rule for zstd is the last rule, so it takes precedence. It applies only once.
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
		hostile.String(): "cook.toml:4:1: more than 1000 rules for artifacts apply to one source in turn; remove rules, or narrow their patterns",
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

type fakeModel struct {
	Rules string `toml:"rules"`
}

func (*fakeModel) Outputs() []string                       { return []string{"{stem}.model"} }
func (*fakeModel) Cook(context.Context, *recipe.Job) error { return nil }

type fakePicture struct {
	Form    string `toml:"form" enum:"a,b"`
	Quality string `toml:"quality"`
}

func (p *fakePicture) Outputs() []string                     { return []string{"{path}." + p.Form} }
func (*fakePicture) Cook(context.Context, *recipe.Job) error { return nil }

// TestFollowChecksumCoversRulesOfOtherRecipe checks that the checksum changes with every rule that
// may change the outputs of images, and with no other rule.
func TestFollowChecksumCoversRulesOfOtherRecipe(t *testing.T) {
	model := recipe.Recipe{
		Name: "model", Version: 1, Extensions: []string{".model"}, New: func() recipe.Cooker { return &fakeModel{} },
		Follow: &recipe.Follow{Recipe: "picture", Keys: []string{"form"}, Option: "rules"},
	}
	picture := recipe.Recipe{Name: "picture", Version: 1, Extensions: []string{".png"}, New: func() recipe.Cooker { return &fakePicture{Form: "a"} }}
	compile := func(text string) *Set {
		s, err := Compile([]File{{Name: "cook.toml", Data: []byte("[target.x.copy]\n" + text)}}, recipes(t, model, picture, copyFake))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return s
	}
	says := func(s *Set, target string) string { return method(t, s, "m/a.model", target).Cooker.(*fakeModel).Rules }
	ids := map[string]string{}
	for _, tc := range []struct{ text, same string }{
		{"", ""},
		{"[[rule]]\nmatch = '*.png'\nquality = 'high'", ""},
		{"[[rule]]\nmatch = '*.wav'\nrecipe = 'copy'", ""},
		{"[target.x.picture]\nform = 'b'", ""},
		{"[[rule]]\nmatch = '*.png'\nform = 'b'", "b"},
		{"[[rule]]\nmatch = '*.png'\nform = 'b'\nquality = 'high'", "b"},
		{"[[rule]]\nmatch = '*.PNG'\nquality = 'low'\n[[rule]]\nmatch = '*.png'\nform = 'b'", "b"},
		{"[[rule]]\nmatch = 't/*.png'\nform = 'b'", "in t"},
		{"[[rule]]\nmatch = '*.png'\nform = 'a'", "a"},
		{"[[rule]]\nmatch = '*.png'\nrecipe = 'copy'", "copied"},
		{"[[rule]]\nmatch = 't/'\nrecipe = 'copy'", "all copied"},
		{"[[rule]]\nmatch = '*.png'\noutputs = ['x/{path}']", "elsewhere"},
		{"[[rule]]\nmatch = '*.png'\ntarget = 'x'\nform = 'b'", ""},
	} {
		id := says(compile(tc.text), "")
		if (id == "") != (tc.same == "") {
			t.Errorf("%s: %q", tc.text, id)
		}
		if known, ok := ids[tc.same]; ok && known != id {
			t.Errorf("%s: %q, want %q", tc.text, id, known)
		}
		for other, known := range ids {
			if other != tc.same && known == id {
				t.Errorf("%s: as %q", tc.text, other)
			}
		}
		ids[tc.same] = id
	}

	s := compile("[[rule]]\nmatch = 't/*.png'\nform = 'b'\n[[rule]]\nmatch = 'raw/'\nrecipe = 'copy'\n[target.x.picture]\nform = 'b'")
	if says(s, "") == says(s, "x") || !method(t, s, "m/a.model", "x").Follows() || method(t, compile(""), "m/a.model", "").Follows() {
		t.Error("the targets have the same checksum")
	}
	have := map[string]string{}
	for _, target := range []string{"", "x"} {
		for _, path := range []string{"t/p.png", "m/p.png", "raw/p.png"} {
			by, _, outputs := method(t, s, "m/a.model", target).Followed(path)
			have[target+" "+path] = fmt.Sprint(by, outputs)
		}
	}
	if d := cmp.Diff(map[string]string{
		" t/p.png": "picture[t/p.png.b]", " m/p.png": "picture[m/p.png.a]", " raw/p.png": "copy[raw/p.png]",
		"x t/p.png": "picture[t/p.png.b]", "x m/p.png": "picture[m/p.png.b]", "x raw/p.png": "copy[raw/p.png]",
	}, have); d != "" {
		t.Error(d)
	}
}
