package rules

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/recipe"
)

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

// The checksum of the rules for pictures changes with every rule that may change their outputs,
// and with no other rule. A model sees how each picture is cooked for its target.
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
		{"[target.x.picture]\nform = 'b'", ""}, // for another target
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
