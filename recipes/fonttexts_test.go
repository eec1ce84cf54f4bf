package recipes_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/recipes"
)

// cooked collects the sources that were cooked.
type cooked struct {
	cook.Observers
	paths []string
}

func (c *cooked) Event(e cook.Event) {
	if e.Outcome == cook.Cooked || e.Outcome == cook.Unchanged {
		c.paths = append(c.paths, e.Path)
	}
}

// A font must be cooked again when its texts gain or lose a character. It must not be cooked after
// other edits of the texts.
func TestFontFollowsTheCharactersOfTexts(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	font, err := os.ReadFile("../testdata/assets/fonts/pebble.ttf")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p := cook.Project{Dir: dir, Out: out, Cache: t.TempDir(), Recipes: recipes.All(), Engine: "own"}
	last := []byte(nil)
	step := func(what string, differs bool) (cooks bool) {
		t.Helper()
		var did cooked
		s, err := cook.Cook(t.Context(), p, cook.CookOptions{Observer: &did})
		if err != nil || s.Failed.Assets > 0 {
			t.Fatalf("%s: %v, %d failed", what, err, s.Failed.Assets)
		}
		metrics, err := os.ReadFile(filepath.Join(out, "ui/a.ttf.json"))
		if err != nil || bytes.Equal(metrics, last) == differs {
			t.Errorf("%s: differs: %v, %v", what, !differs, err)
		}
		last = metrics
		return slices.Contains(did.paths, "ui/a.ttf")
	}
	write("ui/a.ttf", string(font))
	write("cook.toml", "[[rule]]\nmatch = \"*.ttf\"\nrecipe = \"font\"\ncharset = []\ntext = [\"/locale/**/*.json\"]\n")
	write("locale/en.json", `{"start": "GO"}`)
	step("at first", true)
	write("locale/en.json", `{"start": "GOGO", "START": "OG"}`)
	if step("another text of the same characters", false) {
		t.Error("cooked for another text of the same characters")
	}
	write("locale/en.json", `{"start": "GOAL"}`)
	step("another character", true)
	write("locale/de/de.json", `["TOR"]`)
	step("another file", true)
	write("locale/de/de.json", `["ROT"]`)
	if step("another order", false) {
		t.Error("cooked for another order")
	}
	if err := os.Remove(filepath.Join(dir, "locale/de/de.json")); err != nil {
		t.Fatal(err)
	}
	step("a file less", true)
	write("locale/en.json", `{"start": "GO"}`)
	step("a character less", true)
}
