package run

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/store"
	"github.com/assetcook/assetcook/cook/survey"
	"github.com/assetcook/assetcook/internal/pathname"
)

// known is a result that need not be cooked to be known.
type known struct {
	deps     []index.Dep
	made     []store.Artifact
	cookTime time.Duration
	warnings []string
}

// odd returns an error for what a recipe warned of if the run is strict.
func (r *runner) odd(warnings []string) error {
	if r.Strict && len(warnings) > 0 {
		return errors.New(strings.Join(warnings, "; "))
	}
	return nil
}

// do brings one action up to date.
func (r *worker) do(ctx context.Context, a *plan.Action) Result {
	res, err := r.produce(ctx, a)
	if err == nil {
		return res
	}
	row := index.Action{Path: a.Path, Target: a.Target, State: index.Failed, ID: a.ID, Source: a.Source.Blob}
	if a.Last != nil {
		row.CookTime = a.Last.CookTime
		row.Made = a.Last.Made
	}
	if ctx.Err() == nil {
		row.Made = r.stillGood(a)
		err = errors.Join(err, r.removeStale(a, row.Made))
	}
	return Result{Outcome: Failed, Row: row, Err: err}
}

func (r *worker) produce(ctx context.Context, a *plan.Action) (Result, error) {
	forced := slices.ContainsFunc(a.Reasons, func(re plan.Reason) bool { return re.Kind == plan.Forced })
	if forced {
		return r.cook(ctx, a, nil)
	}
	// The second of two equal files waits for the first one's result.
	defer r.exclusive(a.ID)()
	k := r.lookUp(ctx, a)
	if k == nil {
		return r.cook(ctx, a, nil)
	}
	if err := r.odd(k.warnings); err != nil {
		return Result{}, err
	}
	made, err := r.bringBack(ctx, a, k)
	switch {
	case err == nil:
		return Result{
			Outcome: r.outcome(a, k.made, Restored), Row: done(a, k.cookTime, k.deps, made, k.warnings), Warnings: k.warnings,
		}, nil
	case errors.Is(err, errNotAtHand):
		return r.cook(ctx, a, k)
	}
	return Result{}, err
}

// outcome is Cutoff instead of what otherwise holds if an input changed and
// the artifacts are what they were.
func (r *runner) outcome(a *plan.Action, made []store.Artifact, otherwise Outcome) Outcome {
	if a.Last == nil || a.Last.State != index.Done || len(made) != len(a.LastMade) {
		return otherwise
	}
	changed := false
	for _, re := range a.Reasons {
		switch re.Kind {
		case plan.SourceChanged, plan.DependencyChanged:
			changed = true
		case plan.Forced, plan.MovedFrom:
			return otherwise
		}
	}
	for i, o := range a.LastMade {
		if o.State != survey.Intact || o.Artifact.Path != a.Outputs[i] || o.Artifact.Blob != made[i].Blob {
			return otherwise
		}
	}
	if changed {
		return Cutoff
	}
	return otherwise
}

// lookUp finds the action's result without cooking: in the index if only the
// artifacts were lost or moved, else in the store, which alone has the text of
// warnings.
func (r *worker) lookUp(ctx context.Context, a *plan.Action) *known {
	switch {
	case a.Moved != nil && !a.Moved.From.Warned:
		return fromRow(&a.Moved.From, r.relocate(ctx, a.Path, a.Moved.From.Deps))
	case a.Last != nil && a.Last.State == index.Done && !a.Stale && !a.Last.Warned && len(a.Last.Made) == len(a.Outputs):
		return fromRow(a.Last, a.Last.Deps)
	case r.Store == nil:
		return nil
	}
	defer r.probe.Begin("cook/run/look_up", "").End()
	sets, err := r.Store.ReadSets(a.ID)
	if err != nil {
		r.warn(err)
	}
	// Most recipes read nothing but their source. They have no read set on
	// record, and the empty one is theirs.
	for _, set := range append(sets, nil) {
		deps, ok := r.digest(ctx, a.Path, set)
		if !ok {
			continue
		}
		result, err := r.Store.Result(plan.ResultID(a.ID, deps))
		if err == nil && len(result.Artifacts) == len(a.Outputs) {
			return &known{deps: deps, made: result.Artifacts, cookTime: result.CookTime, warnings: result.Warnings}
		}
		if err != nil && !errors.Is(err, store.ErrMissing) {
			r.warn(err)
		}
	}
	return nil
}

