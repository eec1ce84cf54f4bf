package cli

import (
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/recipes"
)

// The short help fits on a screen of 80 columns and 40 lines, and nothing in it is cut off.
func TestShortHelpFitsOnOneScreen(t *testing.T) {
	var text strings.Builder
	shortHelp(command{cook.Cook, recipes.All()}.newCall(nil), &text)
	lines := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
	if len(lines) < 20 || len(lines) > 40 {
		t.Errorf("%d lines", len(lines))
	}
	for _, line := range lines {
		if len(line) > 80 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}

// An invalid recipe gives an error line, not a panic, for each verb.
func TestBadRecipe(t *testing.T) {
	c := command{cook.Cook, append(recipes.All(), recipe.Recipe{Name: "mine", Version: 1})}
	for _, args := range [][]string{{"help", "json"}, {"-dir", t.TempDir()}, {"why", "-dir", t.TempDir(), "a"}} {
		var stdout, stderr strings.Builder
		if code := c.runArguments(t.Context(), func() {}, args, &stdout, &stderr); code != frontend.Usage {
			t.Errorf("%q: exit status %d", args, code)
		}
		if s := stderr.String(); strings.Count(s, "\n") != 1 || !strings.HasPrefix(s, "cook: error: recipe \"mine\": ") {
			t.Errorf("%q: %q", args, s)
		}
	}
}

// Recipes that claim the same files are an error of the program's configuration.
func TestRecipesThatClash(t *testing.T) {
	mine := recipes.All()[1]
	mine.Name, mine.Extensions = "mine", []string{".mine", ".png"}
	c := command{cook.Cook, append(recipes.All(), mine)}
	for _, args := range [][]string{{"help", "json"}, {"-dir", t.TempDir()}, {"why", "-dir", t.TempDir(), "a"}} {
		var stdout, stderr strings.Builder
		code := c.runArguments(t.Context(), func() {}, args, &stdout, &stderr)
		if want := "cook: error: recipes \"image\" and \"mine\" both have the extension .png; "; code != frontend.Usage || !strings.HasPrefix(stderr.String(), want) {
			t.Errorf("%q: exit status %d, %q", args, code, stderr.String())
		}
	}
}
