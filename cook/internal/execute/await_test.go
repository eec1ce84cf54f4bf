package execute

import (
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/recipe"
)

// waitingFor returns a runner that has asked about actions of which every fourth is dear.
func waitingFor(n int) *runner {
	r := &runner{cooker: &cooker{}, plan: &plan.Plan{Actions: make([]plan.Action, n)}}
	r.Env.Now = func() time.Time { return time.Unix(1000, 0) }
	q := &r.queue
	q.more.L = &q.mu
	q.schedule = newSchedule(make([]time.Duration, n), false)
	for i := range n {
		r.plan.Actions[i] = plan.Action{Method: &plan.Method{Method: &rules.Method{Recipe: recipe.Recipe{Name: "a"}}}, Source: &contents.File{}}
		q.took[i] = cheap
		if i%4 == 0 {
			q.took[i] = cheap + 1
		}
		q.order = append(q.order, i)
	}
	q.await(q.order)
	q.asking(r.Now())
	return r
}

// What is cheap is not asked about any more when most answers bring nothing in time.
func TestGiveUpCheap(t *testing.T) {
	const n = 1000
	r := waitingFor(n)
	for i := range mostVain - 1 {
		r.arrived(i, false)
	}
	if got := len(r.queue.open); got != n-mostVain+1 {
		t.Fatalf("%d are open after %d questions in vain", got, mostVain-1)
	}
	r.arrived(mostVain-1, false)
	if got, want := len(r.queue.open), (n-mostVain)/4; got != want || len(r.queue.ready) != n-want {
		t.Errorf("%d are open and %d ready, want %d and %d", got, len(r.queue.ready), want, n-want)
	}
	for i := range r.queue.open {
		if i%4 != 0 {
			t.Fatalf("action %d, which is cheap, is still awaited", i)
		}
	}
	r.arrived(mostVain+1, true) // too late
	if r.queue.won != 0 || len(r.queue.ready) != n-len(r.queue.open) {
		t.Errorf("an answer to what was given up counts: %d, %d ready", r.queue.won, len(r.queue.ready))
	}
}

// A server that brings more than is cooked meanwhile is asked on.
func TestKeepAsking(t *testing.T) {
	r := waitingFor(1000)
	for i := range 2 * mostVain {
		r.arrived(2*i, true)
		r.arrived(2*i+1, false)
	}
	if got, want := len(r.queue.open), 1000-4*mostVain; got != want {
		t.Errorf("%d are open, want %d", got, want)
	}
}
