// Package recipetest helps to test recipes. Check fails the test if a recipe breaks a rule for all
// recipes. Cook cooks one source. Explain returns the lines for "cook why".
package recipetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/parallel"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// Result is the result of cooking one source.
type Result struct {
	Outputs [][]byte // nil for an output that the recipe did not write
	Deps    []recipe.Dep
	Warned  []string
	Err     error
}

// Cook cooks the source at path in the tree with options c, which r.New returned. It expects as
// many outputs as c.Outputs names, or one output if c.Outputs returns nil. If the tree is an
// os.DirFS, dir is its directory, so that programs can read it. Otherwise dir is "".
func Cook(t testing.TB, r recipe.Recipe, c recipe.Cooker, tree fs.FS, dir, path string) Result {
	t.Helper()
	return CookContext(t.Context(), t, r, c, tree, dir, path)
}

// CookContext is like Cook but takes a context.
func CookContext(ctx context.Context, t testing.TB, r recipe.Recipe, c recipe.Cooker, tree fs.FS, dir, path string) Result {
	t.Helper()
	info, err := fs.Stat(tree, path)
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	files := make([]string, max(1, len(c.Outputs())))
	for i := range files {
		files[i] = filepath.Join(out, fmt.Sprint(i))
	}
	env := jobs.OfTree(r, tree, path)
	env.Outputs, env.Assets, env.Names = files, dir, outputNames(c, path)
	env.Create = func(i int) (*os.File, error) {
		return os.OpenFile(files[i], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	}
	env.Scratch = func() (string, error) { return os.MkdirTemp(out, "scratch") }
	env.Each = parallel.NewCores(4).Each // lets the race detector find data that calls of Job.Each share
	job := jobs.New(r, env, info.Size())

	res := Result{Outputs: make([][]byte, len(files))}
	res.Err = c.Cook(ctx, job)
	res.Deps, res.Warned = jobs.Deps(job), jobs.Warnings(job)
	checkAsked(t, r, c, path, res.Deps)
	for i, f := range files {
		if res.Outputs[i], err = os.ReadFile(f); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return res
}

// Explain returns the lines for "cook why", and the warnings, of the source at path in the tree.
// r.New returned the options c. It fails the test if r has no Traits.Explain or if Explain fails.
func Explain(t testing.TB, r recipe.Recipe, c recipe.Cooker, tree fs.FS, path string) (lines, warnings []string) {
	t.Helper()
	explain := traitsOf(r, c).Explain
	if explain == nil {
		t.Fatalf("recipe %s has no Traits.Explain", r.Name)
	}
	info, err := fs.Stat(tree, path)
	if err != nil {
		t.Fatal(err)
	}
	job := jobs.New(r, jobs.OfTree(r, tree, path), info.Size())
	if lines, err = explain(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	return lines, jobs.Warnings(job)
}

// outputNames returns the default paths of a source's outputs.
func outputNames(c recipe.Cooker, source string) []string {
	dir, name := path.Split(source)
	stem := strings.TrimSuffix(name, path.Ext(name))
	base, _ := pathname.SplitScale(stem)
	var list []string
	for _, text := range c.Outputs() {
		if !strings.Contains(text, "/") && !strings.Contains(text, "{path}") {
			text = "{dir}/" + text
		}
		text = strings.NewReplacer("{dir}", strings.TrimSuffix(dir, "/"), "{path}", source, "{name}", name,
			"{stem}", stem, "{base}", base, "{ext}", path.Ext(name)).Replace(text)
		if before, rest, ok := strings.Cut(text, "{ext:"); ok { // the source's extension if the list has it, otherwise the first extension of the list
			kept, after, _ := strings.Cut(rest, "}")
			exts := strings.Split(kept, ",")
			text = before + "." + exts[max(0, slices.Index(exts, strings.TrimPrefix(path.Ext(name), ".")))] + after
		}
		list = append(list, strings.TrimPrefix(text, "/"))
	}
	return list
}

// checkAsked fails the test if Cook and Traits.Asks call Job.ReadExtracts with different arguments.
func checkAsked(t testing.TB, r recipe.Recipe, c recipe.Cooker, path string, deps []recipe.Dep) {
	t.Helper()
	var asked []recipe.Dep
	if asks := traitsOf(r, c).Asks; asks != nil {
		job := jobs.New(r, jobs.Env{Path: path, Extract: func(recipe.Dependency) ([]recipe.Said, bool, error) { return nil, true, nil }}, 0)
		if err := asks(job); err != nil {
			t.Errorf("%s: Asks: %v", r.Name, err)
		}
		asked = jobs.Deps(job)
	}
	for _, d := range deps {
		if d.On.Kind == dependency.Extracts && !slices.ContainsFunc(asked, func(a recipe.Dep) bool { return a.On == d.On }) {
			t.Errorf("%s: the method Asks does not return %s", r.Name, pathname.Show(d.On.String()))
		}
	}
}

// Check fails the test if a recipe breaks a rule for all recipes. The recipe must be valid in a
// recipe set. Each option must have a line of documentation, and must affect the fingerprint unless
// its tag states why not. other has a different value for each option, in the form of
// recipeset.SetOption.
func Check(t testing.TB, r recipe.Recipe, other map[string]any) {
	t.Helper()
	if _, err := recipeset.New(r); err != nil {
		t.Error(err)
		return
	}
	for _, o := range recipeset.Options(r.New()) {
		if o.Doc == "" {
			t.Errorf("%s: option %s has no doc for cook help", r.Name, o.Key)
		}
		value, ok := other[o.Key]
		if !ok {
			t.Errorf("%s: no other value given for option %s", r.Name, o.Key)
			continue
		}
		c := r.New()
		if err := recipeset.SetOption(c, o.Key, value); err != nil {
			t.Errorf("%s: %v", r.Name, err)
			continue
		}
		changed := fmt.Sprint(recipeset.Fields(c)) != fmt.Sprint(recipeset.Fields(r.New()))
		if excused := o.Unkeyed != ""; changed == excused {
			t.Errorf("%s: option %s: changes the fingerprint: %v, excused: %v", r.Name, o.Key, changed, excused)
		}
	}
}

// traitsOf returns the traits of a cooker, or zero if the recipe has none.
func traitsOf(r recipe.Recipe, c recipe.Cooker) recipe.Traits {
	if r.Traits == nil {
		return recipe.Traits{}
	}
	return r.Traits(c)
}
