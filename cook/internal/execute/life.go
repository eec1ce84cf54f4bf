package execute

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/dependency"
)

// planned is an action that has work to do.
type planned struct {
	*plan.Action
	chain *chain // of which it is a step, nil for none
	// open are the artifacts that were still to be made when its result was looked for. Its
	// recipe cannot have them, even if they are made by now: it is to begin again, as its
	// result may be found then.
	open []*waitError
}

// waitsFor returns the one of a.open that a dependency is on, nil for none.
func (a planned) waitsFor(on dependency.Dependency) error {
	for _, wait := range a.open {
		if wait.question == on {
			return wait
		}
	}
	return nil
}

// known is an action whose result was made before: it need not be cooked to be known.
type known struct {
	planned
	deps     []index.Dep
	made     []store.Artifact
	cookTime time.Duration
	warnings []string
	origin   store.Origin
	shared   bool         // the server knew it, and the store does not
	asks     []remote.Key // of what is not known: the server is to be asked for them
}

// ready is an action all of whose artifacts are complete: as scratch files, or in place
// already.
type ready struct {
	planned
	scratch  *scratch
	made     []index.Artifact
	inPlace  []bool // nil for none
	deps     []index.Dep
	cookTime time.Duration
	warnings []string // of the recipe, about the source
	kept     bool     // its result is in the store
}

// placed is an action whose artifacts are where they belong.
type placed struct {
	planned
	made     []index.Artifact
	deps     []index.Dep
	cookTime time.Duration
	warnings []string
}

// bringUpToDate leads an action from planned to its end. The lines are the recipe's
// warnings.
func (w *worker) bringUpToDate(ctx context.Context, a planned) (Result, []string) {
	done, outcome, err := w.live(ctx, a)
	var wait *waitError
	switch {
	case errors.As(err, &wait): // nothing is known yet
		return Result{Err: err}, nil
	case err != nil && w.isBeingSaved(ctx, a):
		return Result{Outcome: NotReached}, nil
	case err != nil:
		return w.fail(ctx, a, err), nil
	}
	return Result{
		Outcome: outcome, State: index.Done, Warned: len(done.warnings) > 0,
		CookTime: done.cookTime, Deps: done.deps, Made: done.made,
	}, done.warnings
}

func (w *worker) live(ctx context.Context, a planned) (placed, Outcome, error) {
	if a.Held() {
		deps, err := w.checkInputs(ctx, a, nil, &watch{}, w.probe)
		return placed{planned: a, deps: deps}, NotShipped, err
	}
	if a.forced() {
		return w.cookAndPlace(ctx, a, nil)
	}
	if a.inStore(w.Store) {
		defer w.exclusive(a.ID)() // the second of two equal files waits for the first one's result
	}
	done, outcome, err := w.restoreOrCook(ctx, a)
	if errors.Is(err, errArrived) {
		return w.restoreOrCook(ctx, a)
	}
	return done, outcome, err
}

func (w *worker) restoreOrCook(ctx context.Context, a planned) (placed, Outcome, error) {
	k, ok := w.lookUp(ctx, a)
	if len(k.asks) > 0 {
		return placed{}, "", &waitError{keys: k.asks}
	}
	if !ok {
		return w.cookAndPlace(ctx, k.planned, nil)
	}
	if err := w.strictly(k.warnings); err != nil {
		return placed{}, "", err
	}
	r, err := w.fetch(ctx, k)
	if errors.Is(err, errNotAtHand) {
		return w.cookAndPlace(ctx, a, &k)
	}
	if err != nil {
		return placed{}, "", err
	}
	defer r.scratch.remove()
	done, err := w.placeOutputs(r)
	return done, a.outcome(k.made, Restored), err
}

// cookAndPlace is the way of what has to be cooked. If the result is known but its
// content is not at hand, and it comes out the same, then it was restored by cooking.
func (w *worker) cookAndPlace(ctx context.Context, a planned, k *known) (placed, Outcome, error) {
	r, err := w.cookUnlessArrived(ctx, a)
	if err != nil {
		return placed{}, "", err
	}
	defer r.scratch.remove()
	made := stored(r.made)
	w.keep(ctx, r)
	if err := w.strictly(r.warnings); err != nil {
		return placed{}, "", err
	}
	outcome := Cooked
	if k != nil && a.Method.Cheap() && slices.Equal(k.made, made) {
		outcome = Restored
	}
	done, err := w.placeOutputs(r)
	return done, a.outcome(made, outcome), err
}

