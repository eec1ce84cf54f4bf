package execute

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook/internal/artifacts"
	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote/broker"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/parallel"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/profile"
)

// A worker brings actions up to date, one after another.
type worker struct {
	run      *run
	site     site
	probe    *profile.Worker // nil if the run is not recorded
	holdings *cookone.Holdings
	source   cookone.Source
	times    cookone.Times
	track    *track
	quick    cookone.QuickReader
	placing  confine.LastFolder // directory of the last output
	key      *hashing.Key
	sharers  int // number of goroutines that read one very large source together
	learning time.Duration
}

// runWorkers lets n local workers carry out the actions of the queue, and further workers send
// actions to other machines. It returns the time that the workers spent reading new sources.
func (r *run) runWorkers(ctx context.Context, n int) (learning time.Duration) {
	begin := r.env.Now()
	defer context.AfterFunc(ctx, r.queue.wakeAll)()
	assets := bulk.OpenTree(r.env.Assets)
	defer assets.Close()
	workers, tracks := make([]*worker, n), make([]*track, n)
	for k := range workers {
		tracks[k] = &track{worker: k}
		if k < mostTracks {
			tracks[k].most = max(2, mostSpans/min(n, mostTracks))
		}
		workers[k] = r.newWorker(fmt.Sprintf("worker %d", k), thisMachine{r}, &assets, tracks[k], r.opt.Workers/n)
	}
	if r.remote != nil && r.remote.Machines() != nil {
		workers = append(workers, r.awayWorkers(r.remote.Machines(), &assets, n)...)
	}
	// Every action gets a result, even if the run is interrupted.
	parallel.Each(context.WithoutCancel(ctx), len(workers), len(workers), func(k, _ int) error {
		workers[k].runActions(ctx, begin)
		return nil
	})
	for _, w := range workers {
		w.quick.Sums.Close()
		w.placing.Close()
		w.probe.Release()
		learning += w.learning
	}
	r.reports.detail.addTracks(tracks)
	return learning
}

// awayWorkers returns the workers that send actions to other machines. They run in addition to n
// local workers.
func (r *run) awayWorkers(machines *broker.Machines, assets *bulk.Tree, n int) []*worker {
	workers := make([]*worker, machines.Executors(r.queue.remainingActions(), n))
	if len(workers) > 0 {
		r.queue.away.local, r.queue.away.idle = n, make(chan struct{})
	}
	for k := range workers {
		workers[k] = r.newWorker("elsewhere "+string(rune('0'+k%10)), otherMachines{r, machines}, assets, &track{}, r.opt.Workers/n)
	}
	return workers
}

func (r *run) newWorker(name string, at site, assets *bulk.Tree, track *track, sharers int) *worker {
	return &worker{
		run: r, site: at, probe: r.env.Probe.Worker(name), holdings: r.cooker.NewHoldings(), track: track,
		quick: cookone.QuickReader{Tree: assets, Sums: bulk.NewWorker(context.Background(), r.summer)}, key: plan.NewKey(), sharers: sharers,
	}
}

// runActions works on one action after another. Times in the worker's track are relative to epoch.
func (w *worker) runActions(ctx context.Context, epoch time.Time) {
	r := w.run
	for {
		i, ok := w.site.nextAction(ctx)
		if !ok {
			return
		}
		release := w.site.hold()
		delayAction()
		waits := w.workTimed(ctx, i, epoch)
		w.probe.Flush()
		release()
		switch {
		case waits == nil:
			r.queue.leaveQueue(i, nil, r.results[i].Outcome)
		case len(waits.unasked) > 0:
			r.remote.AskAgain(i, waits.action, waits.unasked)
			r.queue.leaveAsked()
		default:
			r.queue.leaveQueue(i, waits.on, "")
		}
	}
}

// workTimed works on an action until it ends or must wait, and records its times.
func (w *worker) workTimed(ctx context.Context, i int, epoch time.Time) *pause {
	w.times.Reset()
	begin := w.run.env.Now().Sub(epoch)
	waits := w.workToEnd(ctx, i)
	if how := w.run.results[i].Outcome; waits == nil && how != NotReached && how != UpToDate {
		w.track.addSpan(Span{
			Begin: begin, End: w.run.env.Now().Sub(epoch), Waited: w.times.Waited(), Helped: w.times.Helped(),
			Path: Path(w.run.plan.Actions[i].Path),
		})
	}
	return waits
}