func fromRow(row *index.Action, deps []index.Dep) *known {
	k := &known{deps: deps, cookTime: row.CookTime}
	for _, m := range row.Made {
		k.made = append(k.made, store.Artifact{Blob: m.Blob, Size: m.Stamp.Size})
	}
	return k
}

// relocate gives dependencies the paths that their names have from a new place.
func (r *runner) relocate(ctx context.Context, source string, deps []index.Dep) []index.Dep {
	names := make(store.ReadSet, len(deps))
	for i, d := range deps {
		names[i] = d.Name
	}
	moved, _ := r.digest(ctx, source, names) // plan has seen that all resolve
	return moved
}

// digest finds the content behind names as the file at source means them.
func (r *runner) digest(ctx context.Context, source string, names store.ReadSet) ([]index.Dep, bool) {
	var deps []index.Dep
	for _, name := range names {
		at, err := recipe.Resolve(source, name)
		if err != nil {
			return nil, false
		}
		f := r.Survey.At(ctx, at)
		if f.How == survey.Unreadable {
			return nil, false
		}
		deps = append(deps, plan.Dependency(name, at, f))
	}
	return deps, true
}

// foretell says what do would do.
func (r *worker) foretell(ctx context.Context, a *plan.Action) Result {
	forced := slices.ContainsFunc(a.Reasons, func(re plan.Reason) bool { return re.Kind == plan.Forced })
	if k := r.lookUp(ctx, a); k != nil && !forced && r.atHand(a, k) {
		return Result{
			Outcome: r.outcome(a, k.made, Restored), Row: index.Action{CookTime: k.cookTime},
			Warnings: k.warnings, Err: r.odd(k.warnings),
		}
	}
	if !r.first(a.ID) && !forced && r.Store != nil {
		return Result{Outcome: Restored} // from the result of an equal file
	}
	return Result{Outcome: Cooked}
}

// first reports whether no other action of that ID was foretold to be cooked.
func (r *runner) first(id store.ActionID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, another := r.ids[id]
	r.ids[id] = nil
	return !another
}

// atHand reports whether bringBack would find a known result's content.
func (r *runner) atHand(a *plan.Action, k *known) bool {
	if a.Moved != nil || a.Method.Recipe.Cheap {
		return true
	}
	for _, m := range k.made {
		if r.Store == nil || !r.Store.HasBlob(m.Blob, m.Size) {
			return false
		}
	}
	return true
}

// inOurWords names outputs in an error's text as the user does, not as the
// scratch files that they are still.
func (r *runner) inOurWords(err error, tmp *scratch, outputs []string) error {
	pairs := []string{r.Assets.Name() + string(os.PathSeparator), ""}
	for i, name := range tmp.abs() {
		output := "output " + pathname.Show(outputs[i])
		pairs = append(pairs, name, output, tmp.files[i], output)
	}
	return &reworded{strings.NewReplacer(pairs...).Replace(err.Error()), err}
}

type reworded struct {
	text string
	err  error
}

func (e *reworded) Error() string { return e.text }
func (e *reworded) Unwrap() error { return e.err }

// warn says once that the store is in trouble.
func (r *runner) warn(err error) {
	r.warnOnce.Do(func() {
		r.reportMu.Lock()
		defer r.reportMu.Unlock()
		r.Warn("store: " + strings.TrimPrefix(err.Error(), "store: "))
	})
}
