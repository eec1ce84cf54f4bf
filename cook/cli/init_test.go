package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/recipes"
)

// What init writes as comments is right without the #, for every recipe.
func TestInitComments(t *testing.T) {
	dir := t.TempDir()
	set, err := recipe.NewSet(recipes.All()...)
	if err != nil {
		t.Fatal(err)
	}
	cooked := 0
	for _, name := range set.Names() {
		r, _ := set.Lookup(name)
		for _, ext := range r.Extensions {
			cooked++
			if err := os.WriteFile(filepath.Join(dir, "a"+ext), []byte("{}"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	seen, err := command{recipes: recipes.All()}.lookAt(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if seen.found.Assets != cooked {
		t.Errorf("%d assets of %d are seen", seen.found.Assets, cooked)
	}
	text := seen.config(dir, dir)
	plain := regexp.MustCompile(`(?m)^# (\[|[a-z_]+ = )`).ReplaceAllString(text, "$1")
	if n := strings.Count(plain, "\n[[rule]]\n"); n < 4 {
		t.Fatalf("%d rules in\n%s", n, plain)
	}
	compiled, err := rules.Compile([]rules.File{{Name: "cook.toml", Data: []byte(plain)}}, set)
	if err != nil {
		t.Fatalf("%v\n%s", err, plain)
	}
	for _, name := range set.Names() {
		r, _ := set.Lookup(name)
		for _, ext := range r.Extensions {
			m, err := compiled.Method("a"+ext, "")
			if err != nil || m.Recipe.Name != name {
				t.Errorf("a%s: %v %v", ext, m, err)
			}
		}
	}
	if errs := compiled.Dropped(); len(errs) > 0 {
		t.Error(errs)
	}
}
