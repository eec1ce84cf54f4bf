package pass

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/changes"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/todo"
	"github.com/assetcook/assetcook/cook/recipe"
)

// joinRules cooks each list of names into the joined contents of the named files.
const joinRules = "[[rule]]\nmatch = \"*.list\"\nrecipe = \"join\"\n"

type join struct{}

func (*join) Outputs() []string { return []string{"{path}"} }

func (*join) Cook(ctx context.Context, j *recipe.Job) error {
	names, err := j.Source()
	if err != nil {
		return err
	}
	var all []byte
	for _, name := range strings.Fields(string(names)) {
		data, err := j.Read(name)
		if err != nil {
			return err
		}
		all = append(all, data...)
	}
	return j.Write(0, all)
}

// decided returns the decision about a source. It also reports whether the pass listed the whole
// tree to decide.
func (p *project) decided(source string, all bool) (what string, whole bool) {
	p.t.Helper()
	opt := p.Options
	opt.Mode.DryRun = true
	s, err := session.Open(opt, session.Look)
	if err != nil {
		p.t.Fatal(err)
	}
	defer s.Close()
	known, err := s.LoadIndex()
	if err != nil {
		p.t.Fatal(err)
	}
	defer known.Close()
	var d *changes.Delta
	var t *todo.Todo
	if all {
		if d, err = changes.ListTree(p.t.Context(), s, s.CheckedIndex(known.Index)); err == nil {
			t, err = planWork(p.t.Context(), s, d)
		}
	} else {
		d, t, err = Decide(p.t.Context(), s.Asking(session.Question{Source: source}), known.Index, nil)
	}
	if err != nil {
		return err.Error(), false
	}
	var b strings.Builder
	for i := range t.Plan.Actions {
		if a := &t.Plan.Actions[i]; a.Path == source {
			fmt.Fprintln(&b, a.Path, a.Target, a.Runs(), a.Reasons, a.Err, a.Outputs, a.Stale, a.Last != nil)
		}
	}
	return b.String(), d.Whole
}

// TestOneSource changes a tree in various ways. The decision about one source must equal the
// decision of a run over everything. Only some changes may require a full scan.
func TestOneSource(t *testing.T) {
	for what, tt := range map[string]struct {
		edit  func(p *project)
		whole bool
	}{
		"nothing":            {func(p *project) {}, false},
		"source edited":      {func(p *project) { p.write("m/a.list", "../b.bin ") }, false},
		"source touched":     {func(p *project) { p.write("m/a.list", "../b.bin") }, false},
		"source removed":     {func(p *project) { os.Remove(p.Place.Dir + "/m/a.list") }, false},
		"dependency edited":  {func(p *project) { p.write("b.bin", "4321") }, false},
		"dependency removed": {func(p *project) { os.Remove(p.Place.Dir + "/b.bin") }, false},
		"output edited":      {func(p *project) { os.WriteFile(p.out("m/a.list"), []byte("x"), 0o666) }, false},
		"output removed":     {func(p *project) { os.Remove(p.out("m/a.list")) }, false},
		"neighbor edited":    {func(p *project) { p.write("m/c.txt", "other") }, false},
		"neighbor added":     {func(p *project) { p.write("m/d.txt", "new") }, false},
		"rules above edited": {func(p *project) { p.write("cook.toml", "[[rule]]\nmatch = \"*.list\"\nrecipe = \"copy\"\n") }, false},
		"rules added beside": {func(p *project) { p.write("m/cook.toml", "[[rule]]\nmatch = \"*.list\"\nrecipe = \"copy\"\n") }, true},
		"rules elsewhere":    {func(p *project) { p.write("far/cook.toml", "[[rule]]\nmatch = \"*\"\nrecipe = \"zstd\"\n") }, false},
		"ignored":            {func(p *project) { p.write("m/.cookignore", "*.list\n") }, true},
		"directory moved":    {func(p *project) { os.Rename(p.Place.Dir+"/m", p.Place.Dir+"/n") }, false},
		"output taken over":  {func(p *project) { p.write("m/a.list/x.txt", "x") }, false},
	} {
		t.Run(what, func(t *testing.T) {
			p := newProject(t, map[string]string{"m/a.list": "../b.bin", "b.bin": "1234", "m/c.txt": "one", "far/e.txt": "two", "cook.toml": joinRules})
			p.Recipes = append(p.Recipes, recipe.Recipe{Name: "join", Version: 1, New: func() recipe.Cooker { return &join{} }})
			p.run()
			if got, whole := p.decided("m/a.list", false); whole || !strings.Contains(got, "unchanged") {
				t.Fatalf("at first: whole %t, %s", whole, got)
			}
			if what == "output taken over" {
				os.Remove(p.Place.Dir + "/m/a.list")
			}
			tt.edit(p)
			want, _ := p.decided("m/a.list", true)
			got, whole := p.decided("m/a.list", false)
			if got != want {
				t.Errorf("alone: %s\namong all: %s", got, want)
			}
			if whole != tt.whole {
				t.Errorf("full scan %t, want %t", whole, tt.whole)
			}
		})
	}
}

