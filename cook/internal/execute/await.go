package execute

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/internal/sysidle"
)

// errArrived ends the cooking of what has come from the server meanwhile.
var errArrived = errors.New("the server had it")

// Awaits are actions about which the server was asked. Each is ready when its answer has come:
//
//	asked about -> answered          restored, or cooked if the server does not have it
//	            -> begun             cooked, and forgotten by the server when that is done
//	            -> begun -> answered restored; what was cooked so far is thrown away
//	            -> given up          cooked: asking costs as much as cooking
//
// A worker that has nothing else to begin cooks the one whose answer comes last, if that takes
// longer to come than to cook. Where all processors are busy, which what comes needs as well, it
// does so only if it would wait longer for the next answer of all. So a server that is slow, or
// silent, makes no run slower, and does the part that it can.
type awaits struct {
	arrivals
	spare  sysidle.Meter
	open   map[int]bool                    // neither answered nor begun
	order  []int                           // as they were asked about, with some that are not open any more
	again  []int                           // likewise, those that answers have led to
	racing map[int]context.CancelCauseFunc // begun and not answered; nil before it cooks
	idle   int                             // workers that wait for answers
	won    int                             // answers that brought a result in time
	vain   int                             // questions about what was cooked all the same
}

// What is given up: actions that take no longer than cheap, which is a few times what asking
// costs this machine, after so many questions in vain.
const (
	cheap    = time.Millisecond
	mostVain = 64
)

// await has actions be asked about. They are ready when they have been answered.
func (a *awaits) await(actions []int) {
	if a.open == nil {
		a.open, a.racing = map[int]bool{}, map[int]context.CancelCauseFunc{}
	}
	for _, i := range actions {
		a.open[i] = true
	}
}

// start begins an action without its answer.
func (a *awaits) start(i int) {
	delete(a.open, i)
	a.racing[i] = nil
}

// first returns the open action that was asked about first.
func (a *awaits) first() int {
	for _, list := range []*[]int{&a.again, &a.order} {
		for ; len(*list) > 0; *list = (*list)[1:] {
			if i := (*list)[0]; a.open[i] {
				return i
			}
		}
	}
	return -1
}

// last returns the open action that was asked about last, those aside that answers have led to
// if there are others.
func (a *awaits) last() int {
	for _, list := range []*[]int{&a.order, &a.again} {
		for ; len(*list) > 0; *list = (*list)[:len(*list)-1] {
			if i := (*list)[len(*list)-1]; a.open[i] {
				return i
			}
		}
	}
	return -1
}

// race returns an awaited action that is to be begun without its answer, or waits until that
// may have changed.
func (r *runner) race(ctx context.Context) (i int, ok bool) {
	q := &r.queue
	hurry := ctx.Err() != nil || r.failed.Load()
	if r.Remote.NoRace && !hurry {
		q.more.Wait()
		return 0, false
	}
	now := r.Now()
	next := q.arrivals.nextArrival(now, q.idle)
	if hurry || next == never {
		i = q.first()
		q.start(i)
		return i, true
	}
	if q.spare.Cores(now) >= 1 {
		next = max(next, q.gap()*time.Duration(len(q.open)))
	}
	i = q.last()
	took := max(q.took[i], r.remote.worths.worthOf(planned{Action: &r.plan.Actions[i]}))
	if took < next {
		q.start(i)
		return i, true
	}
	wait := min(took, silences*max(q.gap(), firstGap)) - now.Sub(q.arrivals.last)
	wait = min(wait, sysidle.Period) // by then there may be processors to spare
	timer := time.AfterFunc(max(wait, time.Millisecond), q.wake)
	defer timer.Stop()
	q.idle++
	q.more.Wait()
	q.idle--
	return 0, false
}

// inVain notes that an action is cooked though it was asked about. It returns those that are
// given up by that; they are ready.
func (r *runner) inVain() (givenUp []remote.Key) {
	q := &r.queue
	q.vain++
	if q.vain < mostVain || q.vain&(q.vain-1) != 0 || q.won >= q.vain { // now and then: it looks at all
		return nil
	}
	for _, list := range [][]int{q.order, q.again} {
		for _, i := range list {
			a := planned{Action: &r.plan.Actions[i]}
			if q.open[i] && max(q.took[i], r.remote.worths.worthOf(a)) <= cheap {
				delete(q.open, i)
				q.push(i)
				givenUp = append(givenUp, keyOf(a, nil))
			}
		}
	}
	return givenUp
}

// wake has those that wait for something to begin look again.
func (q *queue) wake() {
	q.mu.Lock() // not between a look and the beginning of a wait
	defer q.mu.Unlock()
	q.more.Broadcast()
}

// arrived notes that an action has been answered. If it is being cooked and all of its blobs
// have come, that ends.
func (r *runner) arrived(i int, whole bool) {
	q := &r.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	q.arrivals.noteAnswer(r.Now())
	stop, races := q.racing[i]
	if q.open[i] {
		delete(q.open, i)
		q.push(i)
	} else if !races {
		return // it was cooked, or given up
	}
	if stop != nil && whole {
		stop(errArrived)
	}
	delete(q.racing, i)
	if whole {
		q.won++
	} else if givenUp := r.inVain(); len(givenUp) > 0 {
		go r.remote.Forget(givenUp...) // which waits for the server's end, as this must not
	}
	q.more.Broadcast()
}

// cookUnlessArrived cooks the action at work. The error is errArrived if the server has
// answered meanwhile.
func (w *worker) cookUnlessArrived(ctx context.Context, a planned) (ready, error) {
	q, i := &w.queue, w.action
	q.mu.Lock()
	_, races := q.racing[i]
	if !races {
		q.mu.Unlock()
		return w.cook(ctx, a)
	}
	racing, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	q.racing[i] = stop
	q.mu.Unlock()

	r, err := w.cook(racing, a)
	q.mu.Lock()
	_, races = q.racing[i]
	delete(q.racing, i)
	var unasked []remote.Key
	if races {
		unasked = append(w.inVain(), keyOf(a, nil))
		q.more.Broadcast()
	}
	q.mu.Unlock()
	w.remote.Forget(unasked...)
	if err != nil && ctx.Err() == nil && context.Cause(racing) == errArrived {
		err = errArrived
	}
	return r, err
}

// askAgain has an action wait for more answers, until one is a result or all have come.
func (r *runner) askAgain(i int, keys []remote.Key) {
	q := &r.queue
	q.mu.Lock()
	q.await([]int{i})
	q.again = append(q.again, i)
	q.atWork--
	q.asking(r.Now())
	q.mu.Unlock()
	wanted := make([]remote.Wanted, len(keys))
	for n, k := range keys {
		wanted[n] = wantedOf(planned{Action: &r.plan.Actions[i]}, k)
	}
	var answers atomic.Int64
	r.remote.Expect(wanted, func(_ int, whole bool) {
		if all := answers.Add(1) == int64(len(keys)); whole || all {
			r.arrived(i, whole)
		}
	})
}
