package broker

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/lookup"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/internal/sysidle"
)

// ErrArrived reports that cooking was stopped because the result arrived from the server in the
// meantime.
var ErrArrived = errors.New("the server had the result")

// lookups holds the actions that were looked up on the server. The lock of the queue guards
// lookups. An action becomes ready when its answer arrives:
//
//	open -> answered            restored, or cooked if the server does not have it
//	     -> racing              cooked, and forgotten by the server when that is done
//	     -> racing -> answered  restored; the work done so far is thrown away
//	     -> given up            cooked, because asking costs as much as cooking
//
// A worker with nothing else to begin takes the open action whose answer is expected last. It does
// so if waiting for this answer would take longer than cooking the action. If all processors are
// busy, also because downloads need them, it compares cooking with the wait for the very last
// answer instead. Thus a slow or silent server does not slow down the run, but does as much of the
// work as it can.
type lookups struct {
	latency latency
	spare   sysidle.Meter
	open    map[int]bool                    // actions without an answer that have not begun
	order   []int                           // actions in the order of their requests; some are already answered
	again   []int                           // actions looked up again, in the order of requests
	racing  map[int]context.CancelCauseFunc // actions begun without an answer; the function is nil until cooking starts
	useful  int                             // number of answers with a result that came in time
	vain    int                             // number of requests whose actions were cooked here
}

// After mostVain useless requests, the broker gives up look-ups of cheap actions, which take at
// most the time cheap to cook. This time is a few times the cost of a request on this machine.
const (
	cheap    = time.Millisecond
	mostVain = 64
)

// markAsked records actions that wait for answers.
func (l *lookups) markAsked(actions ...int) {
	for _, i := range actions {
		l.open[i] = true
	}
}

// beginUnanswered records that an action begins before its answer has arrived.
func (l *lookups) beginUnanswered(i int) {
	delete(l.open, i)
	l.racing[i] = nil
}

// firstAsked returns the open action with the earliest request.
func (l *lookups) firstAsked() int {
	for _, list := range []*[]int{&l.again, &l.order} {
		for ; len(*list) > 0; *list = (*list)[1:] {
			if i := (*list)[0]; l.open[i] {
				return i
			}
		}
	}
	return -1
}

// lastAsked returns the open action with the latest request. Actions that were looked up again
// count as later than all others.
func (l *lookups) lastAsked() int {
	for _, list := range []*[]int{&l.order, &l.again} {
		for ; len(*list) > 0; *list = (*list)[:len(*list)-1] {
			if i := (*list)[len(*list)-1]; l.open[i] {
				return i
			}
		}
	}
	return -1
}

// Ask looks up all ready actions whose results may be on the server. All of these requests are in
// flight at once. Ask returns the other actions. Call it before the queue has workers.
func (b *Broker) Ask(ready []int) (rest []int) {
	if !b.client.Reads() {
		return ready
	}
	l := &b.lookups
	rest = slices.DeleteFunc(ready, func(i int) bool {
		asks := b.mayAsk(&b.opt.Actions[i])
		if asks {
			l.order = append(l.order, i)
		}
		return asks
	})
	order := slices.Clone(l.order)
	wanted := make([]remote.Expectation, len(order))
	for n, i := range order {
		a := &b.opt.Actions[i]
		wanted[n] = wantedOf(a, lookup.KeyOf(a, nil))
	}
	l.markAsked(order...)
	l.latency.noteQuestion(b.opt.Now())
	b.client.Expect(wanted, func(n int, whole bool) { b.noteAnswered(order[n], whole) })
	return rest
}

// mayAsk reports whether to look up the result of an action on the server, because neither the
// index nor the store has it.
func (b *Broker) mayAsk(a *plan.Action) bool {
	if a.Err != nil || !a.Runs() || a.ID.IsZero() || a.Moved != nil || a.IsForced() || !b.opt.Finder.Stores(a) || lookup.IndexHas(a) {
		return false
	}
	if sets, err := b.opt.Finder.Store.ReadSets(a.ID); err == nil && sets != nil {
		return false
	}
	_, err := b.opt.Finder.Store.Result(plan.ResultID(a.ID, nil))
	return err != nil
}

// wantedOf describes the wanted result of an action for the server, without the artifacts that are
// already in place.
func wantedOf(a *plan.Action, k remote.Key) remote.Expectation {
	w := remote.Expectation{Key: k, Asset: a.Path}
	if a.Last == nil {
		return w
	}
	for i := range a.Last.Outputs {
		o := &a.Last.Outputs[i]
		if o.State == contents.Intact && a.IsOutput(i, &o.Artifact) {
			w.Have = append(w.Have, o.Artifact.Blob)
		}
	}
	return w
}

// AskAgain looks up more keys of an action. The action becomes ready when one answer is a result,
// or when all answers have arrived.
func (b *Broker) AskAgain(i int, a *plan.Action, keys []remote.Key) {
	b.opt.Queue.Lock()
	b.lookups.markAsked(i)
	b.lookups.again = append(b.lookups.again, i)
	b.lookups.latency.noteQuestion(b.opt.Now())
	b.opt.Queue.Unlock()
	wanted := make([]remote.Expectation, len(keys))
	for n, k := range keys {
		wanted[n] = wantedOf(a, k)
	}
	var answers atomic.Int64
	b.client.Expect(wanted, func(_ int, whole bool) {
		if all := answers.Add(1) == int64(len(keys)); whole || all {
			b.noteAnswered(i, whole)
		}
	})
}

// Pending returns the number of open look-ups. The queue must be locked.
func (b *Broker) Pending() int { return len(b.lookups.open) }

