package memory

import (
	"context"
	"fmt"
)

// noWait is a nil context, for calls that do not wait.
var noWait context.Context

// A BudgetError describes an allocation that an enforced budget refused.
type BudgetError struct {
	Group  string // group that has the budget: the pool's group or a group that encloses it
	Budget int64
	Held   int64 // bytes that Group held at the request
	Asked  int64 // number of requested additional bytes
}

func (e *BudgetError) Error() string {
	switch {
	case e.Asked > e.Budget:
		return fmt.Sprintf("memory: group %q: the request of %d bytes exceeds the whole budget of %d", e.Group, e.Asked, e.Budget)
	case e.Asked <= e.Budget-e.Held:
		return fmt.Sprintf("memory: group %q: the request of %d bytes has to wait: %d of the budget of %d are in use, and earlier requests come first", e.Group, e.Asked, e.Held, e.Budget)
	}
	return fmt.Sprintf("memory: group %q: the request of %d bytes exceeds the budget: %d of %d are in use", e.Group, e.Asked, e.Held, e.Budget)
}

// TryBytes is like [Pool.Bytes], but returns a *[BudgetError] if an enforced budget of the group or
// of an enclosing group has no room. A budget with waiting requests has no room.
func (p *Pool) TryBytes(w *Worker, n int) ([]byte, error) {
	return p.bytes(noWait, p.site(w), n)
}

// WaitBytes is like [Pool.Bytes], but first waits until the enforced budgets have room: the group's
// own budget, then the budgets of enclosing groups. Requests are served in order, so that a large
// request does not starve. WaitBytes returns an error when ctx ends, and a *[BudgetError] at once
// if n exceeds a whole budget.
//
// A goroutine that waits while it holds memory of the same budget may deadlock.
func (p *Pool) WaitBytes(ctx context.Context, w *Worker, n int) ([]byte, error) {
	return p.bytes(ctx, p.site(w), n)
}

// TryGrow is like [Group.Grow] but returns the errors of [Pool.TryBytes].
func (g *Group) TryGrow(w *Worker, n int64) (Account, error) { return g.grow(noWait, w, n) }

// WaitGrow is like [Group.Grow] but waits as [Pool.WaitBytes] does.
func (g *Group) WaitGrow(ctx context.Context, w *Worker, n int64) (Account, error) {
	return g.grow(ctx, w, n)
}

// admit takes n bytes from the enforced budgets of g and the groups that enclose it, up to but
// excluding end. With a context, it waits for the budgets one after another, from g outward. A
// request that waits for its own group takes nothing from the enclosing groups.
func (g *Group) admit(ctx context.Context, n int64, end *Group) error {
	if n <= 0 {
		return nil
	}
	for a := g; a != end; a = a.parent {
		if a.gate != nil && n > a.budget {
			return a.refuse(n)
		}
	}
	for a := g; a != end; a = a.parent {
		if a.gate == nil || a.gate.TryAcquire(n) {
			continue
		}
		if ctx == noWait {
			err := a.refuse(n)
			g.release(n, a)
			return err
		}
		a.waited.Add(1)
		if err := a.gate.Acquire(ctx, n); err != nil {
			g.release(n, a)
			return fmt.Errorf("memory: group %q: waiting for %d bytes: %w", a.name, n, err)
		}
	}
	return nil
}

func (g *Group) refuse(n int64) error {
	g.refused.Add(1)
	return &BudgetError{Group: g.name, Budget: g.budget, Held: g.held.bytes.Load(), Asked: n}
}

// release returns the bytes that admit has taken.
func (g *Group) release(n int64, end *Group) {
	if n <= 0 {
		return
	}
	for a := g; a != end; a = a.parent {
		if a.gate != nil {
			a.gate.Release(n)
		}
	}
}
