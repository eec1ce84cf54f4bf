package execute

import (
	"context"
	"fmt"
	"time"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/confine"
)

// Conditions are what a recipe may see of its surroundings and must not depend on.
type Conditions struct {
	// Scratch is the folder in which the artifacts are made. Nothing else is in it at
	// the same time.
	Scratch *confine.Dir
	// Vars and Traced are as in recipe.Env.
	Vars   map[string]string
	Traced func()
	// Read is told what the recipe read, also if it failed; nil if that does not matter.
	Read func([]index.Dep)
	// Note is told what the recipe has to say of the machine; nil if that does not matter.
	Note func(string)
}

// Made is what cooking again gave.
type Made struct {
	Files     []string // of the scratch folder, in which the artifacts are
	Artifacts []store.Artifact
	Deps      []index.Dep
	CookTime  time.Duration
	Warnings  []string
	Steps     []Step // of the chain; the whole of what is none
}

// Again cooks actions once more without placing, storing or remembering what comes out.
// Its methods may be called by many goroutines, which keep to the memory budget
// together.
type Again struct{ *cooker }

// NewAgain prepares to cook again. Out and Store of env are not used.
func NewAgain(env Env) Again {
	c := newCooker(env)
	c.mode = 0o600 // private
	return Again{c}
}

// Cook cooks an action and passes what it made to look, before it removes that. The inputs
// are checked as in a run; if one has changed the error wraps ErrChanged.
func (g Again) Cook(ctx context.Context, a *plan.Action, c Conditions, look func(Made) error) error {
	defer g.Cores.Hold()()
	src := sourceOf(g.Assets, a, a.Source.Stamp.Size, nil)
	defer src.close()
	var serial int
	place := func(outputs []string) *scratch {
		serial++
		return scratchIn(c.Scratch, fmt.Sprint("made", serial), outputs)
	}
	var steps []Step
	note := func(_ context.Context, r ready) { steps = append(steps, Step{r.planned, stored(r.made), r.deps}) }
	r, err := g.cooker.cook(ctx, planned{Action: a}, attempt{scratch: place, again: &c, source: &src, keep: note, note: c.Note})
	if err != nil {
		return err
	}
	defer r.scratch.remove()
	if a.Method.Next == nil {
		note(ctx, r)
	}
	return look(Made{r.scratch.files, stored(r.made), r.deps, r.cookTime, r.warnings, steps})
}
