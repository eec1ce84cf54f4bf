// Package execute carries out a plan: it restores the results of actions or cooks them, and
// has them placed. It is the only stage that cooks or writes artifacts.
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
// [lookup.Known] and [cookone.Ready] are types, so that no artifact is placed that is not
// complete (action.go). The plan does not change: a [Result] has the action as it was
// carried out.
//
// # The order
//
// Workers take actions from a queue. Actions on the longest way to the end of the run come
// first (schedule.go). Bundles are made of the artifacts of other actions. An action is
// settled when it has made its artifacts or failed to, and a bundle can begin when all
// actions are settled whose artifacts it asks for. Its questions are known from last time,
// or it asks and begins again (queue.go).
//
// # The server
//
// A [Remote] brings the results of other machines. Without one, a run has a nil Remote, and
// waits for nothing but its own workers (remote.go).
package execute

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/artifacts"
	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/lookup"
	"github.com/assetcook/assetcook/cook/internal/place"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
)

// An Env holds the surroundings of a run.
type Env struct {
	Cook   cookone.Env
	Work   string         // directory in Out for files without a name yet
	Store  *store.Store   // nil for none
	Remote remote.Options // no server if the URL is empty
}

// Options control how a plan is carried out.
type Options struct {
	// Owned reports whether the engine made a file of the output directory.
	Owned         func(output string) bool
	Workers       int
	StopOnFailure bool // begin no action after the first failure
	Strict        bool // fail actions whose recipes warn
	DryRun        bool // report without doing anything
	// Hesitate waits before a new failure of an action counts, because an editor may still be
	// saving the source or another file that the action reads. If it is nil, failures count
	// at once.
	Hesitate func()
	// Suspect returns the probable mistakes in a source that is about to be cooked, a line
	// each. first returns the first bytes of the file. Suspect may be nil.
	Suspect func(a *plan.Action, first func(n int64) ([]byte, error)) []string
	// Report gets each event, from one goroutine at a time.
	Report func(Event)
	// Step gets the step of an action's recipe when it changes, "" for none, from one
	// goroutine at a time. An action without path stands for the traffic of the server. Step
	// may be nil.
	Step func(a *plan.Action, step string)
	// Warn gets problems that cost time and do no harm.
	Warn func(string)
}

// A Result is the end of one action, and the new knowledge about it for the index. There is
// one for each action of a plan.
type Result struct {
	// Action is the action as it was carried out: with the decision about a late action, the
	// ID of a source that was read late, or the error of reading it.
	Action   *plan.Action
	Outcome  Outcome
	State    index.State
	Warned   bool // set if the recipe warned
	CookTime time.Duration
	Deps     []index.Dep
	Made     []index.Artifact
	Err      error
}

