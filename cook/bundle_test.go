package cook_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assetcook/assetcook/cook/recipe"
)

// A gatherer is a bundle whose source lists outputs, one name per line. It writes the first byte of
// each listed output.
type gatherer struct{}

var gathered struct {
	sync.Mutex
	times  map[string]int
	listed func() // called after the outputs to gather are listed; may be nil
}

func (*gatherer) Outputs() []string { return []string{"{dir}/{stem}.out"} }

func (*gatherer) Cook(_ context.Context, job *recipe.Job) error {
	source, err := job.Source()
	if err != nil {
		return err
	}
	var patterns []string
	for name := range strings.Lines(string(source)) {
		patterns = append(patterns, "/"+strings.TrimSpace(name))
	}
	assets, err := job.Artifacts(patterns...)
	if err != nil {
		return nil
	}
	gathered.Lock()
	gathered.times[job.Path()]++
	gathered.Unlock()
	if gathered.listed != nil {
		gathered.listed()
	}
	text := ""
	for _, a := range assets {
		for _, o := range a.Outputs {
			data, err := job.ReadArtifact(o.Path)
			if err != nil {
				return err
			}
			text += o.Path + ":" + string(data[:min(1, len(data))]) + " "
		}
	}
	return job.Write(0, []byte(text))
}

func gather() recipe.Recipe {
	return recipe.Recipe{Name: "gather", Version: 1, Bundles: true, UsesPath: true, Extensions: []string{".gather"}, New: func() recipe.Cooker { return &gatherer{} }}
}

// A graph is a random set of text files, and of bundles that take texts and other bundles.
type graph struct {
	*rand.Rand
	files map[string]string
	order []string // paths of the bundles; each bundle takes texts and earlier bundles
	seen  map[string]map[string]bool
}

const texts = 4

func newGraph(seed uint64) *graph {
	g := &graph{Rand: rand.New(rand.NewPCG(seed, 0)), files: map[string]string{}, seen: map[string]map[string]bool{}}
	for _, i := range g.Perm(4) {
		g.order = append(g.order, fmt.Sprintf("g%d.gather", i))
	}
	for range 12 {
		g.edit()
	}
	return g
}

func (g *graph) edit() string {
	if g.IntN(2) == 0 {
		path := fmt.Sprintf("t%d.txt", g.IntN(texts))
		if g.IntN(5) == 0 {
			delete(g.files, path)
		} else {
			g.files[path] = []string{"one", "other", "two", "three", ""}[g.IntN(5)]
		}
		return path
	}
	n := g.IntN(len(g.order))
	path := g.order[n]
	if g.IntN(5) == 0 {
		delete(g.files, path)
		return path
	}
	lines := map[string]bool{}
	for range 1 + g.IntN(4) {
		if n > 0 && g.IntN(2) == 0 {
			lines[output(g.order[g.IntN(n)])] = true
		} else {
			lines[fmt.Sprintf("t%d.txt", g.IntN(texts))] = true
		}
	}
	g.files[path] = strings.Join(slices.Sorted(maps.Keys(lines)), "\n")
	return path
}

func output(source string) string { return strings.Replace(source, ".gather", ".out", 1) }

// cook computes the expected outputs, and the bundles that a run must cook.
func (g *graph) cook() (outputs map[string]string, due []string) {
	outputs = map[string]string{}
	for path, text := range g.files {
		if strings.HasSuffix(path, ".txt") {
			outputs[path] = text
		}
	}
	for _, path := range g.order {
		source, there := g.files[path]
		if !there {
			continue
		}
		var takes []string
		for name := range strings.SplitSeq(source, "\n") {
			if _, there := outputs[name]; there {
				takes = append(takes, name)
			}
		}
		slices.Sort(takes)
		text, all := "", source
		for _, name := range takes {
			data := outputs[name]
			text += name + ":" + data[:min(1, len(data))] + " "
			all += fmt.Sprintf("\n%q %q", name, data)
		}
		if g.seen[path] == nil {
			g.seen[path] = map[string]bool{}
		}
		if !g.seen[path][all] {
			due = append(due, path)
		}
		g.seen[path][all] = true
		outputs[output(path)] = text
	}
	slices.Sort(due)
	return outputs, due
}

// TestBundlesAreCookedMinimally edits random graphs of bundles. It compares the outputs with a
// model, and expects each run to cook only the bundles with new inputs.
func TestBundlesAreCookedMinimally(t *testing.T) {
	for i := range scripts(5, 10) {
		seed := *seed + i
		p := newProject(t)
		p.run.Recipes = []recipe.Recipe{gather()}
		g := newGraph(seed)
		for path, text := range g.files {
			p.write(path, text)
		}
		for step := range 6 {
			var edits []string
			for range g.IntN(4) {
				path := g.edit()
				if text, there := g.files[path]; there {
					p.write(path, text)
				} else if err := os.Remove(p.asset(path)); err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Fatal(err)
				}
				edits = append(edits, path)
			}
			if g.IntN(4) == 0 {
				os.Remove(p.path("cooked/" + output(g.order[0])))
			}
			want, due := g.cook()
			gathered.times = map[string]int{}
			sum := p.cook()
			got := map[string]string{}
			for _, name := range slices.Concat(listFiles(t, p.run.Out, "*.txt"), listFiles(t, p.run.Out, "*.out")) {
				data, err := os.ReadFile(name)
				p.must(err)
				got[filepath.Base(name)] = string(data)
			}
			if !maps.Equal(got, want) || sum.Failed.Assets > 0 {
				t.Fatalf("seed %d, step %d, after edits of %q: %s\ngot  %q\nwant %q", seed, step, edits, sum.String(), got, want)
			}
			cooked := slices.Sorted(maps.Keys(gathered.times))
			if !slices.Equal(cooked, due) || slices.ContainsFunc(due, func(path string) bool { return gathered.times[path] != 1 }) {
				t.Fatalf("seed %d, step %d, after edits of %q: cooked %v, want each of %q once", seed, step, edits, gathered.times, due)
			}
			gathered.times = map[string]int{}
			if sum := p.cook(); len(gathered.times) > 0 || sum.UpToDate() != sum.Found.Assets {
				t.Fatalf("seed %d, step %d: once more: %s", seed, step, sum.String())
			}
		}
	}
}

func listFiles(t *testing.T, dir, pattern string) []string {
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestBundleProvesArtifacts changes an artifact before a bundle reads it, and expects the bundle to
// fail.
func TestBundleProvesArtifacts(t *testing.T) {
	p, rec := newProject(t), &recorder{}
	p.run.Recipes, p.run.Observer = []recipe.Recipe{gather()}, rec
	p.write("a.txt", "first")
	p.write("b.gather", "a.txt")
	gathered.times = map[string]int{}
	gathered.listed = func() { p.must(os.WriteFile(p.path("cooked/a.txt"), []byte("other"), 0o666)) }
	defer func() { gathered.listed = nil }()
	p.cook()
	if got := rec.failure("b.gather"); got != "artifact a.txt was changed since it was cooked; cook again ignoring timestamps" {
		t.Errorf("failed with %q", got)
	}
	gathered.listed = nil
	if p.cookAll(); !strings.HasSuffix(p.outputs()["b.out"], " a.txt:f ") {
		t.Errorf("%q", p.outputs()["b.out"])
	}
}