// workToEnd works on an action until it ends. If the action must wait, workToEnd returns the pause.
func (w *worker) workToEnd(ctx context.Context, i int) *pause {
	r, a := w.run, &w.run.plan.Actions[i]
	if u := r.results[i].unlinked; u != nil && ctx.Err() == nil && !r.queue.stopped.Load() {
		w.source = cookone.NewSource(r.env.Assets, w.quick, a, 0, &w.source)
		defer w.source.Close()
		return w.workOn(ctx, i, u.ready.Task.Action, true)
	}
	late := a.IsLate()
	if late && ctx.Err() == nil {
		if wait := r.expectedWait(a); wait != nil {
			return &pause{action: a, on: wait}
		}
		if a = a.As(plan.Decide(a, r.plan.Facts, r.plan.Demand)); !a.Runs() {
			r.finishResting(i, a)
			return nil
		}
	}
	if ctx.Err() != nil || r.queue.stopped.Load() {
		r.finishAction(i, Result{Action: a, Outcome: NotReached}, nil, 0)
		return nil
	}
	w.source = cookone.NewSource(r.env.Assets, w.quick, a, 0, &w.source)
	defer w.source.Close()
	err := w.learnContents(ctx, a)
	switch {
	case err != nil && ctx.Err() != nil:
		r.finishAction(i, Result{Action: a, Outcome: NotReached}, nil, 0)
		return nil
	case err != nil:
		r.finishAction(i, Result{Action: a.Failed(err), Outcome: Failed, Err: err}, nil, 0)
		return nil
	}
	return w.workOn(ctx, i, a, late)
}

// workOn works on an action until it ends. The action must need work, and the content of its source
// must be known.
func (w *worker) workOn(ctx context.Context, i int, a *plan.Action, late bool) *pause {
	r := w.run
	w.source.SetSize(a.Source.Stamp.Size)
	if (late || r.plan.Finals.Any || r.remote != nil && r.remote.Reads()) && r.queue.startsAgain(i) {
		r.reports.showStep(a, "")
	} else {
		r.reports.reportEvent(Event{Outcome: Started, Path: a.Path, Target: a.Target, Recipe: a.Method.Choice.Recipe.Name, In: a.Source.Stamp.Size, CookTime: cookone.Expected(a)})
	}
	defer w.probe.Begin("cook/recipe/"+a.Method.Choice.Recipe.Name, a.Path).End()
	defer w.probe.Memory().Push(a.Path).Pop()
	begin := r.env.Now()
	var suspicions, warnings []string
	if r.opt.Suspect != nil {
		suspicions = r.opt.Suspect(a, w.source.First, &w.source)
	}
	var res Result
	if r.opt.DryRun {
		res, warnings = w.foretellWork(ctx, cookone.TaskOf(a))
	} else {
		res, warnings = w.bringUpToDate(ctx, i, cookone.TaskOf(a))
	}
	if res.Err != nil {
		res.Outcome = Failed
		if ctx.Err() != nil {
			res = Result{Outcome: NotReached}
		}
	}
	if waits := pauseOf(a, res.Err); waits != nil {
		if waits.on != nil {
			r.reports.showStep(a, "wait for "+pathname.Show(waits.on.Output))
		}
		r.results[i].Action = a // if the wait never ends, endWaiting reads the decision from this result
		return waits
	}
	res.Action = a
	r.finishAction(i, res, slices.Concat(suspicions, warnings), r.env.Now().Sub(begin))
	return nil
}

// expectedWait returns the wait for artifacts that a bundle requested in the last run. It returns
// nil if the bundle need not wait for them.
func (r *run) expectedWait(a *plan.Action) *artifacts.Wait {
	if r.queue.ask {
		return nil
	}
	for _, question := range plan.ExpectedQuestions(a, r.plan.Facts) {
		if wait := r.env.Artifacts.Pending(question); wait != nil {
			return wait
		}
	}
	return nil
}

// learnContents reads the source of an action unless its content is known, and sets the ID of the
// action.
func (w *worker) learnContents(ctx context.Context, a *plan.Action) (err error) {
	if !a.ID.IsZero() {
		return nil
	}
	defer w.probe.Begin("cook/run/checksum", a.Path).End()
	begin := w.run.env.Now()
	defer func() { w.learning += w.run.env.Now().Sub(begin) }()
	by := cookone.SourceSummer{Contents: w.run.env.Contents, Summer: w.run.summer, Sharers: w.sharers}
	f := w.run.env.Contents.Learn(a.Source, func(f *contents.File) (hashing.FileSum, error) { return w.source.Sum(ctx, by, f) })
	a.ID, err = a.Identify(w.key, &f, w.run.cooker.FileOf(ctx))
	return err
}
