package cookone

import (
	"context"
	"fmt"
	"time"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/jobs"
)

// Conditions are properties of the environment that a recipe may see. Its result must not depend on
// them.
type Conditions struct {
	// Scratch is the directory for the artifacts. It must be empty.
	Scratch *confine.Dir
	// Vars and Traced are as in jobs.Env.
	Vars   map[string]string
	Traced func()
	// Read receives the dependencies of the recipe, even if the recipe failed. It may be nil.
	Read func([]index.Dep)
	// Note receives the lines that the recipe prints about the machine. It may be nil.
	Note func(string)
}

// Made is the result of cooking an action again.
type Made struct {
	Files     []string // names of the artifacts in the scratch directory
	Artifacts []store.Artifact
	Deps      []index.Dep
	CookTime  time.Duration
	Warnings  []string
	Facts     jobs.Facts
	Steps     []Step // the steps of a chain, or the action as the only step
}

// A Step is an action that was cooked again, or a step of its chain.
type Step struct {
	Task Task
	Made []store.Artifact
	Deps []index.Dep
}

// Again cooks actions again without results of earlier runs. It does not place or store artifacts.
// Its methods may be called concurrently. All calls share one memory budget.
type Again struct{ cooker *Cooker }

// NewAgain returns an Again for the given environment. It does not use env.Out.
func NewAgain(env Env) Again {
	const private = 0o600
	return Again{New(env, private, hashing.NewSummer(env.Checksum))}
}

// Cook cooks an action, calls look with the artifacts, and removes the artifacts. If an input
// changed while the recipe ran, the error wraps ErrChanged.
func (g Again) Cook(ctx context.Context, a *plan.Action, c Conditions, look func(Made) error) error {
	env := &g.cooker.env
	defer env.Cores.Hold()()
	src := NewSource(env.Assets, QuickReader{}, a, a.Source.Stamp.Size, nil)
	defer src.Close()
	var serial int
	scratch := func(outputs []string) *Scratch {
		serial++
		return newScratch(c.Scratch, fmt.Sprint("made", serial), outputs)
	}
	var steps []Step
	note := func(_ context.Context, r Ready) { steps = append(steps, Step{r.Task, Stored(r.Made), r.Deps}) }
	r, err := g.cooker.Cook(ctx, TaskOf(a), Attempt{Scratch: scratch, Again: &c, Source: &src, Steps: Steps{Keep: note}, Note: c.Note})
	if err != nil {
		return err
	}
	defer r.Scratch.Remove()
	if a.Method.Next == nil {
		note(ctx, r)
	}
	if err := g.cooker.Link(ctx, &r); err != nil {
		return err
	}
	return look(Made{r.Scratch.files, Stored(r.Made), r.Deps, r.CookTime, r.Warnings, r.Facts, steps})
}

// Cooker returns the cooker, for finding the dependencies of a step.
func (g Again) Cooker() *Cooker { return g.cooker }
