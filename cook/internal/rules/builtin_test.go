package rules

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/recipe"
)

type fakeKind struct {
	Kind string `toml:"kind" enum:"auto,color,normal"`
}

func (*fakeKind) Outputs() []string                       { return []string{"{path}"} }
func (*fakeKind) Cook(context.Context, *recipe.Job) error { return nil }

var kindFake = recipe.Recipe{
	Name: "image", Version: 1, New: func() recipe.Cooker { return &fakeKind{Kind: "auto"} },
	Extensions: []string{".webp", ".png", ".tga", ".jpeg"},
	Hints:      []recipe.Hint{{Key: "kind", Value: "color"}, {Key: "kind", Value: "normal"}},
	Hinted: func(path string) int {
		switch {
		case strings.HasSuffix(strings.TrimSuffix(path, ".png"), "_n"):
			return 1
		case strings.HasPrefix(path, "ui/"):
			return 0
		}
		return -1
	},
}

// These are the names of the built-in rules.
const (
	plains  = "*.{webp,png,tga,jpeg}"
	colors  = plains + " whose path says color"
	normals = plains + " whose path says normal"
)

// TestHintOfPathSetsOption checks that a hint in the path sets an option, and that every rule
// overrides it.
func TestHintOfPathSetsOption(t *testing.T) {
	s, err := Compile([]File{{Name: "cook.toml", Data: []byte(`
[[rule]]
match = "north/*_n.png"
kind = "color"

[[rule]]
match = "raw/**"
recipe = "copy"

[[rule]]
match = "mine/**"
recipe = "image"
`)}}, recipes(t, kindFake, copyFake))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"wall_n.png": "normal", "a/wall_n.png": "normal", "ui/wall.png": "color", "ui/wall_n.png": "normal",
		"wall.png": "auto", "a/ui/wall.png": "auto", "north/wall_n.png": "color", "mine/wall_n.png": "normal", "mine/wall.png": "auto",
	} {
		m := method(t, s, path, "")
		if got := m.Cooker.(*fakeKind).Kind; got != want {
			t.Errorf("%s: kind %s, want %s", path, got, want)
		}
	}
	if m := method(t, s, "raw/wall_n.png", ""); m.Recipe.Name != "copy" {
		t.Errorf("raw/wall_n.png is cooked by %s, want copy", m.Recipe.Name)
	}
	hinted := Origin{File: "built-in", Match: normals}
	m := method(t, s, "mine/wall_n.png", "")
	if d := cmp.Diff([]Origin{hinted, {"cook.toml", 10, 1, "mine/**"}}, m.Rules); d != "" {
		t.Error(d)
	}
	if m.Options[0].From != hinted {
		t.Errorf("kind is from %v, want %v", m.Options[0].From, hinted)
	}
	if a, b := method(t, s, "a_n.png", ""), method(t, s, "b/c_n.png", ""); a != b {
		t.Error("paths with equal hints have different methods")
	}
}

func TestBuiltinRowIsFoundWithoutAllocation(t *testing.T) {
	table := newBuiltinTable(recipes(t, kindFake, jsonFake, copyFake))
	for path, want := range map[string]string{
		"a.png": plains, "a.PnG": plains, "a_n.x.png": plains,
		"b/a_n.png": normals, "ui/a.png": colors, "ui/.png": "**",
		"a.json": "*.json", "mask.JSON": "*.json", "ui/a_n.json": "*.json",
		"a.jsonc": "**", "a": "**", ".png": "**", "a.": "**", "a.png.": "**", "": "**", "a.pn\u212a": "**",
		"a.longer-than-any-extension": "**", "ui.png/a": "**",
	} {
		if got := table.rows[table.rowOfPath(path)].match; got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
		if n := testing.AllocsPerRun(10, func() { table.rowOfPath(path) }); n != 0 {
			t.Errorf("%s: %v allocations, want none", path, n)
		}
	}
}

func TestSetWithoutCopyRecipeCompiles(t *testing.T) {
	s, err := Compile([]File{{Name: "cook.toml", Data: []byte("[[rule]]\nmatch = '*.txt'\nrecipe = 'image'")}}, recipes(t, kindFake))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"a/b.png", "a/b.txt"} {
		if m := method(t, s, path, ""); m.Recipe.Name != "image" {
			t.Errorf("%s is cooked by %s", path, m.Recipe.Name)
		}
	}
	const want = `no recipe cooks files with this extension, and there is no recipe "copy" for other files; name a recipe in a [[rule]] (there are image), or list the file in .cookignore`
	if m, err := s.Method("a/b.bin", ""); err == nil || err.Error() != want {
		t.Errorf("%v, %v", m, err)
	}
}
