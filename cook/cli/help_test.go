package cli

import (
	"flag"
	"os/exec"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/manpage"
	"github.com/assetcook/assetcook/recipes"
)

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

// TestBadRecipe expects commands to print one error line, instead of panicking, if a recipe is
// invalid.
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

// TestRecipesThatClash expects a configuration error if two recipes have the same default
// extension.
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

// TestManPage expects the manual page to list all verbs, flags and recipes, and man formatters to
// accept it.
func TestManPage(t *testing.T) {
	c := command{cook.Cook, recipes.All()}
	var b strings.Builder
	writeMan(&b, c.newCall(nil))
	page, verbs, _ := strings.Cut(b.String(), "\n.SH \"VERBS\"\n")
	all := 0
	flagsOf("").VisitAll(func(f *flag.Flag) {
		all++
		if !strings.Contains(page, ".TP\n\\fB\\-"+manpage.Roff(f.Name)+"\\fR") {
			t.Errorf("-%s is not there", f.Name)
		}
	})
	for i, v := range c.newCall(nil).Verbs[1:] {
		_, section, found := strings.Cut(verbs, ".SS \"cook "+v.Name+"\"\n")
		if !found {
			t.Fatalf("%s is not there", v.Name)
		}
		if i+1 < len(c.newCall(nil).Verbs[1:]) {
			section, _, _ = strings.Cut(section, "\n.SS ")
		}
		v.Flags().VisitAll(func(f *flag.Flag) {
			all++
			if !strings.Contains(section, ".TP\n\\fB\\-"+manpage.Roff(f.Name)+"\\fR") {
				t.Errorf("cook %s -%s is not there:\n%s", v.Name, f.Name, section)
			}
		})
	}
	if all < 80 {
		t.Errorf("%d flags", all)
	}
	for _, r := range c.recipes {
		if !strings.Contains(b.String(), ".TP\n\\fB"+manpage.Roff(r.Name)+"\\fR\n") {
			t.Errorf("recipe %s is not there", r.Name)
		}
	}
	for _, formatter := range [][]string{
		{"groff", "-man", "-ww", "-z"},
		{"mandoc", "-Tlint", "-Wwarning"},
		{"man", "--warnings=w", "-l", "-"},
	} {
		if _, err := exec.LookPath(formatter[0]); err != nil {
			t.Log(err)
			continue
		}
		cmd := exec.CommandContext(t.Context(), formatter[0], formatter[1:]...)
		cmd.Stdin = strings.NewReader(b.String())
		cmd.Env = append(cmd.Environ(), "LC_ALL=C.UTF-8", "MANPAGER=cat")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		complaints := stderr.String()
		if formatter[0] == "mandoc" {
			complaints = ""
			for line := range strings.Lines(string(out)) {
				if !strings.Contains(line, "missing date") {
					complaints += line
				}
			}
		} else if err != nil {
			complaints += err.Error()
		}
		if complaints != "" {
			t.Errorf("%q: %s", formatter, complaints)
		}
	}
}
