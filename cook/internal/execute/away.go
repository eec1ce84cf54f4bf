package execute

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
)

// Actions that other machines cook are in the hands of far workers. They take from the same
// queue as the others what may leave this machine and is worth it, and wait without a core
// until it has been made:
//
//	taken -> away -> arrived            the other machine made it
//	              -> cooked here        it did not, or nothing else is left to begin and this
//	                                    machine was faster
//
// What arrives is a known result like one of the server's: its artifacts are in the store, and
// what it read has the same content here.

// away is what is known of the machines that execute actions.
type away struct {
	executed atomic.Int64 // actions that were

	program program

	mu   sync.Mutex      // guards what follows
	out  int             // actions that far workers have
	over []time.Duration // by how much executing took longer than cooking there, of the last few
	off  bool            // nothing is executed any more
	// refused are methods whose programs other machines have otherwise.
	refused map[*plan.Method]bool
}

// A program is this one, for other machines.
type program struct {
	locate func() (string, error) // os.Executable; tests replace it
	find   sync.Once
	file   remote.File
	err    error
}

const (
	samples = 8 // of the last executions count
	probes  = 3 // are executed one at a time before more are: the first takes longer than most
)

// overhead is what executing an action costs at least, besides cooking it; 0 if none was.
func (s *away) overhead() time.Duration {
	if len(s.over) == 0 {
		return 0
	}
	return slices.Min(s.over)
}

// measured notes what an execution has cost besides cooking.
func (s *away) measured(over time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = append(s.over, max(1, over))
	s.over = s.over[max(0, len(s.over)-samples):]
}

// takesAction reports whether an action that takes so long is to be executed elsewhere, and counts it
// if so. One at a time may be that is hardly worth it, to find out what it costs now.
func (s *away) takesAction(expected time.Duration, always bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	worth := always
	if over := s.overhead(); len(s.over) < probes || s.out == 0 {
		worth = worth || s.out == 0 && expected >= over/2
	} else {
		worth = worth || expected > 2*over
	}
	if s.off || !worth {
		return false
	}
	s.out++
	return true
}

func (s *away) done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out--
}

func (s *away) turnOff() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.off = true
}

// refuse notes that a method was refused, and reports whether it is the first one.
func (s *away) refuse(m *plan.Method) (first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if first = s.refused == nil; first {
		s.refused = map[*plan.Method]bool{}
	}
	s.refused[m] = true
	return first
}

func (s *away) refuses(m *plan.Method) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused[m]
}

func (s *away) isOff() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.off
}

// A farQueue is what a queue knows of far workers.
type farQueue struct {
	atWork int           // actions that they have
	near   int           // other workers
	idle   chan struct{} // closed when nothing was left to begin
}

// moreToCome reports whether there may be actions to begin, now or later.
func (r *runner) moreToCome() bool {
	q := &r.queue
	return q.left() > 0 || q.atWork > 0 && r.mayLead() || len(q.waits) > 0
}

// noteIdle notes whether nothing is left to begin.
func (q *queue) noteIdle() {
	if q.far.idle == nil || q.left() > 0 {
		return
	}
	select {
	case <-q.far.idle:
	default:
		close(q.far.idle)
	}
}

// jobsPerWorker is how many actions are elsewhere for each worker here, unless options say it.
const jobsPerWorker = 4

// farWorkers returns those that work beside n others.
func (r *runner) farWorkers(n int) []*worker {
	q := &r.queue
	if r.remote.Client == nil || !r.Remote.Exec || q.left() <= n && !r.Remote.Always {
		return nil
	}
	jobs := r.Remote.Jobs
	if jobs <= 0 {
		jobs = jobsPerWorker * r.Workers
	}
	q.far.near, q.far.idle = n, make(chan struct{})
	if r.Remote.Always {
		n = 0
	}
	workers := make([]*worker, min(jobs, q.left()-n))
	for i := range workers {
		workers[i] = r.worker("elsewhere " + string(rune('0'+i%10)))
		workers[i].far, workers[i].track = true, &track{}
	}
	return workers
}

// nextAction returns the action that a worker is to begin next.
func (w *worker) nextAction(ctx context.Context) (i int, ok bool) {
	if w.far {
		return w.nextFar(ctx)
	}
	return w.nextNear(ctx)
}

