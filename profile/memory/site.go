package memory

import (
	"context"
	"sync/atomic"

	"github.com/assetcook/assetcook/intern"
)

// A meter is how many bytes are held now and were at most.
type meter struct {
	bytes, peak atomic.Int64
}

// addHeld returns the bytes that are held with these n. An atomic addition returns
// each value that the sum has had to exactly one caller, so none is missed in the
// peak, however many add at once.
func (m *meter) addHeld(n int64) int64 {
	now := m.bytes.Add(n)
	for {
		peak := m.peak.Load()
		if now <= peak || m.peak.CompareAndSwap(peak, now) {
			return now
		}
	}
}

// A site is one row: what one pool handed out under one stack of scopes.
type site struct {
	held  meter
	count atomic.Int64
	pool  *Pool
	stack intern.Symbol

	_ [24]byte // a cache line, as the neighbor may be another worker's
}

// unused is the peak of a site that has never held anything, not even no bytes.
const unused = -1

func (s *site) add(n int64) {
	s.held.addHeld(n)
	s.count.Add(1)
	g := s.pool.group
	g.enterSelf(n)
	if g.more {
		s.addMore(n, 1)
	}
}

func (s *site) sub(n int64) {
	s.held.bytes.Add(-n)
	s.count.Add(-1)
	g := s.pool.group
	g.held.bytes.Add(-n)
	if g.more {
		s.subMore(n)
	}
}

// change enters n bytes more, or less, for what is entered already.
func (s *site) change(n int64) {
	s.held.addHeld(n)
	g := s.pool.group
	g.enterSelf(n)
	if g.more {
		s.addMore(n, 0)
	}
}

// addMore and subMore enter what most groups do not have: groups above, and totals.
// The latter also gives the bytes back to the enforced budgets.
func (s *site) addMore(n, count int64) {
	s.pool.group.parent.enter(n, nil)
	if s.pool.tally != nil {
		s.pool.tallyUp(n, count)
	}
}

func (s *site) subMore(n int64) {
	s.addMore(-n, -1)
	s.pool.group.release(n, nil)
}

func (s *site) key() Key {
	worker, scope := s.pool.group.tracker.names(s.stack)
	return Key{worker, s.pool.group.name, s.pool.name, scope}
}

// site returns where the pool enters what w allocates now.
func (p *Pool) site(w *Worker) *site {
	if p == nil {
		return nil
	}
	if w == nil {
		return p.outside
	}
	f := &w.frames[len(w.frames)-1]
	recent := &f.recent[p.number%len(f.recent)]
	if s := *recent; s != nil && s.pool == p {
		return s
	}
	t := p.group.tracker
	if w.tracker != t {
		panic("memory: pool " + p.String() + ": the worker is of another tracker")
	}
	t.mu.Lock()
	*recent = p.siteLocked(f.stack)
	t.mu.Unlock()
	return *recent
}

// siteLocked is site for a stack, while the tracker's mu is held.
func (p *Pool) siteLocked(stack intern.Symbol) *site {
	s := p.sites[stack]
	if s == nil {
		s = &site{pool: p, stack: stack}
		s.held.peak.Store(unused)
		p.sites[stack] = s
		p.group.tracker.sites = append(p.group.tracker.sites, s)
	}
	return s
}

// An Account is memory that [Group.Grow] entered. The zero Account is of none.
type Account struct {
	site  *site
	bytes int64
}

// Grow records n bytes that were allocated elsewhere, or are about to be, as held by w under
// its current scope, with the empty name, until the account's Shrink. w may be nil. Grow
// panics if n is negative.
//
//	image := images.Grow(w, 4*width*height)
//	defer image.Shrink()
//
// It panics with a *[BudgetError] if an enforced budget has no room: see [Group.TryGrow].
func (g *Group) Grow(w *Worker, n int64) Account {
	if g == nil {
		return Account{}
	}
	return g.mustGrow(w, n)
}

func (g *Group) mustGrow(w *Worker, n int64) Account {
	a, err := g.grow(noWait, w, n)
	if err != nil {
		panic(err)
	}
	return a
}

func (g *Group) grow(ctx context.Context, w *Worker, n int64) (Account, error) {
	if g == nil {
		return Account{}, nil
	}
	if n < 0 {
		panic("memory: grow: a negative number of bytes")
	}
	s := g.account.site(w)
	if g.gated {
		if err := g.admit(ctx, n, nil); err != nil {
			return Account{}, err
		}
	}
	s.add(n)
	return Account{s, n}, nil
}

// Shrink takes out what Grow entered, from the row of the scope that it was
// entered under, whatever the scope is now. Any goroutine may do it, once; the
// account is of nothing afterwards, copies of it are not and must not Shrink.
func (a *Account) Shrink() {
	if a.site != nil {
		a.site.sub(a.bytes)
		*a = Account{}
	}
}
