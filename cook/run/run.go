// Package run carries a plan out: it brings results back from the store or
// cooks them, and puts them where they belong.
//
// # States of an action
//
//	planned -> up to date
//	        -> known   -> restored           artifacts brought back
//	        |          -> cutoff             they are in place already
//	        -> cooking -> cooked
//	                   -> cutoff             an input changed, the artifacts did not
//	                   -> failed             and so does whatever cannot be planned
//
// Every artifact is made as a scratch file below the output folder's .cook and
// renamed into place when it is complete, so nobody sees half of one. Sources
// and dependencies are looked at again after cooking; if one of them changed,
// the result is thrown away.
//
// Artifacts that nobody claims any more are first set aside in .cook/trash,
// where an action of the same identity may take them, and deleted at the end.
// If the run is killed in between, they are missing and the index still names
// them, which the next run mends.
package run

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/store"
	"github.com/assetcook/assetcook/cook/survey"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/profile"
	"github.com/assetcook/assetcook/profile/memory"
)

// An Outcome is what came of an action. Its text is part of the JSON output.
type Outcome string

const (
	UpToDate Outcome = "up to date"
	Cutoff   Outcome = "cutoff"   // an input changed, its cooked form did not
	Restored Outcome = "restored" // the result was known and not cooked again
	Cooked   Outcome = "cooked"
	Failed   Outcome = "failed"
	Removed  Outcome = "removed" // an artifact whose source is gone
	// Warned is no end of an action: something is odd about its source.
	Warned Outcome = "warned"
	// NotReached is an action that the run ended before.
	NotReached Outcome = "not reached"
)

// An Event tells what happens to one action. Started comes only for actions
// that run.
type Event struct {
	Started bool
	Action  *plan.Action // nil for Removed and Warned
	Path    string       // the source
	Target  string
	Outcome Outcome
	Reasons []plan.Reason
	Outputs []string
	// In and Out are the bytes of source and artifacts.
	In, Out int64
	// Took is how long the work took here; CookTime is how long cooking takes,
	// as measured when it was last done.
	Took, CookTime time.Duration
	Err            error
	Warnings       []string // of the recipe, about the source
	Warning        string   // what is odd, if Warned
}

// Options are what a run works with.
type Options struct {
	Assets   *confine.Dir
	Out      *confine.Dir // nil in a dry run if there is no such folder yet
	Survey   *survey.Survey
	Checksum hashing.Func
	Store    *store.Store // nil for none
	// Owned reports whether cook has made a file of the output folder.
	Owned   func(output string) bool
	Workers int
	Memory  int64 // bytes that all running recipes together may need
	// StopOnFailure starts nothing new after the first failure.
	StopOnFailure bool
	// Strict fails what a recipe warns of.
	Strict bool
	// DryRun says what would be done and does nothing.
	DryRun bool
	Now    func() time.Time
	// Probe measures; each worker gets a row of its own.
	Probe profile.Probe
	// Report is called for each event, by one goroutine at a time.
	Report func(Event)
	// Warn takes lines about things that cost time but harm nothing.
	Warn func(string)
}

// A Result is what came of one action, and what the index is to remember.
type Result struct {
	Outcome Outcome
	Row     index.Action // without Method, Decided, Outcome and Why
	Err     error
	// Warnings are what the recipe had to say about the source.
	Warnings []string
}

// An Outturn is all that came of a plan.
type Outturn struct {
	// Results has one element for each action of the plan, also when the run
	// ended early.
	Results []Result
	// Wrote tells whether anything in the output folder changed.
	Wrote bool
	// Stuck are folders of the output folder that are empty and could not be
	// removed.
	Stuck map[string]bool
}

// Run carries out a plan. Its error means that nothing could be begun.
func Run(ctx context.Context, p *plan.Plan, opt Options) (*Outturn, error) {
	r := &runner{
		Options: opt,
		plan:    p,
		summer:  hashing.NewSummer(opt.Checksum),
		memory:  semaphore.NewWeighted(opt.Memory),
		held:    opt.Probe.Memory.Group("recipes", opt.Memory),
		results: make([]Result, len(p.Actions)),
		ids:     map[store.ActionID]*twins{},
		placed:  map[string]bool{},
		stuck:   map[string]bool{},
		kinds:   map[string]bool{},
		id:      rand.Uint64(),
	}
	writes := !opt.DryRun && !r.idle()
	if writes {
		if err := r.prepare(); err != nil {
			return nil, fmt.Errorf("output folder %s: %w", opt.Out.Name(), err)
		}
	}
	r.retire()
	r.actions(ctx)
	if writes {
		r.cleanUp()
	}
	return &Outturn{Results: r.results, Wrote: r.wrote.Load(), Stuck: r.stuck}, nil
}