// hold has a worker hold a core while it has an action, which a far one does not.
func (w *worker) hold() (release func()) {
	if !w.far {
		return w.Cores.Hold()
	}
	return func() {
		w.remote.away.done()
		q := &w.queue
		q.mu.Lock()
		defer q.mu.Unlock()
		q.far.atWork--
	}
}

// nextFar returns an action for another machine, and waits for one as long as there may be.
// One for each worker here that has nothing to do is left to that.
func (w *worker) nextFar(ctx context.Context) (i int, ok bool) {
	const most = 64 // that are looked at: those that take longest are first
	q := &w.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if !w.moreToCome() || ctx.Err() != nil || w.failed.Load() || w.remote.away.isOff() {
			return 0, false
		}
		if w.Remote.Always || q.left() > q.far.near-(q.atWork-q.far.atWork) {
			for n, i := range q.ready[:min(most, len(q.ready))] {
				if !w.mayLeave(i) || !w.remote.away.takesAction(w.expected(i), w.Remote.Always) {
					continue
				}
				q.ready = slices.Delete(q.ready, n, n+1)
				q.atWork++
				q.far.atWork++
				q.noteIdle()
				return i, true
			}
		}
		q.more.Wait()
	}
}

// mayLeave reports whether an action may be cooked on another machine.
func (r *runner) mayLeave(i int) bool {
	a := planned{Action: &r.plan.Actions[i]}
	switch {
	case a.Err != nil || !a.Runs || a.ID.IsZero() || r.plan.Waits(i):
		return false
	case a.forced() || a.Moved != nil || !a.inStore(r.Store):
		return false
	case a.Last != nil && a.Last.State == index.Done && !a.Stale: // the index knows
		return false
	case a.Method.Then != nil || a.Method.Bundles() || a.Method.Follows() || r.remote.away.refuses(a.Method):
		return false
	}
	return !a.Method.Traits().Local
}

// expected is how long an action probably takes.
func (r *runner) expected(i int) time.Duration {
	a := &r.plan.Actions[i]
	if took := r.remote.worths.worthOf(planned{Action: a}); took > 0 {
		return took
	}
	return Expected(a)
}

// cookAway has another machine cook an action. If that fails, or once nothing else is left to
// begin here, it is cooked here as well; the first result counts.
func (w *worker) cookAway(ctx context.Context, a planned) (ready, error) {
	racing, stop := context.WithCancel(ctx) // of cooking here
	asking, give := context.WithCancel(ctx)
	came := make(chan *known, 1)
	go func() {
		k := w.askAway(asking, a)
		came <- k
		if k != nil {
			stop()
		}
		close(came)
	}()
	defer func() { // it must not work on when this is over
		give()
		for range came {
		}
		stop()
	}()
	w.tell(a.Action, "on another machine")
	idle := w.queue.far.idle
	if w.Remote.Always {
		idle = nil
	}
	select {
	case k := <-came:
		if k != nil {
			return w.arrive(ctx, a, *k)
		}
	case <-idle:
	}
	w.tell(a.Action, "")
	var r ready
	err := w.onCore(racing, func() (err error) {
		r, err = w.cookHere(racing, a)
		return err
	})
	if err != nil && racing.Err() != nil && ctx.Err() == nil {
		if k := <-came; k != nil {
			return w.arrive(ctx, a, *k)
		}
	}
	return r, err
}

// onCore waits for a core, unless ctx ends, and works on it.
func (w *worker) onCore(ctx context.Context, work func() error) error {
	release, err := w.Cores.HoldUnless(ctx)
	if err != nil {
		return err
	}
	defer release()
	return work()
}

// arrive makes scratch files of what another machine has cooked.
func (w *worker) arrive(ctx context.Context, a planned, k known) (r ready, err error) {
	if r, err = w.fetch(ctx, k); err == nil {
		w.remote.away.executed.Add(1)
		r.kept = true
		return r, nil
	}
	if ctx.Err() != nil {
		return ready{}, err
	}
	err = w.onCore(ctx, func() (err error) { // it has just gone again
		r, err = w.cookHere(ctx, a)
		return err
	})
	return r, err
}
