package rules

import (
	"context"
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
	Hints:      []recipe.Hint{{Suffixes: []string{"_n", "_nrm", "_norm", "_normal", "_normals"}, Key: "kind", Value: "normal"}},
}

// normals is the pattern of its hint.
const normals = "*{_n,_nrm,_norm,_normal,_normals}.{webp,png,tga,jpeg}"

// A name that says normal map sets an option, as the weakest of all.
func TestNormalMapsByName(t *testing.T) {
	s, err := Compile([]File{{Name: "cook.toml", Data: []byte(`
[[rule]]
match = "ui/*_n.png"
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
		"wall_n.png":          "normal",
		"a/Wall_NORMAL.TGA":   "normal",
		"wall_nrm.jpeg":       "normal",
		"wall_norm.webp":      "normal",
		"wall_normals.png":    "normal",
		"_n.png":              "normal",
		"wall.png":            "auto",
		"wall_n_2.png":        "auto",
		"wall_not.png":        "auto",
		"walln.png":           "auto",
		"a_n/wall.png":        "auto",
		"wall_normalised.png": "auto",
		"ui/button_n.png":     "color",
		"mine/wall_n.png":     "normal",
		"mine/wall.png":       "auto",
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
}

// A row is found by the extension and the end of the name, and without an allocation.
func TestTable(t *testing.T) {
	one := kindFake
	one.Hints = append(one.Hints, recipe.Hint{Suffixes: []string{"mask", "_a_normal"}, Key: "kind", Value: "color"})
	table := newTable(recipes(t, one, jsonFake, copyFake))
	for name, want := range map[string]string{
		"a.png": "*.{webp,png,tga,jpeg}", "a.PnG": "*.{webp,png,tga,jpeg}", "a_n.x.png": "*.{webp,png,tga,jpeg}",
		"a_n.TGA": normals, "a_mask_N.png": normals, "a_a_normal.png": normals, // the first hint counts
		"Mask.png": "*{mask,_a_normal}.{webp,png,tga,jpeg}", "mas.png": "*.{webp,png,tga,jpeg}",
		"a.json": "*.json", "mask.JSON": "*.json",
		"a.jsonc": "**", "a": "**", ".png": "**", "a.": "**", "a.png.": "**", "": "**", "a.pn\u212a": "**",
		"a.longer-than-any-extension": "**",
	} {
		if got := table.rows[table.find(name)].match; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if n := testing.AllocsPerRun(10, func() { table.find(name) }); n != 0 {
			t.Errorf("%s: %v allocations, want none", name, n)
		}
	}
}

// A set may lack what comes with assetcook.
func TestNoFallback(t *testing.T) {
	s, err := Compile([]File{{Name: "cook.toml", Data: []byte("[[rule]]\nmatch = '*.txt'\nrecipe = 'image'")}}, recipes(t, kindFake))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"a/b.png", "a/b.txt"} {
		if m := method(t, s, path, ""); m.Recipe.Name != "image" {
			t.Errorf("%s is cooked by %s", path, m.Recipe.Name)
		}
	}
	const want = `no recipe has this file's extension, and there is no recipe "copy" for all other files; name one in a [[rule]] (have image), or list the file in .cookignore`
	if m, err := s.Method("a/b.bin", ""); err == nil || err.Error() != want {
		t.Errorf("%v, %v", m, err)
	}
}
