package cook_test

import (
	"context"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
)

// A namer reads the name of another source, and writes the output names of that source.
type namer struct {
	Cooked string `toml:"cooked" doc:"rules for named files"`
}

func (*namer) Outputs() []string { return []string{"{stem}.out"} }

func (*namer) Cook(_ context.Context, job *recipe.Job) error {
	source, err := job.Source()
	if err != nil {
		return err
	}
	_, _, made := job.Followed(string(source))
	return job.Write(0, []byte("names "+strings.Join(made, " ")))
}

func namers() recipe.Recipe {
	return recipe.Recipe{
		Name: "namer", Version: 1, UsesPath: true, Extensions: []string{".name"},
		New:    func() recipe.Cooker { return &namer{} },
		Follow: &recipe.Follow{Recipe: "namer", Option: "cooked"},
	}
}

// errorsSeen is an observer that records the error of each failed asset.
type errorsSeen struct {
	outcomes
	errs map[string]string
}

func (e *errorsSeen) Event(ev cook.Event) {
	if ev.Outcome == cook.Failed {
		e.errs[ev.Path] = ev.Err.Error()
	}
}

// TestNamesWithHashesInACircleAreErrors makes assets whose hashed names depend on each other. They
// must fail, as must assets that name their outputs. Without the cycle, all assets must be cooked.
func TestNamesWithHashesInACircleAreErrors(t *testing.T) {
	p, seen := newProject(t), map[string]string{}
	p.run.Recipes, p.run.Observer = []recipe.Recipe{namers()}, &errorsSeen{errs: seen}
	p.write("cook.toml", "[[rule]]\nmatch = \"*.name\"\noutputs = [\"{stem}.{hash}.out\"]\n")
	for name, text := range map[string]string{
		"a.name": "b.name", "b.name": "c.name", "c.name": "a.name", "outside.name": "a.name", "free.name": "end.name", "end.name": "nothing",
	} {
		p.write(name, text)
	}
	const circle, lost = "{hash}.out contain output names of each other; remove {hash}", "could not be cooked"
	for _, round := range []string{"first", "again"} {
		clear(seen)
		p.cook()
		circles := 0
		for _, name := range []string{"a.name", "b.name", "c.name", "outside.name"} {
			if !strings.Contains(seen[name], circle) && !strings.Contains(seen[name], lost) {
				t.Errorf("%s: %s: error %q", round, name, seen[name])
			}
			circles += strings.Count(seen[name], circle)
		}
		if len(seen) != 4 || circles == 0 {
			t.Errorf("%s: %v", round, seen)
		}
	}
	p.write("c.name", "end.name")
	clear(seen)
	if sum := p.cook(); sum.Failed.Assets > 0 || sum.Cooked.Assets+sum.Restored.Assets < 4 {
		t.Errorf("%s, %v", sum.String(), seen)
	}
}
