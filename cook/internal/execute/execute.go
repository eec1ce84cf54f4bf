package execute

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/parallel"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/profile"
)

// An Env is what actions work with.
type Env struct {
	Assets   *confine.Dir
	Out      *confine.Dir // nil in a dry run if there is no such folder yet
	Work     string       // directory in Out for files that have no name yet
	Contents *contents.Contents
	// Artifacts are what bundles are made of.
	Artifacts *Artifacts
	Checksum  hashing.Func
	Store     *store.Store    // nil for none
	Remote    remote.Options  // whose URL is "" for none
	Memory    int64           // bytes that all running recipes together may need
	Cores     *parallel.Cores // that recipes compute on; nil if each has its own
	Now       func() time.Time
	Probe     profile.Probe // each worker gets a row of its own
}

// Options say how a plan is carried out.
type Options struct {
	// Owned reports whether cook has made a file of the output folder.
	Owned   func(output string) bool
	Workers int
	// StopOnFailure starts nothing new after the first failure.
	StopOnFailure bool
	// Strict fails what a recipe warns of.
	Strict bool
	// Hesitate waits before a new failure of an action counts, because an editor may still be
	// saving the source or another file that the action reads. If it is nil, failures count at
	// once.
	Hesitate func()
	// DryRun reports what would be done and does nothing.
	DryRun bool
	// Suspect returns what in a source that is to be cooked looks like a mistake, a line
	// each. first gives it the file's first bytes. Suspect is nil if this is not of
	// interest.
	Suspect func(a *plan.Action, first func(n int64) ([]byte, error)) []string
	// Report is called for each event, by one goroutine at a time.
	Report func(Event)
	// Step is called when what the recipe of an action is doing changes, "" for nothing in
	// particular, by one goroutine at a time. For an action without a path it is what passes
	// between the run and the server. It is nil if this is not of interest.
	Step func(a *plan.Action, step string)
	// Warn is called with problems that cost time and do no harm.
	Warn func(string)
}

// A Result is how one action ended, and what is new of what the index is to remember.
// There is one for each asset of a tree.
type Result struct {
	Outcome  Outcome
	State    index.State
	Warned   bool // by the recipe
	CookTime time.Duration
	Deps     []index.Dep
	Made     []index.Artifact
	Err      error
}

