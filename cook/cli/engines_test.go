package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/assetcook/assetcook/cook/internal/engine"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/internal/recipeset"
	"github.com/assetcook/assetcook/recipes"
)

// Every setting of an engine is an option of a recipe.
func TestRulesOfEnginesHaveNoMistake(t *testing.T) {
	judge := newRuleJudge(t)
	for _, e := range engine.All() {
		text := string(e.Rules())
		if (text == "") != (e.Name == engine.None) {
			t.Errorf("%s: %d bytes of rules", e.Name, len(text))
		}
		if err := judge.compiler(text); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		var doc struct{ Rule []map[string]any }
		if err := toml.Unmarshal([]byte(text), &doc); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		for _, r := range doc.Rule {
			for _, key := range []string{"from", "target", "outputs"} {
				if r[key] != nil {
					t.Errorf("%s: a rule of an engine has %s", e.Name, key)
				}
			}
		}
	}
}

// An engine is weaker than every rule, and a target's engine replaces the engine of the project.
func TestEnginesAreWeakerThanRules(t *testing.T) {
	const project = "[project]\nengine = \"three\"\n"
	for _, tc := range []struct {
		name, text, target, format, gpu, from string
	}{
		{"none", "", "", `"auto"`, `"desktop"`, "default"},
		{"project", project, "", `"auto"`, `"web"`, "engine three"},
		{"a rule wins", project + "[[rule]]\nmatch = \"*\"\ngpu = \"mobile\"\n", "", `"auto"`, `"mobile"`, "cook.toml:5"},
		{"a target without an engine", project + "[target.tv]\n", "tv", `"auto"`, `"web"`, "engine three"},
		{"a target with an engine", project + "[target.tv]\nengine = \"love\"\n", "tv", `"png"`, `"desktop"`, "default"},
		{"other targets keep the engine of the project", project + "[target.tv]\nengine = \"love\"\n", "", `"auto"`, `"web"`, "engine three"},
		{"a target with an engine alone", "[target.tv]\nengine = \"love\"\n", "", `"auto"`, `"desktop"`, "default"},
		{"a table of a target wins", project + "[target.tv]\nengine = \"three\"\n[target.tv.image]\ngpu = \"mobile\"\n", "tv", `"auto"`, `"mobile"`, "cook.toml:6"},
		{"own has no rules", "[project]\nengine = \"own\"\n", "", `"auto"`, `"desktop"`, "default"},
	} {
		recipes, err := recipeset.New(recipes.All()...)
		if err != nil {
			t.Fatal(err)
		}
		set, err := rules.Compile([]rules.File{{Name: "cook.toml", Data: []byte(tc.text)}}, recipes)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		m, err := set.Method("wall.png", tc.target)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		have := map[string]rules.Option{}
		for _, o := range m.Options {
			have[o.Key] = o
		}
		if have["format"].Value != tc.format || have["gpu"].Value != tc.gpu || have["gpu"].From.String() != tc.from {
			t.Errorf("%s: format %s, gpu %s from %s, want %s, %s, %s",
				tc.name, have["format"].Value, have["gpu"].Value, have["gpu"].From, tc.format, tc.gpu, tc.from)
		}
	}
}

// A run warns of each way of cooking whose files the engine does not load, and of nothing else.
func TestFilesThatAnEngineDoesNotLoadAreNamed(t *testing.T) {
	for _, tc := range []struct {
		text string
		want string // part of the only message, "" for none
	}{
		{"engine = \"three\"\n", ""},
		{"engine = \"own\"\n", ""},
		{"engine = \"love\"\n", "LÖVE loads no .ktx2 files, such as sky.hdr.ktx2; list the source"},
		{"engine = \"love\"\n[[rule]]\nmatch = \"*.hdr\"\nrecipe = \"copy\"\n", ""},
		{"engine = \"love\"\n[[rule]]\nmatch = \"*.hdr\"\ncontainer = \"dds\"\n", ""},
		{"engine = \"three\"\n[[rule]]\nmatch = \"*.png\"\ncontainer = \"dds\"\nformat = \"bc7\"\n", `cook.toml:5:1: three.js loads no .dds files, such as wall.png.dds; remove container = "dds"`},
		{"engine = \"love\"\n[[rule]]\nmatch = \"*.wav\"\nformat = \"opus\"\n[[rule]]\nmatch = \"*.hdr\"\nrecipe = \"copy\"\n", `cook.toml:5:1: LÖVE loads no .opus files, such as hit.opus; remove format = "opus"`},
	} {
		recipes, err := recipeset.New(recipes.All()...)
		if err != nil {
			t.Fatal(err)
		}
		set, err := rules.Compile([]rules.File{{Name: "cook.toml", Data: []byte("[project]\n" + tc.text)}}, recipes)
		if err != nil {
			t.Fatal(err)
		}
		sources := slices.Values([]string{"wall.png", "floor.png", "hit.wav", "sky.hdr", "a.txt", "b.webp"})
		for source := range sources {
			set.Method(source, "")
		}
		errs := set.NotLoaded(sources)
		if got := fmt.Sprint(errs); (len(errs) > 0) != (tc.want != "") || !strings.Contains(got, tc.want) || len(errs) > 1 {
			t.Errorf("%q: %d messages: %s, want %s", tc.text, len(errs), got, tc.want)
		}
	}
}
