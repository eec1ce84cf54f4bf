package execute

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/lookup"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/profile"
	"github.com/assetcook/assetcook/profile/events"
)

// TestEqualActionsWaitAndAreLinked checks that workers run actions with equal IDs one at a time. An
// arrow in the recording must lead to each action that waited.
func TestEqualActionsWaitAndAreLinked(t *testing.T) {
	var stream bytes.Buffer
	probe := profile.Probe{Events: events.New(&stream, events.Options{})}
	stored := &lookup.Finder{Store: &store.Store{}}
	r := &run{env: cookone.Env{Probe: probe}, finder: stored, flights: flights{byID: map[store.ActionID]*flight{}}}
	newWorker := func(name string) *worker { return &worker{run: r, site: thisMachine{r}, probe: probe.Worker(name)} }

	task := func(id byte) cookone.Task {
		m := &plan.Method{Choice: &rules.Method{}}
		return cookone.TaskOf(&plan.Action{ID: store.ActionID{id}, Method: m})
	}

	const waiting = 3
	first := newWorker("first")
	other := first.runExclusively(task(2))
	release := first.runExclusively(task(1))
	in := 0 // number of goroutines in the critical section; unsynchronized on purpose, for the race detector
	in++
	done := make(chan bool)
	for range waiting {
		go func() {
			w := newWorker("second")
			release := w.runExclusively(task(1))
			in++
			release()
			w.probe.Release()
			done <- true
		}()
	}
	for queued := 0; queued < waiting; {
		runtime.Gosched()
		r.flights.mu.Lock()
		queued = len(r.flights.byID[store.ActionID{1}].waiting)
		r.flights.mu.Unlock()
	}
	if in != 1 {
		t.Errorf("%d have the same action in hand", in)
	}
	release()
	other()
	for range waiting {
		<-done
	}
	first.probe.Release()
	if err := probe.Events.Close(); err != nil {
		t.Fatal(err)
	}

	from, to := map[uint64]string{}, map[uint64]bool{}
	recorded := events.Read(&stream)
	for e, err := range recorded.All() {
		if err != nil {
			t.Fatal(err)
		}
		switch e.Kind {
		case events.FlowOut:
			from[e.Flow] = recorded.Workers()[e.Worker]
		case events.FlowIn:
			to[e.Flow] = true
		}
	}
	if len(from) != waiting || len(to) != waiting {
		t.Fatalf("%d arrows begin, %d end; want %d", len(from), len(to), waiting)
	}
	for flow, row := range from {
		if !to[flow] || row != "first" {
			t.Errorf("arrow %d from %s arrives: %v", flow, row, to[flow])
		}
	}
}
