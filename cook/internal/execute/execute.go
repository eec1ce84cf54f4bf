// Package execute carries out a plan: it restores or cooks the results of actions, and places their
// artifacts. It is the only stage that cooks or writes artifacts.
//
// # The life of an action
//
//	late    -> planned                      decided, once its inputs are made
//	planned -> up to date                   nothing differs
//	        -> known -> ready -> placed     restored: the content came from elsewhere
//	        |                               unchanged: the content was in place
//	        -> ready          -> placed     cooked, or unchanged: an input changed,
//	                                        the artifacts did not
//	        -> failed                       also if the action cannot be planned
//
// The types [lookup.Known] and [cookone.Ready] stand for such states, so that an incomplete
// artifact cannot be placed (action.go). The plan does not change: a [Result] has the action as it
// was carried out.
//
// # The order
//
// Workers take actions from a queue. Actions on the critical path of the run come first
// (schedule.go). Bundles are made of the artifacts of other actions. An action is settled when it
// has made its artifacts or failed, and a bundle can begin when all actions whose artifacts it
// requests are settled. Its requests are known from the last run; otherwise it begins, makes its
// requests, and begins again (queue.go).
//
// # The server
//
// A [Remote] provides the results of other machines. Without a server, the Remote of a run is nil,
// and the run waits only for its own workers (remote.go).
package execute

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/lookup"
	"github.com/assetcook/assetcook/cook/internal/place"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
)

// An Env holds the environment of a run.
type Env struct {
	Cook   cookone.Env
	Work   string         // directory in Out for files that do not have their final names yet
	Store  *store.Store   // nil if results are not stored
	Remote remote.Options // an empty URL means no server
}

// Options control how a plan is carried out.
type Options struct {
	// Owned reports whether cook created a file of the output directory.
	Owned         func(output string) bool
	Workers       int
	StopOnFailure bool // begin no action after the first failure
	Strict        bool // a warning of a recipe fails its action
	DryRun        bool // predict outcomes, without writing anything
	KeepPlaced    bool // return the placed outputs in Done.Placed
	// Hesitate waits before a new failure counts, because an editor may still be saving a file that
	// the action reads. If it is nil, failures count at once.
	Hesitate func()
	// Suspect returns a line for each likely mistake in a source that is about to be cooked. Its
	// parameter first returns the first bytes of the file. Suspect may be nil.
	Suspect func(a *plan.Action, first func(n int64) ([]byte, error), file io.ReaderAt) []string
	// Report is called with each event, from one goroutine at a time.
	Report func(Event)
	// Step is called when the recipe of an action begins another step, from one goroutine at a
	// time. An empty step means that the recipe is in no step. If the action has no path, the step
	// describes traffic with the server. Step may be nil.
	Step func(a *plan.Action, step string)
	// Warn is called with problems that only make the run slower.
	Warn func(string)
}

// A Result describes how one action of a plan ended, and what the index records about it.
type Result struct {
	// Action is the planned action. If the plan lacked its decision or could not read its source,
	// Action is a copy that has the decision or the error.
	Action   *plan.Action
	Outcome  Outcome
	State    index.State
	Warned   bool // set if the recipe warned
	CookTime time.Duration
	Deps     []index.Dep
	Made     []index.Artifact
	Err      error

	origin   *store.Origin // machine that cooked the artifacts; nil for this machine
	unlinked *unlinked     // nil unless the task waits for the final names of other artifacts
}

// Row returns the index row of the action. The caller sets Method and Decision.
func (r *Result) Row() index.Action {
	a := r.Action
	if r.Outcome == UpToDate {
		row := *a.Last.Action
		row.Made = r.Made
		return row
	}
	return index.Action{
		Path: a.Path, Target: a.Target, State: r.State, ID: a.ID, Source: a.Source.Blob,
		CookTime: r.CookTime, Warned: r.Warned, Deps: r.Deps, Made: r.Made,
	}
}

// Done is the result of carrying out a plan.
type Done struct {
	// Results has one element for each action of the plan, even if the run ended early.
	Results  []Result
	Learning time.Duration   // time that all workers spent reading new sources
	Wrote    bool            // the output directory changed
	Placed   map[string]bool // outputs that were renamed into place; incomplete without KeepPlaced
	Stuck    map[string]bool // empty directories that could not be removed
	Detail   *Detail
	Remote   remote.Stats
}

