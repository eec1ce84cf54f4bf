// Package recipetest is for tests of recipes: Check proves what every recipe has to hold,
// Cook cooks one source.
package recipetest

import (
	"bytes"
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

	"github.com/bmatcuk/doublestar/v4"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/parallel"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Result is what cooking gave.
type Result struct {
	Outputs [][]byte // nil for an output that was not written
	Deps    []recipe.Dep
	Warned  []string
	Err     error
}

// Cook cooks the source at path of the tree with options c, which r.New made.
// Outputs are as many as c.Outputs says, or one if it leaves that to the rule.
// A tree that is an os.DirFS can be handed to programs as well: dir names its
// folder, "" otherwise.
func Cook(t testing.TB, r recipe.Recipe, c recipe.Cooker, tree fs.FS, dir, path string) Result {
	t.Helper()
	return CookContext(t.Context(), t, r, c, tree, dir, path)
}

// CookContext is Cook with a context of the test's own.
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
	env := Env(r, tree, path)
	env.Outputs, env.Assets, env.Names = files, dir, outputNames(c, path)
	env.Create = func(i int) (*os.File, error) {
		return os.OpenFile(files[i], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	}
	env.Scratch = func() (string, error) { return os.MkdirTemp(out, "scratch") }
	env.Each = parallel.NewCores(4).Each // so that the race detector sees what pieces share
	job := recipe.NewJob(env, info.Size())

	res := Result{Outputs: make([][]byte, len(files))}
	res.Err = c.Cook(ctx, job)
	res.Deps, res.Warned = job.Deps(), job.Warnings()
	checkAsked(t, r, c, path, res.Deps)
	for i, f := range files {
		if res.Outputs[i], err = os.ReadFile(f); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return res
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
		list = append(list, strings.TrimPrefix(text, "/"))
	}
	return list
}

// checkAsked proves that a cooker asks what its method Asks says.
func checkAsked(t testing.TB, r recipe.Recipe, c recipe.Cooker, path string, deps []recipe.Dep) {
	t.Helper()
	var asked []recipe.Dep
	if asks := traitsOf(r, c).Asks; asks != nil {
		job := recipe.NewJob(recipe.Env{Recipe: r, Path: path, Extract: func(recipe.Dependency) ([]recipe.Said, bool, error) { return nil, true, nil }}, 0)
		if err := asks(job); err != nil {
			t.Errorf("%s: Asks: %v", r.Name, err)
		}
		asked = job.Deps()
	}
	for _, d := range deps {
		if d.On.Kind == dependency.Extracts && !slices.ContainsFunc(asked, func(a recipe.Dep) bool { return a.On == d.On }) {
			t.Errorf("%s: %s is not asked by the method Asks", r.Name, pathname.Show(d.On.String()))
		}
	}
}

// Env returns what a job needs that reads a source of a tree, and what belongs to it, and
// writes nothing.
func Env(r recipe.Recipe, tree fs.FS, path string) recipe.Env {
	return recipe.Env{
		Recipe: r, Path: path, Open: tree.Open, Stat: func(p string) (fs.FileInfo, error) { return fs.Stat(tree, p) },
		List: func(listing recipe.Dependency) ([]string, bool, error) { return list(tree, listing) },
		IsLink: func(p string) (bool, error) {
			info, err := fs.Lstat(tree, p)
			if errors.Is(err, fs.ErrNotExist) {
				return false, nil
			}
			return err == nil && info.Mode()&fs.ModeSymlink != 0, err
		},
		Extract: func(of recipe.Dependency) ([]recipe.Said, bool, error) { return extract(r, tree, of) },
	}
}

// Check fails the test if a recipe breaks a rule that every recipe has to keep: it can be part
// of a set, and each option has a line of documentation and is either part of the fingerprint
// or excused by name. other has another value for each option, as recipe.SetOption takes it.
func Check(t testing.TB, r recipe.Recipe, other map[string]any) {
	t.Helper()
	if _, err := recipe.NewSet(r); err != nil {
		t.Error(err)
		return
	}
	for _, o := range recipe.Options(r.New()) {
		if o.Doc == "" {
			t.Errorf("%s: option %s has no doc for cook help", r.Name, o.Key)
		}
		value, ok := other[o.Key]
		if !ok {
			t.Errorf("%s: no other value given for option %s", r.Name, o.Key)
			continue
		}
		c := r.New()
		if err := recipe.SetOption(c, o.Key, value); err != nil {
			t.Errorf("%s: %v", r.Name, err)
			continue
		}
		changed := fmt.Sprint(recipe.Fields(c)) != fmt.Sprint(recipe.Fields(r.New()))
		if excused := o.Unkeyed != ""; changed == excused {
			t.Errorf("%s: option %s: changes the fingerprint: %v, excused: %v", r.Name, o.Key, changed, excused)
		}
	}
}

// traitsOf returns the traits of a cooker.
func traitsOf(r recipe.Recipe, c recipe.Cooker) recipe.Traits {
	if r.Traits == nil {
		return recipe.Traits{}
	}
	return r.Traits(c)
}

// list is recipe.Env.List of a tree.
func list(tree fs.FS, listing recipe.Dependency) (names []string, found bool, err error) {
	entries, err := fs.ReadDir(tree, listing.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	for _, e := range entries {
		if listing.Kind == dependency.Entries {
			names = append(names, e.Name()+"/"+e.Type().String())
			continue
		}
		hidden := strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(listing.Pattern, ".")
		if e.IsDir() == (listing.Kind == dependency.Folders) && !hidden && doublestar.MatchUnvalidated(listing.Pattern, e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, err == nil, err
}

// extract is recipe.Env.Extract of a tree.
func extract(r recipe.Recipe, tree fs.FS, of recipe.Dependency) (said []recipe.Said, found bool, err error) {
	set, err := recipe.NewSet(r)
	if err != nil {
		return nil, false, err
	}
	x, known := set.Extract(of.Function)
	if !known {
		return nil, false, fmt.Errorf("%s: not an extract of the recipe", of)
	}
	names := []string{path.Base(of.Path)}
	if of.Kind == dependency.Extracts {
		if names, found, err = list(tree, of); !found || err != nil {
			return nil, found, err
		}
	}
	for _, name := range names {
		file, err := fs.ReadFile(tree, of.OfOne(name).Path)
		if err != nil {
			return nil, false, ignoreAbsent(err)
		}
		says, err := x.Of(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return nil, false, err
		}
		if text := says.About(of.Subject); len(text) > 0 {
			said = append(said, recipe.Said{File: name, Text: text})
		}
	}
	return said, true, nil
}

func ignoreAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
