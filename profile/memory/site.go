package memory

import (
	"context"
	"sync/atomic"

	"github.com/assetcook/assetcook/intern"
)

// A meter holds the current number of bytes and its peak.
type meter struct {
	bytes, peak atomic.Int64
}

// addHeld adds n and returns the new sum. Each sum is returned to exactly one caller, because the
// addition is atomic. So the peak is exact, however many goroutines add concurrently.
func (m *meter) addHeld(n int64) int64 {
	now := m.bytes.Add(n)
	for {
		peak := m.peak.Load()
		if now <= peak || m.peak.CompareAndSwap(peak, now) {
			return now
		}
	}
}

// A site is one row of a snapshot: the slices of one pool under one stack of scopes.
type site struct {
	held   meter
	allocs atomic.Int64 // number of slices and accounts that came to the row
	frees  atomic.Int64 // number of slices and accounts that left the row
	freed  atomic.Int64 // bytes that left the row
	pool   *Pool
	stack  intern.Symbol

	_ [8]byte // Padding fills a cache line, because the next site in memory may belong to another worker.
}

// unused marks a site that has never had a slice or account, even of zero bytes. The mark is stored
// as the peak.
const unused = -1

func (s *site) add(n int64) {
	s.held.addHeld(n)
	s.allocs.Add(1)
	g := s.pool.group
	g.enterSelf(n)
	if g.more {
		s.addMore(n, 1)
	}
}

func (s *site) sub(n int64) {
	s.leave(n)
	g := s.pool.group
	g.held.bytes.Add(-n)
	if g.more {
		s.subMore(n)
	}
}

// leave removes a slice or account of n bytes from the site, but not from its group.
func (s *site) leave(n int64) {
	s.held.bytes.Add(-n)
	s.freed.Add(n)
	s.frees.Add(1)
}

// heldCount returns the number of slices and accounts. It is not negative, because frees is read
// first.
func (s *site) heldCount() int64 {
	frees := s.frees.Load()
	return s.allocs.Load() - frees
}

// change adds n bytes, which may be negative, to a site. It does not change the count.
func (s *site) change(n int64) {
	s.held.addHeld(n)
	s.freed.Add(max(0, -n))
	g := s.pool.group
	g.enterSelf(n)
	if g.more {
		s.addMore(n, 0)
	}
}

// addMore and subMore update the enclosing groups and the totals, if the program uses these.
// subMore also returns the bytes to the enforced budgets.
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

// site returns the row that currently counts allocations of w.
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
		panic("memory: pool " + p.label() + ": the worker belongs to another tracker")
	}
	t.mu.Lock()
	*recent = p.siteLocked(f.stack)
	t.mu.Unlock()
	return *recent
}

// siteLocked is like site for the given stack. The tracker's mu must be held.
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

// An Account is memory recorded by [Group.Grow]. The zero Account has no memory.
type Account struct {
	site  *site
	bytes int64
}

// Grow records n bytes that were allocated elsewhere, or soon will be. They count for w under its
// current scope, with an empty pool name, until Shrink is called on the account. w may be nil. Grow
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
		panic("memory: grow: the number of bytes is negative")
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

// Shrink removes the account's bytes from their row, regardless of the current scope. Any goroutine
// may call it, once. The account is zero afterwards. Do not call Shrink on copies of the account.
func (a *Account) Shrink() {
	if a.site != nil {
		a.site.sub(a.bytes)
		*a = Account{}
	}
}