// Edited rules affect only the sources that they now cook differently. The pass does not list the
// tree for such an edit.
func TestEditedRules(t *testing.T) {
	needFolderStamps(t)
	for _, tt := range []struct {
		rules string
		want  string
		whole bool
	}{
		{joinRules + "# a comment\n", "cook/found 3, cook/skip/stamp 3", false},
		{"[[rule]]\nmatch = \"*.txt\"\nrecipe = \"zstd\"\n" + joinRules, "cook/found 3, cook/skip/stamp 1, cook/cook 2, cook/remove 2", false},
		{"[[rule]]\nmatch = \"*.list\"\nrecipe = \"copy\"\n", "cook/found 3, cook/skip/stamp 2, cook/cook 1, cook/checksum 1", false},
		{joinRules + "[[rule]]\nmatch = \"*.list\"\noutput = \"{path}.joined\"\n", "cook/found 3, cook/skip/stamp 2, cook/cook 1, cook/remove 1", false},
		{"", "cook/found 3, cook/skip/stamp 2, cook/cook 1", false},
	} {
		p := newProject(t, map[string]string{"m/a.list": "c.txt", "m/c.txt": "one", "far/e.txt": "two", "cook.toml": joinRules})
		p.Recipes = append(p.Recipes, recipe.Recipe{Name: "join", Version: 1, New: func() recipe.Cooker { return &join{} }})
		p.run()
		p.write("cook.toml", tt.rules)
		done := p.run()
		if got := counts(done); got != tt.want || done.Delta == nil != tt.whole {
			t.Errorf("%q: %s, want %s; full scan %t", tt.rules, got, tt.want, done.Delta == nil)
		}
		if got, want := counts(p.run()), "cook/found 3, cook/skip/stamp 3"; got != want {
			t.Errorf("%q: then %s, want %s", tt.rules, got, want)
		}
	}
}

// A run over part of the tree works on that part and does not list the tree. It leaves the rest to
// a later run, which is also incremental.
func TestPatternsAreIncremental(t *testing.T) {
	needFolderStamps(t)
	p := newProject(t, map[string]string{"a/1.txt": "one", "a/2.txt": "two", "b/3.txt": "three", "b/4.txt": "four"})
	p.run()
	p.write("a/1.txt", "other")
	p.write("a/new.txt", "new")
	p.write("b/3.txt", "changed")
	p.write("b/new.txt", "new")
	if err := os.Remove(p.Place.Dir + "/b/4.txt"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		patterns []string
		want     string
	}{
		{[]string{"a"}, "cook/found 3, cook/skip/stamp 1, cook/cook 2, cook/checksum 2"},
		{[]string{"a"}, "cook/found 3, cook/skip/stamp 3"},
		{nil, "cook/found 5, cook/skip/stamp 3, cook/cook 2, cook/remove 1, cook/checksum 2"},
		{nil, "cook/found 5, cook/skip/stamp 5"},
		{[]string{"b/3.txt"}, "cook/found 1, cook/skip/stamp 1"},
	} {
		p.Scope.Patterns = tt.patterns
		done := p.run()
		if got := counts(done); got != tt.want || done.Delta == nil {
			t.Errorf("%q: %s, want %s; full scan %t", tt.patterns, got, tt.want, done.Delta == nil)
		}
	}
}

// A run over part of the tree finds a source below a new symbolic link. Later runs still know the
// source.
func TestPatternUnderNewLink(t *testing.T) {
	p := newProject(t, map[string]string{"x/y/b.txt": "one"})
	p.run()
	if err := os.Mkdir(p.Place.Dir+"/y", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../x/y", p.Place.Dir+"/y/l"); err != nil {
		t.Skip(err)
	}
	for _, patterns := range [][]string{{"*.txt"}, nil, nil} {
		p.Scope.Patterns = patterns
		if n := p.run().Stats.Found.Assets; n != 2 || !exists(p.out("y/l/b.txt")) {
			t.Errorf("%q: %d assets, output there: %t", patterns, n, exists(p.out("y/l/b.txt")))
		}
	}
}
