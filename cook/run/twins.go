package run

import (
	"sync"

	"github.com/assetcook/assetcook/cook/store"
)

// twins are actions of one ID: equal files, of which the second waits for the
// first one's result.
type twins struct {
	sync.Mutex
	waiting []uint64 // flows to those who wait, guarded by runner.mu
}

// exclusive waits until no other worker has an action of that ID in hand. In a
// recording an arrow leads from that one to this.
func (r *worker) exclusive(id store.ActionID) (release func()) {
	r.mu.Lock()
	t, ok := r.ids[id]
	if !ok {
		t = new(twins)
		r.ids[id] = t
	}
	if !t.TryLock() {
		flow := r.Probe.Events.Flow()
		t.waiting = append(t.waiting, flow)
		r.mu.Unlock()
		span := r.probe.Begin("cook/run/wait_for_twin", "")
		t.Lock()
		span.End()
		r.probe.Row().FlowIn(flow)
		r.mu.Lock()
	}
	r.mu.Unlock()
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, flow := range t.waiting {
			r.probe.Row().FlowOut(flow)
		}
		t.waiting = nil
		t.Unlock()
	}
}
