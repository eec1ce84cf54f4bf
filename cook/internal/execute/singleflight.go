package execute

import (
	"sync"

	"github.com/assetcook/assetcook/cook/internal/store"
)

// flights let equal actions be worked on one at a time: the second of two equal files
// waits for the first one's result.
type flights struct {
	mu   sync.Mutex
	byID map[store.ActionID]*flight
}

type flight struct {
	sync.Mutex
	waiting []uint64 // flows of a recording to those that wait, guarded by flights.mu
}

// exclusive waits until no other worker has an action of that ID in hand. In a
// recording an arrow leads from that one to this.
func (w *worker) exclusive(id store.ActionID) (release func()) {
	all := &w.flights
	all.mu.Lock()
	f, ok := all.byID[id]
	if !ok {
		f = new(flight)
		all.byID[id] = f
	}
	if !f.TryLock() {
		flow := w.Probe.Events.Flow()
		f.waiting = append(f.waiting, flow)
		all.mu.Unlock()
		span := w.probe.Begin("cook/run/wait_for_equal", "")
		if w.far {
			f.Lock()
		} else {
			w.Cores.Lend(func() error { f.Lock(); return nil })
		}
		span.End()
		w.probe.Row().FlowIn(flow)
		all.mu.Lock()
	}
	all.mu.Unlock()
	return func() {
		all.mu.Lock()
		defer all.mu.Unlock()
		for _, flow := range f.waiting {
			w.probe.Row().FlowOut(flow)
		}
		f.waiting = nil
		f.Unlock()
	}
}
