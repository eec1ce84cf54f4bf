package execute

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/internal/parallel"
)

// A queue is a schedule that workers share.
type queue struct {
	mu   sync.Mutex
	more sync.Cond // something is ready, or all is over
	schedule
	awaits
	atWork int          // actions that workers have
	begun  map[int]bool // those that were reported as started, of what may begin again
	ask    bool         // bundles are to ask, whatever they asked for last time
	far    farQueue
}

// actions finishes what needs no work at once and hands the rest to the workers.
func (r *runner) actions(ctx context.Context) {
	took := make([]time.Duration, len(r.plan.Actions))
	r.queue.schedule = newSchedule(took, r.plan.Late > 0)
	r.queue.more.L, r.queue.begun = &r.queue.mu, map[int]bool{}
	r.Artifacts.carryOut(r.plan, r.results, r.queue.settled, r.DryRun)
	var todo []int
	for i := range r.plan.Actions {
		a := &r.plan.Actions[i]
		switch {
		case a.Err != nil:
			r.finishAction(i, Result{Action: a, Outcome: Failed, Err: a.Err}, nil, 0)
			r.queue.settle(i)
		case a.Runs() || a.IsLate():
			todo = append(todo, i)
			took[i] = Expected(a)
		default:
			r.rests(i, a)
			r.queue.settle(i)
		}
	}
	if len(todo) > 0 {
		r.queue.begin(todo)
		r.expect()
		r.carryOut(ctx, min(r.Workers, len(todo)))
	}
}

// carryOut has workers carry out what is in the queue.
func (r *runner) carryOut(ctx context.Context, n int) {
	begin := r.Now()
	r.learning.sharers = r.Workers / n
	defer context.AfterFunc(ctx, r.queue.wake)()
	workers, tracks := make([]*worker, n), make([]*track, n)
	for n := range workers {
		tracks[n] = &track{worker: n}
		if n < mostTracks {
			tracks[n].most = max(2, mostSpans/min(len(workers), mostTracks))
		}
		workers[n] = r.worker(fmt.Sprintf("worker %d", n))
		workers[n].track = tracks[n]
	}
	workers = append(workers, r.farWorkers(n)...)
	// Each action gets a result, also of a run that was interrupted.
	parallel.Each(context.WithoutCancel(ctx), len(workers), len(workers), func(n, _ int) error {
		workers[n].runActions(ctx, begin)
		return nil
	})
	for _, w := range workers {
		w.sums.Close()
		w.probe.Release()
	}
	r.reporting.detail.addTracks(tracks)
}

// runActions works on one action after the other. The track begins at a moment.
func (w *worker) runActions(ctx context.Context, epoch time.Time) {
	for {
		i, ok := w.nextAction(ctx)
		if !ok {
			return
		}
		release := w.hold()
		wait := w.follow(ctx, i, epoch)
		w.probe.Flush()
		release()
		w.leave(i, wait)
	}
}

// leave notes how an action ended, or what it waits for.
func (w *worker) leave(i int, wait *waitError) {
	if wait != nil && len(wait.keys) > 0 {
		w.askAgain(i, wait.keys)
	} else {
		w.queue.done(i, wait, w.results[i].Outcome)
	}
}

// left is how many actions can be begun now, those that are awaited among them.
func (q *queue) left() int { return len(q.ready) + len(q.open) }

// mayLead reports whether actions may become ready by what others come to.
func (r *runner) mayLead() bool { return r.queue.settled != nil || r.remote.Reads() }

// nextNear returns the next action to begin, and waits for one if an action may still
// become ready.
func (r *runner) nextNear(ctx context.Context) (i int, ok bool) {
	q := &r.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if i, ok := q.takeReady(); ok {
			q.atWork++
			q.noteIdle()
			return i, true
		}
		switch {
		case len(q.open) > 0:
			if i, ok := r.race(ctx); ok {
				q.atWork++
				q.noteIdle()
				return i, true
			}
		case q.atWork > 0 && r.mayLead():
			q.more.Wait()
		case len(q.waits) > 0:
			r.stuck(ctx)
			q.more.Broadcast()
		default:
			return 0, false
		}
	}
}

// done notes how an action ended, or that it waits.
func (q *queue) done(i int, wait *waitError, how Outcome) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.atWork--
	switch {
	case wait != nil:
		q.wait(i, wait.question, wait.on)
	case how != NotReached: // else what waits for it is not reached either
		q.settle(i)
	}
	q.more.Broadcast()
}

// started reports whether an action was begun before.
func (q *queue) started(i int) (again bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	again = q.begun[i]
	q.begun[i] = true
	return again
}

// stuck sees to the bundles that wait when nothing else is left. If some wait for what they
// asked for last time, all are to ask now. If they have, they take each other.
func (r *runner) stuck(ctx context.Context) {
	q := &r.queue
	ended := ctx.Err() != nil || r.failed.Load()
	again := !q.ask && !r.DryRun
	waits := q.giveUp()
	for _, i := range slices.Sorted(maps.Keys(waits)) {
		switch {
		case ended:
			r.finishAction(i, Result{Action: r.asDecided(i), Outcome: NotReached}, nil, 0)
		case again:
			q.push(i)
		default:
			r.failWaiting(i, r.Artifacts.open(waits[i].question))
		}
	}
	q.ask = true
}

// asDecided returns an action that waits, with the decision about it if there is one.
func (r *runner) asDecided(i int) *plan.Action {
	return cmp.Or(r.results[i].Action, &r.plan.Actions[i])
}

// failWaiting ends an action that waits for itself.
func (r *runner) failWaiting(i int, err error) {
	a := r.asDecided(i)
	res := Result{Outcome: Failed, State: index.Failed, Err: err}
	if !r.DryRun {
		w := &worker{runner: r}
		res = w.fail(context.Background(), planned{Action: a}, err)
	}
	res.Action = a
	r.finishAction(i, res, nil, 0)
}

// foreseen returns what a bundle has to wait for if it asks for the same as last time.
func (r *runner) foreseen(i int) *waitError {
	if r.queue.ask {
		return nil
	}
	for _, question := range plan.ExpectedQuestions(&r.plan.Actions[i], r.plan.Facts) {
		if wait := r.Artifacts.open(question); wait != nil {
			return wait
		}
	}
	return nil
}
