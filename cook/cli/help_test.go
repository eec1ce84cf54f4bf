package cli

import (
	"strings"
	"syscall"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/advice"
	"github.com/assetcook/assetcook/recipes"
)

// The short help fits on a screen of 80 columns and 40 lines, and nothing in it is cut off.
func TestShortHelpFitsOnOneScreen(t *testing.T) {
	var text strings.Builder
	shortHelp(&text, command{cook.Cook, recipes.All()})
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
		if code := c.run(t.Context(), func() {}, args, &stdout, &stderr); code != exitUsage {
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
		code := c.run(t.Context(), func() {}, args, &stdout, &stderr)
		if want := "cook: error: recipes \"image\" and \"mine\" both have the extension .png; "; code != exitUsage || !strings.HasPrefix(stderr.String(), want) {
			t.Errorf("%q: exit status %d, %q", args, code, stderr.String())
		}
	}
}

// The scripts check that these are the library's texts.
func TestWithFlags(t *testing.T) {
	for text, want := range map[string]string{
		"output folder a holds the asset folder a/b; choose another output folder": "output folder a holds the asset folder a/b; choose another output folder with -out",
		"-3 workers: want 1 or more":       "-3 workers (-j): want 1 or more",
		"no asset matches a":               "no asset matches a",
		advice.For(syscall.EROFS).Error():  syscall.EROFS.Error() + "; choose writable directories with -out and -cache",
		advice.For(syscall.EMFILE).Error(): syscall.EMFILE.Error() + "; allow more open files (ulimit -n) or use fewer workers (-j)",
		(&cook.LockedError{Path: "a"}).Error(): "another process works on the same output folder (lock a); " +
			"wait for it (cook -wait does) or choose another output folder with -out",
	} {
		if got := withFlags(text); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