type runner struct {
	Options
	plan    *plan.Plan
	summer  *hashing.Summer
	memory  *semaphore.Weighted
	held    *memory.Group // what memory has given out
	results []Result

	stop     atomic.Bool // after a failure
	wrote    atomic.Bool
	id       uint64            // of this run, in the names of scratch files
	serial   atomic.Int64      // numbers scratch files
	mode     os.FileMode       // of a new file under the user's umask
	trash    map[string]string // where retired artifacts were set aside
	reportMu sync.Mutex
	mu       sync.Mutex
	emptied  []string        // folders that lost an artifact while workers were at it
	placed   map[string]bool // outputs that were renamed into place
	stuck    map[string]bool // empty folders that could not be removed
	ids      map[store.ActionID]*twins
	kinds    map[string]bool // of memory that recipes hold
	warnOnce sync.Once
}

// A worker brings one action after the other up to date.
type worker struct {
	*runner
	probe    *profile.Worker // nil if nothing is measured
	holdings []holding       // of the recipe at work
}

func (r *runner) report(e Event) {
	r.reportMu.Lock()
	defer r.reportMu.Unlock()
	r.Report(e)
}

// actions does what needs no work at once and hands the rest to the workers,
// what took longest last time first, so that none of it is left for the end.
func (r *runner) actions(ctx context.Context) {
	var todo []int
	for i := range r.plan.Actions {
		a := &r.plan.Actions[i]
		switch {
		case a.Err != nil:
			r.finish(i, Result{Outcome: Failed, Err: a.Err}, 0)
		case !a.Runs:
			r.finish(i, Result{Outcome: UpToDate, Row: refreshed(a)}, 0)
		default:
			todo = append(todo, i)
		}
	}
	slices.SortStableFunc(todo, func(i, j int) int {
		return cmp.Compare(Expected(&r.plan.Actions[j]), Expected(&r.plan.Actions[i]))
	})
	work := make(chan int)
	var wg sync.WaitGroup
	for n := range min(r.Workers, len(todo)) {
		w := &worker{runner: r, probe: r.Probe.Worker(fmt.Sprintf("worker %d", n))} // here, so that rows are in order
		wg.Go(func() {
			defer w.probe.Release()
			for i := range work {
				w.work(ctx, i)
				w.probe.Flush()
			}
		})
	}
	for _, i := range todo {
		work <- i
	}
	close(work)
	wg.Wait()
}

// Expected is how long an action is thought to take: what it took last time, or
// a guess from its size.
func Expected(a *plan.Action) time.Duration {
	if a.Last != nil && a.Last.CookTime > 0 {
		return a.Last.CookTime
	}
	const perByte = 20 * time.Nanosecond // of an image, roughly
	return time.Duration(a.Source.Stamp.Size) * perByte
}

func (r *worker) work(ctx context.Context, i int) {
	a := &r.plan.Actions[i]
	if ctx.Err() != nil || r.stop.Load() {
		r.finish(i, Result{Outcome: NotReached}, 0)
		return
	}
	r.report(Event{Started: true, Action: a, Path: a.Path, Target: a.Target, In: a.Source.Stamp.Size, CookTime: Expected(a)})
	defer r.probe.Begin("cook/recipe/"+a.Method.Recipe.Name, a.Path).End()
	defer r.probe.Memory().Push(a.Path).Pop()
	begin := r.Now()
	var res Result
	if r.DryRun {
		res = r.foretell(ctx, a)
	} else {
		res = r.do(ctx, a)
	}
	if res.Err != nil {
		res.Outcome = Failed
		if ctx.Err() != nil {
			res = Result{Outcome: NotReached}
		}
	}
	r.finish(i, res, r.Now().Sub(begin))
}

// finish records and reports a result.
func (r *runner) finish(i int, res Result, took time.Duration) {
	a := &r.plan.Actions[i]
	if res.Outcome == Failed && r.StopOnFailure {
		r.stop.Store(true)
	}
	r.results[i] = res
	e := Event{
		Action: a, Path: a.Path, Target: a.Target, Outcome: res.Outcome, Reasons: a.Reasons,
		Outputs: a.Outputs, In: a.Source.Stamp.Size, Took: took, CookTime: res.Row.CookTime, Err: res.Err, Warnings: res.Warnings,
	}
	for _, m := range res.Row.Made {
		e.Out += m.Stamp.Size
	}
	r.report(e)
}

// refreshed is the index's row of an action that is up to date, with the
// artifacts' stamps as they were found now.
func refreshed(a *plan.Action) index.Action {
	row := *a.Last
	row.Made = make([]index.Artifact, len(a.LastMade))
	for i, o := range a.LastMade {
		row.Made[i] = o.Artifact
		row.Made[i].Stamp, row.Made[i].Settled = o.Stamp, o.Settled
	}
	return row
}

// done is the row of an action that has just been brought up to date.
func done(a *plan.Action, cookTime time.Duration, deps []index.Dep, made []index.Artifact, warnings []string) index.Action {
	return index.Action{
		Path: a.Path, Target: a.Target, State: index.Done, ID: a.ID, Source: a.Source.Blob,
		CookTime: cookTime, Warned: len(warnings) > 0, Deps: deps, Made: made,
	}
}