// strictly returns an error for what a recipe warned of if the run is strict.
func (r *runner) strictly(warnings []string) error {
	if r.Strict && len(warnings) > 0 {
		return errors.New(strings.Join(warnings, "; "))
	}
	return nil
}

// isBeingSaved reports whether to ignore a new failure of an action, because its source or a file
// that it read last time has changed since the run looked at it.
func (w *worker) isBeingSaved(ctx context.Context, a planned) bool {
	if w.Hesitate == nil || a.Last == nil || a.Last.State != index.Done {
		return false
	}
	w.Hesitate()
	if ctx.Err() != nil || errors.Is(w.recheckSource(ctx, a), ErrChanged) {
		return true
	}
	return slices.ContainsFunc(a.Last.Deps, func(d index.Dep) bool {
		switch f := w.Contents.At(ctx, d.On); {
		case f.Known():
			return errors.Is(w.recheck(ctx, d.On.Seen(), f), ErrChanged)
		case d.On.Seen().Kind != dependency.File:
			return false
		}
		_, err := w.Assets.Stat(d.On.Path)
		return err == nil
	})
}

// fail ends an action that could not be brought up to date.
func (w *worker) fail(ctx context.Context, a planned, err error) Result {
	res := Result{Outcome: Failed, State: index.Failed}
	if a.Last != nil {
		res.CookTime, res.Made = a.Last.CookTime, a.Last.Made
	}
	if ctx.Err() == nil {
		res.Made = w.stillGood(a)
		err = errors.Join(err, w.removeStale(a, res.Made))
	}
	res.Err = err
	return res
}

// foretell predicts the result of bringUpToDate as far as possible without cooking. It reports each
// of several equal actions as cooked: whether one can use the result of another depends on the
// files that the recipe reads, and on whether it fails.
func (w *worker) foretell(ctx context.Context, a planned) (Result, []string) {
	if a.Held() {
		return Result{Outcome: NotShipped}, nil
	}
	if !a.forced() {
		if k, ok := w.lookUp(ctx, a); ok && w.atHand(k) {
			err := errors.Join(w.strictly(k.warnings), w.foretellPlace(a, k.made))
			return Result{Outcome: a.outcome(k.made, Restored), CookTime: k.cookTime, Err: err}, k.warnings
		}
	}
	return Result{Outcome: Cooked, Err: w.foretellPlace(a, nil)}, nil
}

// inStore reports whether the action's result is kept in a store, nil for none.
func (a planned) inStore(s *store.Store) bool { return s != nil && !a.Method.Cheap() }

func (a planned) forced() bool {
	return slices.ContainsFunc(a.Reasons, func(r plan.Reason) bool { return r.Kind == plan.Forced })
}

// outcome is Unchanged instead of another one if an input changed and the artifacts
// did not.
func (a planned) outcome(made []store.Artifact, otherwise Outcome) Outcome {
	if a.Last == nil || a.Last.State != index.Done || len(made) != len(a.Last.Outputs) {
		return otherwise
	}
	changed := false
	for _, r := range a.Reasons {
		switch r.Kind {
		case plan.SourceChanged, plan.DependencyChanged, plan.ArtifactsChanged:
			changed = true
		case plan.Forced, plan.MovedFrom:
			return otherwise
		}
	}
	for i, o := range a.Last.Outputs {
		if o.State != contents.Intact || o.Artifact.Path != a.Outputs[i] || o.Artifact.Blob != made[i].Blob {
			return otherwise
		}
	}
	if changed {
		return Unchanged
	}
	return otherwise
}

// stored is how the store names artifacts.
func stored(made []index.Artifact) []store.Artifact {
	list := make([]store.Artifact, len(made))
	for i, m := range made {
		list[i] = store.Artifact{Blob: m.Blob, Size: m.Stamp.Size}
	}
	return list
}
