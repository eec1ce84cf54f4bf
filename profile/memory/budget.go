package memory

import (
	"context"
	"fmt"
)

// noWait is the context of calls that do not wait. It is nil.
var noWait context.Context

// A BudgetError describes an allocation refused by an enforced budget.
type BudgetError struct {
	Group  string // owner of the budget: the pool's group or one above
	Budget int64
	Held   int64 // by the group, at the time of the request
	Asked  int64 // requested additional bytes
}

func (e *BudgetError) Error() string {
	switch {
	case e.Asked > e.Budget:
		return fmt.Sprintf("memory: group %q: %d bytes were asked for, more than the whole budget of %d", e.Group, e.Asked, e.Budget)
	case e.Asked <= e.Budget-e.Held:
		return fmt.Sprintf("memory: group %q: %d bytes were asked for and %d are held of a budget of %d, but others wait for the rest", e.Group, e.Asked, e.Held, e.Budget)
	}
	return fmt.Sprintf("memory: group %q: %d bytes were asked for and %d are held of a budget of %d", e.Group, e.Asked, e.Held, e.Budget)
}

// TryBytes is [Pool.Bytes] that returns a *[BudgetError] if an enforced budget, the group's or
// one above it, has no room. While other requests wait for a budget, it has no room either.
func (p *Pool) TryBytes(w *Worker, n int) ([]byte, error) {
	return p.bytes(noWait, p.site(w), n, false)
}

// WaitBytes is [Pool.Bytes] after waiting until the enforced budgets have room, first the group's
// own, then the budgets above it. Requests are served in order, so that a large one does not
// starve. It returns an error when ctx ends, and a *[BudgetError] at once if n exceeds a whole
// budget.
//
// A goroutine that waits while it holds memory of the same budget may wait for itself.
func (p *Pool) WaitBytes(ctx context.Context, w *Worker, n int) ([]byte, error) {
	return p.bytes(ctx, p.site(w), n, false)
}

// TryGrow is [Group.Grow] with the errors of [Pool.TryBytes].
func (g *Group) TryGrow(w *Worker, n int64) (Account, error) { return g.grow(noWait, w, n) }

// WaitGrow is [Group.Grow] that waits as [Pool.WaitBytes] does.
func (g *Group) WaitGrow(ctx context.Context, w *Worker, n int64) (Account, error) {
	return g.grow(ctx, w, n)
}

// admit takes n bytes from the enforced budgets of g and the groups above it, up to but excluding
// end. With a context it waits for them one after the other, from g up: a request that waits for
// its own group takes nothing from groups above.
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

// release returns the bytes that admit took.
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
