package run

import (
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/memory"
)

// A holding is memory that a recipe said it holds.
type holding struct {
	memory.Account
	name  events.Symbol
	bytes int64
}

// mostKinds is how many kinds of memory are told apart.
const mostKinds = 64

// kindOf returns the kind that memory is entered under.
func (r *runner) kindOf(kind string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.kinds[kind] && len(r.kinds) == mostKinds {
		return "other"
	}
	r.kinds[kind] = true
	return kind
}

// hold notes that the recipe at work holds memory of a kind.
func (r *worker) hold(kind string, bytes int64) {
	kind = r.kindOf(kind)
	h := holding{
		Account: r.Probe.Memory.Group(kind, 0).Grow(r.probe.Memory(), bytes),
		name:    r.Probe.Events.Symbol(kind),
		bytes:   bytes,
	}
	r.probe.Row().Alloc(h.name, h.bytes)
	r.holdings = append(r.holdings, h)
}

// letGo notes that the recipe is over.
func (r *worker) letGo() {
	for i := range r.holdings {
		h := &r.holdings[i]
		h.Shrink()
		r.probe.Row().Free(h.name, h.bytes)
	}
	r.holdings = r.holdings[:0]
}
