package export

import (
	"github.com/assetcook/assetcook/profile/events"
)

// A stack is a scope under the scopes that hold it, and what all scopes with this
// same stack came to.
type stack struct {
	under        *stack // nil at the bottom
	name, detail uint32
	calls, self  int64 // self: nanoseconds without those of the scopes within
}

// sumRowByStack sums a row by stack. Stacks that are in known already grow; new ones are
// appended to all.
func (r *row) sumRowByStack(all []*stack, known map[stack]*stack) []*stack {
	var open []*stack
	top := func() *stack {
		if len(open) == 0 {
			return nil
		}
		return open[len(open)-1]
	}
	enter := func(place int) {
		s := &r.spans[place]
		if s.kind != events.Scope {
			return
		}
		key := stack{under: top(), name: s.name, detail: s.detail}
		k := known[key]
		if k == nil {
			k = &stack{under: key.under, name: key.name, detail: key.detail}
			known[key] = k
			all = append(all, k)
		}
		k.calls++
		k.self += s.end - s.begin
		if k.under != nil {
			k.under.self -= s.end - s.begin
		}
		open = append(open, k)
	}
	leave := func(int) { open = open[:len(open)-1] }
	r.walk(enter, leave)
	return all
}