// Row is the index's row of the action that a result is of, without Method and Decision.
func (r *Result) Row(a *plan.Action) index.Action {
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

// Done is what carrying out a plan came to.
type Done struct {
	// Results has one element for each action of the plan, also when the run ended
	// early.
	Results []Result
	// Learning is the time that workers spent on finding out what sources hold.
	Learning time.Duration
	// Wrote says that something in the output folder changed.
	Wrote bool
	// Placed are the outputs that were renamed into place.
	Placed map[string]bool
	// Stuck are folders of the output folder that are empty and could not be removed.
	Stuck map[string]bool
	// Detail is for the history.
	Detail *Detail
	// Remote is what passed between the run and the server on which results are shared.
	Remote remote.Stats
}

// Run carries out a plan. Its error means that nothing could be begun.
func Run(ctx context.Context, p *plan.Plan, env Env, opt Options) (*Done, error) {
	r := &runner{
		Options:   opt,
		cooker:    newCooker(env),
		plan:      p,
		results:   make([]Result, len(p.Actions)),
		names:     names{run: rand.Uint64()},
		flights:   flights{byID: map[store.ActionID]*flight{}},
		outputs:   newOutputs(env.Out),
		reporting: reported{warned: map[[2]string]bool{}, detail: Detail{Workers: opt.Workers}},
	}
	r.remote.away.program.locate = os.Executable
	r.remote.Client = r.openRemote(ctx)
	writes := !opt.DryRun && !r.idle()
	if writes {
		if err := r.prepare(); err != nil {
			return nil, fmt.Errorf("output folder %s: %w", env.Out.Name(), err)
		}
	}
	r.retire()
	r.actions(ctx)
	traffic := r.remote.closeServer(ctx)
	traffic.Executed = r.remote.away.executed.Load()
	if writes {
		r.cleanUp()
	}
	return &Done{
		Results: r.results, Learning: time.Duration(r.learning.took.Load()),
		Wrote: r.outputs.wrote.Load(), Placed: r.outputs.placed, Stuck: r.outputs.stuck,
		Detail: r.finishDetail(), Remote: traffic,
	}, nil
}

type runner struct {
	Options
	*cooker
	plan    *plan.Plan
	results []Result
	remote  server

	outputs  *outputs
	flights  flights
	learning learning
	names    names
	queue    queue
	failed   atomic.Bool // nothing new is to be started

	reporting reported
}

// A worker brings one action after the other up to date.
type worker struct {
	*runner
	probe *profile.Worker // nil if nothing is measured
	held  *holdings       // of the recipe at work
	src   source          // of the action at work
	track *track          // what was done when
	times times           // of the action at work
	sums  *bulk.Worker    // for scratch files
	key   *hashing.Key    // for action IDs
	far   bool            // it has other machines cook, and holds no core

	action int // at work
}

func (r *runner) report(e Event) {
	r.reporting.Lock()
	defer r.reporting.Unlock()
	r.Report(e)
}

// rests finishes an action that needs no work.
func (r *runner) rests(i int) {
	a := &r.plan.Actions[i]
	r.finishAction(i, Result{Outcome: UpToDate, CookTime: a.Last.CookTime, Made: refreshed(a)}, nil, 0)
}

func (r *runner) worker(name string) *worker {
	return &worker{
		runner: r, probe: r.Probe.Worker(name), held: &holdings{kinds: r.kinds},
		sums: bulk.NewWorker(context.Background(), r.summer), key: plan.NewKey(),
	}
}

// Expected is how long an action is expected to take: what it took last time, or a
// guess from its size.
func Expected(a *plan.Action) time.Duration {
	if a.Last != nil && a.Last.CookTime > 0 {
		return a.Last.CookTime
	}
	const perByte = 20 * time.Nanosecond // of an image, roughly
	return time.Duration(a.Source.Stamp.Size) * perByte
}

// work leads an action to its end, or returns what it has to wait for.
func (w *worker) work(ctx context.Context, i int) *waitError {
	a := &w.plan.Actions[i]
	w.action = i
	bundles := w.plan.Waits(i)
	if bundles && ctx.Err() == nil {
		if wait := w.foreseen(i); wait != nil {
			return wait
		}
		if w.plan.Decide(i); !a.Runs {
			w.rests(i)
			return nil
		}
	}
	if ctx.Err() != nil || w.failed.Load() {
		w.finishAction(i, Result{Outcome: NotReached}, nil, 0)
		return nil
	}
	w.src = sourceOf(w.Assets, a, 0, w.src.head)
	defer w.src.close()
	if err := w.learn(ctx, a); err != nil {
		if ctx.Err() != nil {
			w.finishAction(i, Result{Outcome: NotReached}, nil, 0)
			return nil
		}
		a.Err = err
		w.finishAction(i, Result{Outcome: Failed, Err: err}, nil, 0)
		return nil
	}
	w.src.size = a.Source.Stamp.Size
	if (bundles || w.remote.Reads()) && w.queue.started(i) {
		w.tell(a, "")
	} else {
		w.report(Event{Outcome: Started, Path: a.Path, Target: a.Target, Recipe: a.Method.Recipe.Name, In: a.Source.Stamp.Size, CookTime: Expected(a)})
	}
	defer w.probe.Begin("cook/recipe/"+a.Method.Recipe.Name, a.Path).End()
	defer w.probe.Memory().Push(a.Path).Pop()
	begin := w.Now()
	var lines, more []string
	if w.Suspect != nil {
		lines = w.Suspect(a, w.src.first)
	}
	var res Result
	if w.DryRun {
		res, more = w.foretell(ctx, planned{Action: a})
	} else {
		res, more = w.bringUpToDate(ctx, planned{Action: a})
	}
	if res.Err != nil {
		res.Outcome = Failed
		if ctx.Err() != nil {
			res = Result{Outcome: NotReached}
		}
	}
	var wait *waitError
	if errors.As(res.Err, &wait) {
		if len(wait.keys) == 0 {
			w.tell(a, "wait for "+pathname.Show(wait.output))
		}
		return wait
	}
	w.finishAction(i, res, slices.Concat(lines, more), w.Now().Sub(begin))
	return nil
}

// tell reports what the recipe of an action is doing.
func (r *runner) tell(a *plan.Action, step string) {
	if r.Step != nil {
		r.reporting.Lock()
		defer r.reporting.Unlock()
		r.Step(a, step)
	}
}

// finishAction records and reports a result, and what Suspect or the recipe found wrong with
// the source.
func (r *runner) finishAction(i int, res Result, warnings []string, took time.Duration) {
	a := &r.plan.Actions[i]
	if res.Outcome == Failed && r.StopOnFailure {
		r.failed.Store(true)
	}
	r.results[i] = res
	e := Event{
		Path: a.Path, Target: a.Target, Outcome: res.Outcome, Reasons: a.Reasons,
		Outputs: a.Outputs, Took: took, CookTime: res.CookTime, Err: res.Err,
	}
	if res.Outcome != NotReached { // another worker may be learning what the source holds
		e.In = a.Source.Stamp.Size
	}
	if a.Method != nil {
		e.Recipe = a.Method.Recipe.Name
	}
	for _, m := range res.Made {
		e.Out += m.Stamp.Size
	}
	if res.Outcome != Failed && res.Outcome != NotReached { // the failure says more
		r.warn(a, warnings)
	}
	r.addSize(a, &res, e.Out)
	r.report(e)
}

// warn reports what is wrong with the source of an action, once if several targets say
// the same.
func (r *runner) warn(a *plan.Action, lines []string) {
	for _, line := range lines {
		key := [2]string{a.Path, line}
		r.reporting.Lock()
		again := r.reporting.warned[key]
		r.reporting.warned[key] = true
		if !again {
			r.reporting.detail.addWarning(a.Path, line)
		}
		r.reporting.Unlock()
		if !again {
			r.report(Event{Path: a.Path, Target: a.Target, Outcome: Warned, Err: errors.New(line)})
		}
	}
}

// refreshed are the artifacts of an action that is up to date, under the stamps that they
// were found to have.
func refreshed(a *plan.Action) []index.Artifact {
	made := make([]index.Artifact, len(a.Last.Outputs))
	for i := range a.Last.Outputs {
		made[i] = asFound(&a.Last.Outputs[i])
	}
	return made
}

// asFound is an artifact under the stamp that it was found to have.
func asFound(o *contents.Output) index.Artifact {
	m := o.Artifact
	m.Stamp, m.Settled = o.Stamp, o.Settled
	return m
}
