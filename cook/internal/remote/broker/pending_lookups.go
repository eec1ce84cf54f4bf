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

// ErrArrived reports that cooking was stopped because the server had the result.
var ErrArrived = errors.New("the server had the result")

// lookups has the actions that were looked up on the server. The queue's lock guards it. An action
// becomes ready when its answer arrives:
//
//	open -> answered            restored, or cooked if the server does not have the result
//	     -> racing              cooked; then its look-up is canceled
//	     -> racing -> answered  restored; the cooking is stopped
//	     -> given up            cooked, because a look-up costs as much as cooking
//
// A worker with nothing else to begin may take the open action whose answer is expected last. It
// does so if waiting for this answer would take longer than cooking. If a processor is idle, it
// assumes that the answer arrives after all other answers. A slow or silent server therefore does
// not slow down the run. During an outage the look-ups stay open, because the answers may arrive
// later; meanwhile the workers cook.
type lookups struct {
	latency latency
	down    bool  // the server does not answer at present
	bytes   int64 // number of downloaded bytes
	spare   sysidle.Meter
	open    map[int]bool                    // actions without an answer that have not begun yet
	order   []int                           // actions in the order of their requests, including some with an answer
	again   []int                           // actions that were looked up again, in the order of requests
	racing  map[int]context.CancelCauseFunc // actions that began without an answer; the value is nil until cooking starts
	useful  int                             // number of results that arrived in time
	vain    int                             // number of requests for actions that were cooked anyway
}

// After mostVain useless requests, the broker no longer looks up cheap actions, which take at most
// a millisecond to cook. A request costs a fraction of that time on this machine.
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

// lastAsked returns the open action with the latest request. Repeated look-ups count as later than
// first look-ups.
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

// Ask looks up all ready actions whose results may be on the server, without waiting for answers.
// It returns the actions that it did not look up. Call it before the workers start.
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

// mayAsk reports whether the result of an action should be looked up on the server. That is useful
// only if the index and the store lack the result.
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

// wantedOf describes the result of an action to look up, and lists the artifacts that are in place.
func wantedOf(a *plan.Action, k remote.Key) remote.Expectation {
	w := remote.Expectation{Key: k, Asset: a.Path}
	if a.Last == nil {
		return w
	}
	for i := range a.Last.Outputs {
		o := &a.Last.Outputs[i]
		if o.State == contents.Intact && a.IsOutput(i, o.Artifact) {
			w.Have = append(w.Have, o.Artifact.Blob)
		}
	}
	return w
}

// AskAgain looks up further keys of an action. The action becomes ready when an answer has a
// result, or when all answers have arrived.
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

// Next tells a worker what to do if look-ups are open but no action is ready. It returns an action
// to begin without its answer, or the time to wait for answers. idle is the number of workers that
// already wait. If hurry is set, no worker waits. The queue must be locked.
func (b *Broker) Next(idle int, hurry bool) (i int, wait time.Duration, ok bool) {
	l := &b.lookups
	if b.opt.Remote.NoRace && !l.down && !hurry {
		return 0, Forever, false
	}
	now := b.opt.Now()
	next := l.latency.nextAnswer(now, idle)
	if hurry {
		i = l.firstAsked()
		l.beginUnanswered(i)
		return i, 0, true
	}
	if l.down || next == Forever {
		i = l.lastAsked() // the answers may continue with the first action
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
	wait = min(took, silentGaps*max(l.latency.gap(), firstGap)) - now.Sub(l.latency.sign)
	wait = min(wait, sysidle.Period) // processors may be idle by then
	return 0, max(wait, time.Millisecond), false
}

// cookTime returns the expected time to cook an action here.
func (b *Broker) cookTime(i int) time.Duration {
	a := &b.opt.Actions[i]
	return max(cookone.Expected(a), b.costs.expected(a))
}

// noteLinkState records that an outage of the server begins or ends.
func (b *Broker) noteLinkState(state remote.LinkState) {
	b.opt.Queue.Lock()
	defer b.opt.Queue.Unlock()
	b.lookups.down = state == remote.LinkDown
	b.lookups.latency.noteSign(b.opt.Now())
	b.opt.Queue.Wake()
}

// noteBytes records the number of downloaded bytes. A server that sends bytes is not silent.
func (b *Broker) noteBytes(down int64) {
	b.opt.Queue.Lock()
	defer b.opt.Queue.Unlock()
	if down > b.lookups.bytes {
		b.lookups.bytes = down
		b.lookups.latency.noteSign(b.opt.Now())
	}
}

// noteAnswered records the answer for an action. whole reports whether the store has the result and
// its blobs. If the action is being cooked, a whole result stops the cooking.
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
		return // the action was cooked, or its look-up was given up
	}
	if stop != nil && whole {
		stop(ErrArrived)
	}
	delete(l.racing, i)
	if whole {
		l.useful++
	} else if givenUp := b.countVain(); len(givenUp) > 0 {
		go b.client.Forget(givenUp...) // Forget may block
	}
	b.opt.Queue.Wake()
}

// countVain counts a request for an action that was cooked anyway. If most requests are useless, it
// gives up the look-ups of cheap actions, makes these actions ready, and returns their keys.
func (b *Broker) countVain() (givenUp []remote.Key) {
	l := &b.lookups
	l.vain++
	if l.vain < mostVain || l.vain&(l.vain-1) != 0 || l.useful >= l.vain { // checked only at powers of two, because the loop below is slow
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

// Race cooks an action. If the action began without its answer and the result arrives first, the
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

// A latency predicts when the next answer of a server arrives, based on the answers so far.
type latency struct {
	asked time.Time
	last  time.Time // time of the last answer, or of the first request if there is none
	sign  time.Time // time of the last answer or other sign of life
	n     int
}

const (
	firstGap   = 25 * time.Millisecond // gap assumed before the first answer
	silentGaps = 8                     // after this many gaps without an answer, the server counts as silent
)

// noteQuestion records the time of the first request.
func (l *latency) noteQuestion(now time.Time) {
	if l.asked.IsZero() {
		l.asked, l.last, l.sign = now, now, now
	}
}

func (l *latency) noteAnswer(now time.Time) {
	l.last, l.sign = now, now
	l.n++
}

// noteSign records a sign of life other than an answer.
func (l *latency) noteSign(now time.Time) { l.sign = now }

// gap returns the mean time between answers.
func (l *latency) gap() time.Duration {
	if l.n == 0 {
		return firstGap
	}
	return l.last.Sub(l.asked) / time.Duration(l.n)
}

// nextAnswer predicts the time until an answer arrives after the given number of other answers. It
// assumes one gap per answer, but at least the time since the last sign of life. For a silent
// server, it returns Forever.
func (l *latency) nextAnswer(now time.Time, others int) time.Duration {
	silence, gap := now.Sub(l.sign), l.gap()
	if silence >= silentGaps*max(gap, firstGap) {
		return Forever
	}
	return max(gap*time.Duration(others+1), silence)
}