// Row returns the row of the action for the index, without Method and Decision.
func (r *Result) Row() index.Action {
	a := r.Action
	if r.Outcome == UpToDate {
		row := a.Last.Action
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
	Learning time.Duration   // time of all workers for reading new sources
	Wrote    bool            // the output directory changed
	Placed   map[string]bool // outputs that were renamed into place
	Stuck    map[string]bool // empty directories that could not be removed
	Detail   *Detail         // the part for the history
	Remote   remote.Stats    // traffic of the server
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
	remote  Remote // nil for none
}

// Run carries out a plan. The error means that no action could begin.
func Run(ctx context.Context, p *plan.Plan, env Env, opt Options) (*Done, error) {
	r := &run{
		opt: opt, env: env.Cook, plan: p, results: make([]Result, len(p.Actions)), flights: flights{byID: map[store.ActionID]*flight{}},
		reports: newReporter(opt), summer: hashing.NewSummer(env.Cook.Checksum),
	}
	r.outputs = place.New(env.Cook.Out, env.Work, p.Retired, opt.Owned, r.summer)
	var mode fs.FileMode // permissions of artifacts
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
	if !opt.DryRun { // a question asks no server
		r.openBroker(ctx, env.Remote)
	}
	r.retireUnclaimed()
	learning := r.carryOutPlan(ctx)
	done := &Done{Results: r.results, Learning: learning}
	if r.remote != nil {
		done.Remote = r.remote.Close(ctx)
	}
	if writes {
		if err := r.outputs.CleanUp(); err != nil {
			opt.Warn("output directory " + env.Cook.Out.Name() + ": clear up: " + err.Error() + "; the next cook will try again")
		}
	}
	changes := r.outputs.Changes()
	done.Wrote, done.Placed, done.Stuck = changes.Wrote, changes.Placed, changes.Stuck
	done.Detail = r.reports.finishDetail(p.Actions)
	return done, nil
}

// isIdle reports whether there is nothing to write or to clear away.
func (r *run) isIdle() bool {
	for i := range r.plan.Actions {
		if r.plan.Actions[i].Runs() {
			return false
		}
	}
	return r.outputs.Idle() && r.plan.Late == 0
}

// retireUnclaimed sets aside the artifacts that no action claims any more.
func (r *run) retireUnclaimed() {
	r.outputs.Retire(r.opt.DryRun, func(is place.Removal) {
		if is.Err == nil && !r.opt.DryRun {
			r.reports.noteRetired(is)
		}
		r.reports.reportEvent(removed(is))
	})
}

// removed returns the event of a removal.
func removed(is place.Removal) Event {
	e := Event{Path: is.Source, Target: is.Target, Outcome: Removed, Out: is.Size, Err: is.Err}
	if is.Output != "" {
		e.Outputs = []string{is.Output}
	}
	if is.Err != nil {
		e.Outcome = Error
	}
	return e
}

// carryOutPlan finishes the actions that need no work, and has workers carry out the others. It
// returns the time that they spent reading new sources.
func (r *run) carryOutPlan(ctx context.Context) (learning time.Duration) {
	took := make([]time.Duration, len(r.plan.Actions))
	r.queue.schedule = newSchedule(took, r.plan.Late > 0)
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

// finishResting finishes an action that needs no work.
func (r *run) finishResting(i int, a *plan.Action) {
	made := make([]index.Artifact, len(a.Last.Outputs))
	for k := range a.Last.Outputs {
		made[k] = cookone.AsFound(&a.Last.Outputs[k])
	}
	r.finishAction(i, Result{Action: a, Outcome: UpToDate, CookTime: a.Last.CookTime, Made: made}, nil, 0)
}

// finishAction records and reports the result of an action, with the warnings about its source.
func (r *run) finishAction(i int, res Result, warnings []string, took time.Duration) {
	if res.Outcome == Failed && r.opt.StopOnFailure {
		r.queue.stopped.Store(true)
	}
	r.results[i] = res
	r.reports.reportResult(&r.results[i], warnings, took)
}

// endWaiting ends an action that waits when nothing else is left to do. on is nil if the run
// ended early; otherwise the action waits for itself.
func (r *run) endWaiting(i int, on *dependency.Dependency) {
	a := cmp.Or(r.results[i].Action, &r.plan.Actions[i]) // as decided, if it was
	if on == nil {
		r.finishAction(i, Result{Action: a, Outcome: NotReached}, nil, 0)
		return
	}
	err := error(r.env.Artifacts.Pending(*on))
	res := Result{Outcome: Failed, State: index.Failed, Err: err}
	if !r.opt.DryRun {
		res = r.failedResult(context.Background(), a, err)
	}
	res.Action = a
	r.finishAction(i, res, nil, 0)
}

// failedResult returns the result of an action that could not be brought up to date. Artifacts that
// do not belong to its present inputs are removed.
func (r *run) failedResult(ctx context.Context, a *plan.Action, err error) Result {
	res := Result{Outcome: Failed, State: index.Failed}
	if a.Last != nil {
		res.CookTime, res.Made = a.Last.CookTime, a.Last.Made
	}
	if ctx.Err() == nil {
		res.Made = r.outputs.StillGood(a)
		stale := r.outputs.RemoveStale(a, res.Made, func(is place.Removal) { r.reports.reportEvent(removed(is)) })
		err = errors.Join(err, stale)
	}
	res.Err = err
	return res
}

// strictly returns an error for the warnings of a recipe in a strict run.
func (r *run) strictly(warnings []string) error {
	if r.opt.Strict && len(warnings) > 0 {
		return errors.New(strings.Join(warnings, "; "))
	}
	return nil
}

// progress implements artifacts.Progress.
type progress struct{ run *run }

func (p progress) Settled(i int) bool { return p.run.queue.schedule.isSettled(i) }

func (p progress) Made(i int) artifacts.Made {
	res := &p.run.results[i]
	a := res.Action
	complete := a.Err == nil && res.State == index.Done && res.Outcome != Failed && len(res.Made) == len(a.Outputs)
	return artifacts.Made{
		Complete: complete, Artifacts: res.Made,
		Failed:  !p.run.opt.DryRun || res.Outcome == Failed, // a dry run does not know outputs
		Changed: res.Outcome != UpToDate && res.Outcome != Unchanged,
	}
}
