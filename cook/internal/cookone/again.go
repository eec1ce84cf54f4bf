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
)

// Conditions are surroundings that a recipe may see, and must not depend on.
type Conditions struct {
	// Scratch is the directory for the artifacts. It has no other files at the same time.
	Scratch *confine.Dir
	// Vars and Traced are as in jobs.Env.
	Vars   map[string]string
	Traced func()
	// Read gets the dependencies of the recipe, even if it failed; may be nil.
	Read func([]index.Dep)
	// Note gets a line of the recipe about the machine; may be nil.
	Note func(string)
}

// Made is the result of cooking an action again.
type Made struct {
	Files     []string // artifacts, in the scratch directory
	Artifacts []store.Artifact
	Deps      []index.Dep
	CookTime  time.Duration
	Warnings  []string
	Steps     []Step // steps of a chain, or the whole action
}

// A Step is an action that was cooked again, or a step of its chain.
type Step struct {
	Task Task
	Made []store.Artifact
	Deps []index.Dep
}

// Again cooks actions once more. It uses nothing that earlier runs made, and neither places
// nor keeps the artifacts. Its methods may be called by many goroutines, which share the
// memory budget.
type Again struct{ cooker *Cooker }

// NewAgain prepares to cook again. It does not use Out of env.
func NewAgain(env Env) Again {
	const private = 0o600
	return Again{New(env, private, hashing.NewSummer(env.Checksum))}
}

// Cook cooks an action, calls look with the artifacts, and removes them. It checks the
// inputs as a run does: if an input changed, the error wraps ErrChanged.
func (g Again) Cook(ctx context.Context, a *plan.Action, c Conditions, look func(Made) error) error {
	env := &g.cooker.env
	defer env.Cores.Hold()()
	src := NewSource(env.Assets, a, a.Source.Stamp.Size, nil)
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
	return look(Made{r.Scratch.files, Stored(r.Made), r.Deps, r.CookTime, r.Warnings, steps})
}

// Cooker returns the cooker, to find the dependencies of a step.
func (g Again) Cooker() *Cooker { return g.cooker }
