package cli

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/report/overview"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/recipeset"
	"github.com/assetcook/assetcook/recipes"
)

// TestDocsRecipes expects a page for each recipe, which lists the options of the recipe.
func TestDocsRecipes(t *testing.T) {
	set, err := recipeset.New(recipes.All()...)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, p := range pages(t) {
		name, ok := strings.CutPrefix(p.name, "docs/recipes/")
		if !ok {
			continue
		}
		r, ok := set.Lookup(strings.TrimSuffix(name, ".md"))
		if !ok {
			t.Errorf("%s is about no recipe", p.name)
			continue
		}
		found++
		p.generated(t, "options", optionsTable(r))
	}
	if found != len(set.Names()) {
		t.Errorf("%d recipes have a page; have %q", found, set.Names())
	}
}

// optionsTable returns the output of cook help for a recipe.
func optionsTable(r recipe.Recipe) string {
	var b strings.Builder
	c := r.New()
	cell := strings.NewReplacer("|", `\|`, "<", "&lt;").Replace
	outputs := "Outputs: the rule must name them.\n"
	if list := c.Outputs(); len(list) > 0 {
		outputs = "Outputs: `" + strings.Join(list, "`, `") + "`\n"
	}
	b.WriteString(outputs)
	options := recipeset.Options(c)
	if len(options) == 0 {
		b.WriteString("\nThis recipe has no options.\n")
		return b.String()
	}
	b.WriteString("\n| option | value | default | |\n|---|---|---|---|\n")
	for _, o := range options {
		fmt.Fprintf(&b, "| `%s` | %s | `%s` | %s |\n", o.Key, cell(o.Want), cell(o.Value(c)), cell(o.Doc))
	}
	return b.String()
}

// TestDocsDefaults compares the default extensions of recipes with their pages and with the table
// in docs/rules.md.
func TestDocsDefaults(t *testing.T) {
	extension := regexp.MustCompile("`(\\.[a-z0-9]+)`")
	inTable, onPages := map[string]string{}, map[string]string{}
	for _, p := range pages(t) {
		name, ofRecipe := strings.CutPrefix(p.name, "docs/recipes/")
		for line := range strings.Lines(p.text) {
			into, recipe := inTable, ""
			if ofRecipe && strings.HasPrefix(line, "Cooks by default: ") {
				into, recipe = onPages, strings.TrimSuffix(name, ".md")
			} else if m := regexp.MustCompile(`^\| .* \| \[([a-z]+)\]`).FindStringSubmatch(line); m != nil && p.name == "docs/rules.md" {
				recipe = m[1]
			} else {
				continue
			}
			for _, m := range extension.FindAllStringSubmatch(line, -1) {
				into[m[1]] = recipe
			}
		}
	}
	dir := t.TempDir()
	for ext := range onPages {
		if err := os.WriteFile(filepath.Join(dir, "a"+ext), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cooked := recipeOf{}
	project := cook.Project{Dir: dir, Out: filepath.Join(t.TempDir(), "out"), Cache: t.TempDir(), Recipes: recipes.All(), Engine: "own"}
	if _, err := cook.Cook(t.Context(), project, cook.CookOptions{DryRun: true, Observer: cooked}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]string(cooked), onPages); d != "" || len(cooked) < 10 {
		t.Errorf("what cooks, and what the recipes' pages say:\n%s", d)
	}
	if d := cmp.Diff(onPages, inTable); d != "" {
		t.Errorf("the recipes' pages, and docs/rules.md:\n%s", d)
	}
}

// recipeOf is an observer that records which recipe cooks each extension.
type recipeOf map[string]string

func (recipeOf) Stage(string)               {}
func (recipeOf) Planned(int, time.Duration) {}
func (recipeOf) Step(_, _, _ string)        {}
func (recipeOf) Reading(_, _ int, _ int64)  {}
func (recipeOf) Note(string)                {}
func (r recipeOf) Event(e cook.Event) {
	if e.Recipe != "" {
		r[filepath.Ext(e.Path)] = e.Recipe
	}
}

// TestDocsMessages expects that the program can print each message and reason quoted in
// docs/troubleshooting.md. In these quotes, "..." matches any text.
func TestDocsMessages(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "troubleshooting.md"))
	if err != nil {
		t.Fatal(err)
	}
	said := cmdline.WithFlags(strings.Join(slices.Concat(literals(t, "cook"), literals(t, "internal"), literals(t, "recipes")), "\x00"))
	messages := regexp.MustCompile("(?m)^### `(.+)`$").FindAllStringSubmatch(string(text), -1)
	reasons := regexp.MustCompile("(?m)^\\| `([^|]*)` \\| ").FindAllStringSubmatch(string(text), -1)
	if len(messages) < 15 || len(reasons) < 7 {
		t.Errorf("%d messages, %d rows of reasons", len(messages), len(reasons))
	}
	kinds := literals(t, "cook/internal/plan")
	for _, m := range reasons {
		for _, reason := range strings.Split(m[1], "`, `") {
			if !slices.Contains(kinds, reason) {
				t.Errorf("docs/troubleshooting.md: %q is no reason", reason)
			}
		}
	}
	for _, m := range messages {
		for _, part := range strings.Split(m[1], "...") {
			if !strings.Contains(said, strings.TrimSpace(part)) {
				t.Errorf("docs/troubleshooting.md: %q: the program does not print %q", m[1], part)
			}
		}
	}
}