// A run carries out one plan.
type run struct {
	opt     Options
	env     cookone.Env
	plan    *plan.Plan
	results []Result
	queue   *queue
	flights flights
	reports *reporter

	summer  *hashing.Summer
	cooker  *cookone.Cooker
	finder  *lookup.Finder
	outputs *place.Outputs
	remote  Remote // nil without a server
}

// Run carries out a plan. An error means that no action could begin.
func Run(ctx context.Context, p *plan.Plan, env Env, opt Options) (*Done, error) {
	r := &run{
		opt: opt, env: env.Cook, plan: p, results: make([]Result, len(p.Actions)), flights: flights{byID: map[store.ActionID]*flight{}},
		reports: newReporter(opt), summer: hashing.NewSummer(env.Cook.Checksum),
	}
	r.outputs = place.New(env.Cook.Out, env.Work, p, opt.Owned, r.summer)
	if opt.KeepPlaced {
		r.outputs.KeepPlaced()
	}
	var mode fs.FileMode
	writes := !opt.DryRun && !r.isIdle()
	if writes {
		var err error
		if mode, err = r.outputs.Prepare(); err != nil {
			return nil, fmt.Errorf("output directory %s: %w", env.Cook.Out.Name(), err)
		}
	}
	r.cooker = cookone.New(env.Cook, mode, r.summer)
	r.finder = &lookup.Finder{Cooker: r.cooker, Outputs: r.outputs, Store: env.Store, Warn: r.reports.warnOfStore}
	r.queue = newQueue(opt.DryRun, r.endWaiting)
	if !opt.DryRun { // a dry run does not use the server
		r.openBroker(ctx, env.Remote)
	}
	r.retireUnclaimed()
	learning := r.carryOutPlan(ctx)
	done := &Done{Results: r.results, Learning: learning}
	if r.remote != nil {
		done.Remote = r.remote.Close(ctx)
	}
	r.reports.reportNotes()
	if writes {
		if err := r.outputs.CleanUp(); err != nil {
			opt.Warn("output directory " + env.Cook.Out.Name() + ": cannot remove temporary files: " + err.Error() + "; the next cook will try again")
		}
	}
	changes := r.outputs.Changes()
	done.Wrote, done.Placed, done.Stuck = changes.Wrote, changes.Placed, changes.Stuck
	done.Detail = r.reports.finishDetail(p.Actions)
	return done, nil
}

// isIdle reports whether a plan writes and removes nothing.
func (r *run) isIdle() bool {
	for i := range r.plan.Actions {
		if r.plan.Actions[i].Runs() {
			return false
		}
	}
	return r.outputs.Idle() && r.plan.Late == 0
}

// retireUnclaimed moves to the trash all artifacts that no action produces any more.
func (r *run) retireUnclaimed() {
	r.outputs.Retire(r.opt.DryRun, func(is place.Removal) {
		if is.Err == nil && !r.opt.DryRun {
			r.reports.noteRetired(is)
		}
		r.reports.reportEvent(removed(is))
	})
}

// carryOutPlan finishes the actions that need no work. It lets workers carry out all other actions,
// and returns the time that the workers spent reading new sources.
func (r *run) carryOutPlan(ctx context.Context) (learning time.Duration) {
	took := make([]time.Duration, len(r.plan.Actions))
	r.queue.schedule = newSchedule(took, r.plan.Late > 0 || r.plan.Finals.Any)
	r.env.Artifacts.Follow(r.plan, progress{r})
	var todo []int
	for i := range r.plan.Actions {
		a := &r.plan.Actions[i]
		switch {
		case a.Err != nil:
			r.finishAction(i, Result{Action: a, Outcome: Failed, Err: a.Err}, nil, 0)
			r.queue.schedule.markSettled(i)
		case a.Runs() || a.IsLate():
			todo = append(todo, i)
			took[i] = cookone.Expected(a)
		default:
			r.finishResting(i, a)
			r.queue.schedule.markSettled(i)
		}
	}
	if len(todo) == 0 {
		return 0
	}
	r.queue.schedule.makeReady(todo)
	if r.remote != nil {
		r.queue.schedule.ready = r.remote.Ask(r.queue.schedule.ready)
	}
	return r.runWorkers(ctx, min(r.opt.Workers, len(todo)))
}
