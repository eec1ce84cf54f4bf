package execute

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/assetcook/assetcook/cook/internal/artifacts"
	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/lookup"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/broker"
	"github.com/assetcook/assetcook/cook/internal/store"
)

// bringUpToDate restores or cooks an action that needs work, and returns its result. It also
// returns the warnings of the recipe, one line each.
func (w *worker) bringUpToDate(ctx context.Context, i int, t cookone.Task) (Result, []string) {
	r, outcome, err := w.live(ctx, i, t)
	switch {
	case pauseOf(t.Action, err) != nil:
		return Result{Err: err}, nil
	case err != nil && w.isBeingSaved(ctx, t):
		return Result{Outcome: NotReached}, nil
	case err != nil:
		return w.run.failedResult(ctx, t.Action, err), nil
	}
	return Result{
		Outcome: outcome, State: index.Done, Warned: len(r.Warnings) > 0,
		CookTime: r.CookTime, Deps: r.Deps, Made: r.Made, origin: otherMachine(r.Origin),
	}, r.Warnings
}

// otherMachine returns the origin of a result, or nil if this machine cooked the result.
func otherMachine(o store.Origin) *store.Origin {
	if o.IsZero() {
		return nil
	}
	there := o // only a result of another machine allocates memory
	return &there
}

// live restores or cooks an action, and places its artifacts in the output directory.
func (w *worker) live(ctx context.Context, i int, t cookone.Task) (cookone.Ready, Outcome, error) {
	a := t.Action
	if u := w.run.results[i].unlinked; u != nil {
		u.ready.Scratch.ReadBy(w.quick.Sums) // another worker may have made the files
		return w.linkAndPlace(ctx, i, *u)
	}
	if a.Held() {
		deps, err := w.run.cooker.CheckHeld(ctx, t, w.probe)
		return cookone.Ready{Task: t, Deps: deps}, NotShipped, err
	}
	if a.IsForced() {
		return w.cookAndPlace(ctx, i, t, nil)
	}
	defer w.runExclusively(t)() // equal actions run one after the other
	r, outcome, err := w.restoreOrCook(ctx, i, t)
	if errors.Is(err, broker.ErrArrived) {
		return w.restoreOrCook(ctx, i, t)
	}
	return r, outcome, err
}

// restoreOrCook restores an action if its result is known, and otherwise cooks it.
func (w *worker) restoreOrCook(ctx context.Context, i int, t cookone.Task) (cookone.Ready, Outcome, error) {
	k, ok := w.run.finder.Find(ctx, t, w.probe)
	if len(k.Unasked) > 0 {
		return cookone.Ready{}, "", &unansweredError{k.Unasked}
	}
	if !ok {
		return w.cookAndPlace(ctx, i, k.Task, nil)
	}
	if err := w.run.strictly(k.Warnings); err != nil {
		return cookone.Ready{}, "", err
	}
	r, err := w.fetchArtifacts(ctx, k)
	if lookup.IsNotAtHand(err) {
		return w.cookAndPlace(ctx, i, t, &k)
	}
	if err != nil {
		return cookone.Ready{}, "", err
	}
	return w.linkAndPlace(ctx, i, unlinked{r, Restored})
}

// An unlinked task has made all of its artifacts, but they still contain planned names. The field
// otherwise is the outcome if the artifacts differ from the last run.
type unlinked struct {
	ready     cookone.Ready
	otherwise Outcome
}

// linkAndPlace writes final names into the artifacts of an action and places them. If a named
// artifact has not been made yet, it keeps the task until the action begins again.
func (w *worker) linkAndPlace(ctx context.Context, i int, u unlinked) (cookone.Ready, Outcome, error) {
	r := &u.ready
	err := w.run.cooker.Link(ctx, r)
	if pauseOf(r.Task.Action, err) != nil {
		kept := u // only a pause allocates memory
		w.run.results[i].unlinked = &kept
		return cookone.Ready{}, "", err
	}
	defer r.Scratch.Remove()
	if err != nil {
		return cookone.Ready{}, "", err
	}
	err = w.run.outputs.Place(*r, &w.placing, w.probe)
	outcome := u.otherwise
	if r.Task.Action.Last != nil {
		outcome = outcomeOfResult(r.Task.Action, cookone.Stored(r.Made), outcome)
	}
	return *r, outcome, err
}

// cookAndPlace cooks an action and places its artifacts. k is nil, or a known result whose content
// is not available. If a cheap recipe produces the artifacts recorded in k, the outcome is
// Restored.
func (w *worker) cookAndPlace(ctx context.Context, i int, t cookone.Task, k *lookup.Known) (cookone.Ready, Outcome, error) {
	cook := func(ctx context.Context) (cookone.Ready, error) { return w.site.cook(ctx, w, t) }
	var r cookone.Ready
	var err error
	if w.run.remote != nil {
		r, err = w.run.remote.Race(ctx, i, t.Action, cook)
	} else {
		r, err = cook(ctx)
	}
	if err != nil {
		return cookone.Ready{}, "", err
	}
	w.keepResult(ctx, r)
	if err := w.run.strictly(r.Warnings); err != nil {
		r.Scratch.Remove()
		return cookone.Ready{}, "", err
	}
	outcome := Cooked
	if k != nil && t.Action.Method.Choice.Cheap() && slices.Equal(k.Made, cookone.Stored(r.Made)) {
		outcome = Restored
	}
	return w.linkAndPlace(ctx, i, unlinked{r, outcome})
}