// TestDocsFigures compares figures in pages with bench/results.
func TestDocsFigures(t *testing.T) {
	for _, f := range []struct{ page, says, file, has string }{
		{"README.md", "SuperTuxKart (5,249 source files, 1.4 GB of outputs)", "supertuxkart.md", "1,429 MB written"},
		{"README.md", "the first run takes 34 s", "supertuxkart.md", "| 33.8 s |"},
		{"README.md", "The next run, without changes, takes 0.06 s", "supertuxkart.md", "| 0.062 s |"},
		{"README.md", "takes 0.19 s, 16 % more", "nullrun.md", "| nothing changed, outputs one by one | cook | 192 ms | 367 ms | 26.8 MiB | **1.16x** (1.08-1.18) |"},
		{"docs/hashsum.md", "take 0.11 s, 1.5 times as fast as `xxhsum`", "hashsum.md", "| 0.110 | 0.169 | **1.55x** |"},
		{"docs/hashsum.md", "2.2 times as fast as `b3sum`", "hashsum.md", "| 0.127 | 0.287 | **2.24x** |"},
		{"ARCHITECTURE.md", "12,828 files and cases", "conformance.md", "| all |  | 12828 |"},
	} {
		for name, want := range map[string]string{f.page: f.says, "bench/results/" + f.file: f.has} {
			if text, err := os.ReadFile(filepath.Join(root, name)); err != nil || !strings.Contains(string(text), want) {
				t.Errorf("%s has no %q, %v; change it together with %q in %s", name, want, err, f.says, f.page)
			}
		}
	}
}

// literals returns the strings in the Go files below a directory, except in tests.
func literals(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(root, dir), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var s scanner.Scanner
		s.Init(token.NewFileSet().AddFile(name, -1, len(text)), text, nil, 0)
		for {
			switch _, tok, lit := s.Scan(); tok {
			case token.EOF:
				return nil
			case token.STRING:
				if value, err := strconv.Unquote(lit); err == nil {
					all = append(all, value)
				}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestDocsReport expects docs/report.md to describe the columns of all tables of a report.
func TestDocsReport(t *testing.T) {
	var b strings.Builder
	b.WriteString("| table | | columns |\n|---|---|---|\n")
	for _, table := range overview.New(overview.Input{}).Tables {
		var columns []string
		for _, c := range table.Columns {
			columns = append(columns, "`"+c.Key+"`")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", table.Key, table.Title, strings.Join(columns, ", "))
	}
	for _, p := range pages(t) {
		if p.name == "docs/report.md" {
			p.generated(t, "tables", b.String())
			return
		}
	}
	t.Error("there is no docs/report.md")
}