// Forever is a wait without a time limit.
const Forever = time.Duration(math.MaxInt64)

// Next tells a worker what to do when look-ups are open but no action is ready. It returns either
// an action to begin without its answer, or a time to wait for answers. idle is the number of
// workers that already wait. If hurry is set, no worker waits. The queue must be locked.
func (b *Broker) Next(idle int, hurry bool) (i int, wait time.Duration, ok bool) {
	l := &b.lookups
	if b.opt.Remote.NoRace && !hurry {
		return 0, Forever, false
	}
	now := b.opt.Now()
	next := l.latency.nextAnswer(now, idle)
	if hurry || next == Forever {
		i = l.firstAsked()
		l.beginUnanswered(i)
		return i, 0, true
	}
	if l.spare.Cores(now) >= 1 {
		next = max(next, l.latency.gap()*time.Duration(len(l.open)))
	}
	i = l.lastAsked()
	took := b.cookTime(i)
	if took < next {
		l.beginUnanswered(i)
		return i, 0, true
	}
	wait = min(took, silentGaps*max(l.latency.gap(), firstGap)) - now.Sub(l.latency.last)
	wait = min(wait, sysidle.Period) // time for another check, when the processors may be idle
	return 0, max(wait, time.Millisecond), false
}

// cookTime returns the expected time to cook an action here.
func (b *Broker) cookTime(i int) time.Duration {
	a := &b.opt.Actions[i]
	return max(cookone.Expected(a), b.costs.expected(a))
}

// noteAnswered records the answer for an action. If the action is already being cooked, and all
// blobs of the result have arrived, it stops the cooking.
func (b *Broker) noteAnswered(i int, whole bool) {
	b.opt.Queue.Lock()
	defer b.opt.Queue.Unlock()
	l := &b.lookups
	l.latency.noteAnswer(b.opt.Now())
	stop, races := l.racing[i]
	if l.open[i] {
		delete(l.open, i)
		b.opt.Queue.Push(i)
	} else if !races {
		return // the action was already cooked, or its look-up was given up
	}
	if stop != nil && whole {
		stop(ErrArrived)
	}
	delete(l.racing, i)
	if whole {
		l.useful++
	} else if givenUp := b.countVain(); len(givenUp) > 0 {
		go b.client.Forget(givenUp...) // Forget waits for the server, so it runs in a goroutine
	}
	b.opt.Queue.Wake()
}

// countVain counts a request for an action that was cooked anyway. If most requests are useless, it
// gives up the look-ups of cheap actions, makes these actions ready, and returns their keys.
func (b *Broker) countVain() (givenUp []remote.Key) {
	l := &b.lookups
	l.vain++
	if l.vain < mostVain || l.vain&(l.vain-1) != 0 || l.useful >= l.vain { // checks only at powers of two, because the check visits all actions
		return nil
	}
	for _, list := range [][]int{l.order, l.again} {
		for _, i := range list {
			if l.open[i] && b.cookTime(i) <= cheap {
				delete(l.open, i)
				b.opt.Queue.Push(i)
				givenUp = append(givenUp, lookup.KeyOf(&b.opt.Actions[i], nil))
			}
		}
	}
	return givenUp
}

// Race cooks an action. If the action began without its answer and the result arrives in the
// meantime, the error is ErrArrived.
func (b *Broker) Race(ctx context.Context, i int, a *plan.Action, cook func(context.Context) (cookone.Ready, error)) (cookone.Ready, error) {
	q, l := b.opt.Queue, &b.lookups
	q.Lock()
	_, races := l.racing[i]
	if !races {
		q.Unlock()
		return cook(ctx)
	}
	racing, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	l.racing[i] = stop
	q.Unlock()

	r, err := cook(racing)
	q.Lock()
	_, races = l.racing[i]
	delete(l.racing, i)
	var unasked []remote.Key
	if races {
		unasked = append(b.countVain(), lookup.KeyOf(a, nil))
		q.Wake()
	}
	q.Unlock()
	b.client.Forget(unasked...)
	if err != nil && ctx.Err() == nil && context.Cause(racing) == ErrArrived {
		err = ErrArrived
	}
	return r, err
}

// A latency predicts when the next answer of a server arrives, based on the answers so far.
type latency struct {
	asked time.Time
	last  time.Time // time of the last answer; before the first answer, time of the first request
	n     int       // answers
}

const (
	firstGap   = 25 * time.Millisecond // gap assumed before the first answer
	silentGaps = 8                     // number of gaps without an answer after which a server counts as silent
)

// noteQuestion records the time of the first request.
func (l *latency) noteQuestion(now time.Time) {
	if l.asked.IsZero() {
		l.asked, l.last = now, now
	}
}

// noteAnswer records the arrival of an answer.
func (l *latency) noteAnswer(now time.Time) {
	l.last = now
	l.n++
}

// gap returns the mean time between answers.
func (l *latency) gap() time.Duration {
	if l.n == 0 {
		return firstGap
	}
	return l.last.Sub(l.asked) / time.Duration(l.n)
}

// nextAnswer predicts the time until a certain answer arrives: first, the given number of other
// answers must arrive. It counts one gap for each answer, or the time since the last answer if that
// is longer. For a silent server, it returns Forever.
func (l *latency) nextAnswer(now time.Time, others int) time.Duration {
	silence, gap := now.Sub(l.last), l.gap()
	if silence >= silentGaps*max(gap, firstGap) {
		return Forever
	}
	return max(gap*time.Duration(others+1), silence)
}
