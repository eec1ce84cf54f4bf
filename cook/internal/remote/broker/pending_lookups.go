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

// ErrArrived ends the cooking of an action whose result has come from the server meanwhile.
var ErrArrived = errors.New("the server had it")

// lookups are the actions about which the server was asked. The lock of the queue guards
// them. An action becomes ready when its answer has come:
//
//	open -> answered            restored, or cooked if the server does not have it
//	     -> racing              cooked, and forgotten by the server when that is done
//	     -> racing -> answered  restored; the work done so far is thrown away
//	     -> given up            cooked, because asking costs as much as cooking
//
// A worker that has nothing else to begin takes the open action whose answer comes last, if
// the answer takes longer than cooking. Where all processors are busy, which downloads need
// as well, it does so only if it would wait longer for the last answer of all. So a slow or
// silent server makes no run slower, and does as much of the work as it can.
type lookups struct {
	latency latency
	spare   sysidle.Meter
	open    map[int]bool                    // neither answered nor begun
	order   []int                           // actions in the order of questions; some are answered
	again   []int                           // likewise, after an earlier answer
	racing  map[int]context.CancelCauseFunc // begun without answer; nil before it cooks
	useful  int                             // answers that brought a result in time
	vain    int                             // useless questions: the action was cooked
}

// After mostVain useless questions, actions that take at most cheap are given up. That is a
// few times the cost of a question on this machine.
const (
	cheap    = time.Millisecond
	mostVain = 64
)

// markAsked notes actions that wait for answers.
func (l *lookups) markAsked(actions ...int) {
	for _, i := range actions {
		l.open[i] = true
	}
}

// beginUnanswered notes that an action begins without its answer.
func (l *lookups) beginUnanswered(i int) {
	delete(l.open, i)
	l.racing[i] = nil
}

// firstAsked returns the open action that was asked about first.
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

// lastAsked returns the open action that was asked about last. Actions that were asked about
// again come after the others.
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

// Ask asks the server about all ready actions whose results may be there, so that all answers
// travel at once. It returns the other actions. The queue has no workers yet.
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

// mayAsk reports whether the server will be asked for the result of an action: the index and
// the store do not have it.
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

// wantedOf describes a result of an action to the server, without the artifacts that are in
// place already.
func wantedOf(a *plan.Action, k remote.Key) remote.Expectation {
	w := remote.Expectation{Key: k, Asset: a.Path}
	if a.Last == nil {
		return w
	}
	for i := range a.Last.Outputs {
		o := &a.Last.Outputs[i]
		if o.State == contents.Intact && i < len(a.Outputs) && o.Artifact.Path == a.Outputs[i] {
			w.Have = append(w.Have, o.Artifact.Blob)
		}
	}
	return w
}

// AskAgain asks about an action with more keys. The action is ready when one answer is a
// result, or all answers have arrived.
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

// Pending returns the number of open look-ups. The queue is locked.
func (b *Broker) Pending() int { return len(b.lookups.open) }

// Forever is a time to wait that does not end by itself.
const Forever = time.Duration(math.MaxInt64)

// Next chooses for a worker that finds no ready action while look-ups are open. It returns
// an action to begin without its answer, or else how long to wait for answers. idle is the
// number of workers that wait already. In a hurry, nothing waits. The queue is locked.
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
	wait = min(wait, sysidle.Period) // by then there may be processors to spare
	return 0, max(wait, time.Millisecond), false
}

// cookTime returns the probable time of cooking an action here.
func (b *Broker) cookTime(i int) time.Duration {
	a := &b.opt.Actions[i]
	return max(cookone.Expected(a), b.costs.expected(a))
}

// noteAnswered notes the answer about an action. If the action is being cooked, and all of its
// blobs have come, its cooking ends.
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
		return // the action was cooked, or given up
	}
	if stop != nil && whole {
		stop(ErrArrived)
	}
	delete(l.racing, i)
	if whole {
		l.useful++
	} else if givenUp := b.countVain(); len(givenUp) > 0 {
		go b.client.Forget(givenUp...) // which waits for the server, as this function must not
	}
	b.opt.Queue.Wake()
}

// countVain counts a question about an action that is cooked all the same. If most questions
// are useless, it gives up cheap actions, makes them ready, and returns their keys.
func (b *Broker) countVain() (givenUp []remote.Key) {
	l := &b.lookups
	l.vain++
	if l.vain < mostVain || l.vain&(l.vain-1) != 0 || l.useful >= l.vain { // now and then: it visits all
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

// Race cooks an action. If it began without an answer and its result arrives meanwhile, the
// error is ErrArrived.
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

// A latency predicts the next answer of a server from the answers so far.
type latency struct {
	asked time.Time
	last  time.Time // last answer; asked before the first one
	n     int       // answers
}

const (
	firstGap   = 25 * time.Millisecond // assumed before the first answer
	silentGaps = 8                     // gaps without an answer until a server is silent
)

// noteQuestion notes the time of the first question.
func (l *latency) noteQuestion(now time.Time) {
	if l.asked.IsZero() {
		l.asked, l.last = now, now
	}
}

// noteAnswer notes an answer.
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

// nextAnswer predicts the time until the answer that follows others: one gap each, or the time
// since the last answer if that is longer. It is Forever for a silent server.
func (l *latency) nextAnswer(now time.Time, others int) time.Duration {
	silence, gap := now.Sub(l.last), l.gap()
	if silence >= silentGaps*max(gap, firstGap) {
		return Forever
	}
	return max(gap*time.Duration(others+1), silence)
}