// cookHere cooks a task on this machine.
func (w *worker) cookHere(ctx context.Context, t cookone.Task) (cookone.Ready, error) {
	r := w.run
	how := cookone.Attempt{
		Scratch: func(outputs []string) *cookone.Scratch { return r.outputs.NewScratch(outputs, w.quick.Sums) },
		Source:  &w.source, Probe: w.probe, Holdings: w.holdings, Times: &w.times, Note: r.reports.noteAtEnd, Grew: r.reports.growth.addGrowth,
		Steps: cookone.Steps{Keep: w.keepResult},
	}
	if t.Action.IsForced() {
		how.Again = &cookone.Conditions{}
	} else {
		how.Steps.Known, how.Steps.Exclusive = w.knownStep, w.runExclusively
	}
	if r.opt.Step != nil {
		how.Step = func(name string) { r.reports.showStep(t.Action, name) }
	}
	return r.cooker.Cook(ctx, t, how)
}

// knownStep returns the known result of one step of a chain. If there is none, the returned result
// contains only the task of the step.
func (w *worker) knownStep(ctx context.Context, t cookone.Task) (cookone.Ready, bool) {
	k, ok := w.run.finder.Find(ctx, t, w.probe)
	if !ok {
		return cookone.Ready{Task: k.Task}, false
	}
	r, err := w.fetchArtifacts(ctx, k)
	if err != nil {
		return cookone.Ready{Task: t}, false
	}
	return r, true
}

// fetchArtifacts writes the artifacts of a known result to scratch files.
func (w *worker) fetchArtifacts(ctx context.Context, k lookup.Known) (cookone.Ready, error) {
	return w.run.finder.Fetch(ctx, k, w.quick.Sums, w.probe)
}

// keepResult saves a result in the store, and on the server if there is one.
func (w *worker) keepResult(ctx context.Context, r cookone.Ready) {
	if w.run.finder.Keep(ctx, r, w.probe) && w.run.remote != nil {
		w.run.remote.Keep(r)
	}
}

// isBeingSaved reports whether a new failure of an action can be ignored: its source, or a file
// that it read in the last run, has changed since this run examined it.
func (w *worker) isBeingSaved(ctx context.Context, t cookone.Task) bool {
	last := t.Action.Last
	if w.run.opt.Hesitate == nil || last == nil || last.State != index.Done {
		return false
	}
	w.run.opt.Hesitate()
	return ctx.Err() != nil || w.run.cooker.InputsChanged(ctx, t)
}

// foretellWork predicts the result of bringUpToDate without cooking. If several actions are equal,
// it reports each of them as cooked, because only cooking shows whether they share a result.
func (w *worker) foretellWork(ctx context.Context, t cookone.Task) (Result, []string) {
	a, r := t.Action, w.run
	if a.Held() {
		return Result{Outcome: NotShipped}, nil
	}
	if !a.IsForced() {
		if k, ok := r.finder.Find(ctx, t, w.probe); ok && r.finder.AtHand(k) {
			err := errors.Join(cookone.ResolveNames(ctx, r.env.Contents, k.Deps), r.strictly(k.Warnings), r.outputs.Foretell(a, k.Made))
			return Result{Outcome: outcomeOfResult(a, k.Made, Restored), CookTime: k.CookTime, Err: err, origin: otherMachine(k.Origin)}, k.Warnings
		}
	}
	return Result{Outcome: Cooked, Err: r.outputs.Foretell(a, nil)}, nil
}

// flights makes workers run equal actions one at a time. The second action then finds the result of
// the first.
type flights struct {
	mu   sync.Mutex
	byID map[store.ActionID]*flight
}

// A flight is an action that a worker runs.
type flight struct {
	busy    sync.Mutex
	waiting []uint64 // arrows in the recording to the waiting workers; guarded by flights.mu
}

// runExclusively waits until no other worker runs an action with the same ID. It does nothing if
// the store does not keep the result. The recording shows the wait as an arrow.
func (w *worker) runExclusively(t cookone.Task) (release func()) {
	if !w.run.finder.Stores(t.Action) {
		return func() {}
	}
	all, id := &w.run.flights, t.Action.ID
	all.mu.Lock()
	f, ok := all.byID[id]
	if !ok {
		f = new(flight)
		all.byID[id] = f
	}
	if !f.busy.TryLock() {
		flow := w.run.env.Probe.Events.Flow()
		f.waiting = append(f.waiting, flow)
		all.mu.Unlock()
		span := w.probe.Begin("cook/run/wait_for_equal", "")
		w.site.block(f.busy.Lock)
		span.End()
		w.probe.Row().FlowIn(flow)
		all.mu.Lock()
	}
	all.mu.Unlock()
	return func() {
		all.mu.Lock()
		defer all.mu.Unlock()
		for _, flow := range f.waiting {
			w.probe.Row().FlowOut(flow)
		}
		f.waiting = nil
		f.busy.Unlock()
	}
}

// A pause says what an action waits for: artifacts of other actions, or answers of the server.
type pause struct {
	action  *plan.Action
	on      *artifacts.Wait
	unasked []remote.Key
}

// pauseOf returns the pause that an error requests, or nil if it requests none.
func pauseOf(a *plan.Action, err error) *pause {
	if err == nil {
		return nil // most actions end here, before errors.As allocates memory
	}
	var wait *artifacts.Wait
	var unanswered *unansweredError
	switch {
	case errors.As(err, &unanswered):
		return &pause{action: a, unasked: unanswered.keys}
	case errors.As(err, &wait):
		return &pause{action: a, on: wait}
	}
	return nil
}

// An unansweredError reports that an action must wait for the server's answer.
type unansweredError struct{ keys []remote.Key }

func (e *unansweredError) Error() string { return "the server has not answered yet" }
