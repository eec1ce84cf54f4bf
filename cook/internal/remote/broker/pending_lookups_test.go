package broker

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/recipe"
)

// A testQueue records the actions that a broker made ready.
type testQueue struct {
	sync.Mutex
	ready []int
}

func (q *testQueue) Push(i int) { q.ready = append(q.ready, i) }
func (q *testQueue) Wake()      {}

// waitingFor returns a broker that has looked up n actions. Every fourth action is expensive to
// cook.
func waitingFor(n int) (*Broker, *testQueue) {
	q := &testQueue{}
	actions := make([]plan.Action, n)
	b := &Broker{opt: Options{Queue: q, Actions: actions, Now: func() time.Time { return time.Unix(1000, 0) }}}
	l := &b.lookups
	l.open, l.racing = map[int]bool{}, map[int]context.CancelCauseFunc{}
	for i := range n {
		took := cheap
		if i%4 == 0 {
			took++
		}
		actions[i] = plan.Action{
			Method: &plan.Method{Choice: &rules.Method{Recipe: recipe.Recipe{Name: "a"}}}, Source: &contents.File{},
			Last: &contents.Before{Action: &index.Action{CookTime: took}},
		}
		l.order = append(l.order, i)
	}
	l.markAsked(l.order...)
	l.latency.noteQuestion(b.opt.Now())
	return b, q
}

// TestCheapActionsAreGivenUp checks that look-ups of cheap actions end if most answers come too
// late.
func TestCheapActionsAreGivenUp(t *testing.T) {
	const n = 1000
	b, q := waitingFor(n)
	for i := range mostVain - 1 {
		b.noteAnswered(i, false)
	}
	if got := len(b.lookups.open); got != n-mostVain+1 {
		t.Fatalf("%d are open after %d questions in vain", got, mostVain-1)
	}
	b.noteAnswered(mostVain-1, false)
	if got, want := len(b.lookups.open), (n-mostVain)/4; got != want || len(q.ready) != n-want {
		t.Errorf("%d are open and %d ready, want %d and %d", got, len(q.ready), want, n-want)
	}
	for i := range b.lookups.open {
		if i%4 != 0 {
			t.Fatalf("action %d, which is cheap, is still awaited", i)
		}
	}
	b.noteAnswered(mostVain+1, true)
	if b.lookups.useful != 0 || len(q.ready) != n-len(b.lookups.open) {
		t.Errorf("an answer to what was given up counts: %d, %d ready", b.lookups.useful, len(q.ready))
	}
}

// TestUsefulServerIsAskedOn checks that look-ups continue while most answers come in time.
func TestUsefulServerIsAskedOn(t *testing.T) {
	b, _ := waitingFor(1000)
	for i := range 2 * mostVain {
		b.noteAnswered(2*i, true)
		b.noteAnswered(2*i+1, false)
	}
	if got, want := len(b.lookups.open), 1000-4*mostVain; got != want {
		t.Errorf("%d are open, want %d", got, want)
	}
}

// TestNextAnswerIsPredicted checks the expected time of the next answer: one gap or, after a longer
// silence, the length of the silence.
func TestNextAnswerIsPredicted(t *testing.T) {
	const ms = time.Millisecond
	begin := time.Unix(1000, 0)
	var l latency
	l.noteQuestion(begin)
	l.noteQuestion(begin.Add(time.Hour)) // a second request has no effect
	want := func(at time.Duration, others int, want time.Duration) {
		t.Helper()
		if got := l.nextAnswer(begin.Add(at), others); got != want {
			t.Errorf("at %v: %v, want %v", at, got, want)
		}
	}
	want(0, 0, firstGap)
	want(0, 3, 4*firstGap)
	want(150*ms, 0, 150*ms)
	want(200*ms, 0, Forever)

	for i := range 100 {
		l.noteAnswer(begin.Add(time.Duration(i+1) * ms))
	}
	want(100*ms, 0, ms)
	want(100*ms, 9, 10*ms)
	want(150*ms, 0, 50*ms)
	want(299*ms, 0, 199*ms)
	want(300*ms, 0, Forever)

	l.noteAnswer(begin.Add(10_100 * ms))
	want(10_100*ms, 0, 100*ms)
	want(10_800*ms, 0, 700*ms)
	want(10_900*ms, 0, Forever)
}
