package memory

import "fmt"

// Resize returns a slice of n bytes with the content of a slice from this pool, as far as it fits.
// Added bytes are arbitrary, or zero if the pool is Zeroed. The slice stays in place if its
// capacity suffices and is at most twice n. If it moves, both slices count until the content is
// copied. The old slice must not be used afterwards. The row of the slice does not change. For a
// nil slice, Resize is like [Pool.Bytes] without a worker.
//
// Resize returns a *[BudgetError] if the growth exceeds an enforced budget. The slice is then
// unchanged. Misuse panics as in Free, and so does a negative n.
func (p *Pool) Resize(slice []byte, n int) ([]byte, error) {
	switch {
	case n < 0:
		panic("memory: pool " + p.label() + ": the number of bytes is negative")
	case p == nil || slice == nil:
		moved, err := p.bytes(noWait, p.site(nil), n)
		copy(moved, slice)
		return moved, err
	}
	stock := p.group.tracker.stock
	b := p.claim(slice, "resize")
	if b == nil { // The slice is untracked.
		moved, err := p.bytes(noWait, p.outside, n)
		copy(moved, slice)
		return moved, err
	}
	s, g := b.owner.Load(), p.group
	if stock.source.reuses() && n <= b.capacity && (b.capacity <= 2*n || b.capacity == smallest) {
		old := b.size
		if err := g.admit(noWait, int64(n-old), nil); err != nil {
			b.state.Store(live)
			return nil, err
		}
		if kept := max(old, len(slice)); p.options.Zeroed && n > kept {
			clear(b.mem()[kept:n])
		}
		s.change(int64(n - old))
		b.size = n
		mem := b.mem()[:n]
		b.state.Store(live)
		g.release(int64(old-n), nil)
		return mem, nil
	}
	moved, err := p.bytes(noWait, s, n)
	if err != nil {
		if n <= b.size { // There is no room for a copy, so the slice keeps its address and its old size.
			moved, err = b.mem()[:n], nil
		}
		b.state.Store(live)
		return moved, err
	}
	copy(moved, b.mem()[:max(b.size, min(len(slice), b.capacity))])
	p.give(b, nil)
	return moved, nil
}

// Retag moves a slice from any pool of this tracker to this pool, for example when a loaded buffer
// becomes a texture. The slice then counts for w under its current scope; w may be nil. Its content
// and address do not change. It must be freed to this pool.
//
// Retag returns a *[BudgetError] if the move adds the slice to an enforced budget without room.
// Nothing changes in this case. Misuse panics as in Free.
func (p *Pool) Retag(w *Worker, slice []byte) error {
	if p == nil || slice == nil {
		return nil
	}
	s := p.site(w)
	b := p.claim(slice, "")
	if b == nil {
		return nil
	}
	err := s.takeOver(b.owner.Load(), int64(b.size))
	if err == nil {
		b.owner.Store(s)
	}
	b.state.Store(live)
	return err
}

// Retag moves the account to group g, and to w under its current scope. It returns the errors of
// [Pool.Retag].
func (a *Account) Retag(w *Worker, g *Group) error {
	if a.site == nil || g == nil {
		return nil
	}
	s := g.account.site(w)
	err := s.takeOver(a.site, a.bytes)
	if err == nil {
		a.site = s
	}
	return err
}

// Resize replaces the account's bytes by n, in the same row. It returns a *[BudgetError] if an
// enforced budget has no room; nothing changes in this case. Resize panics if n is negative. On the
// zero Account it does nothing.
func (a *Account) Resize(n int64) error {
	if n < 0 {
		panic("memory: account: the number of bytes is negative")
	}
	if a.site == nil {
		return nil
	}
	g, more := a.site.pool.group, n-a.bytes
	if err := g.admit(noWait, more, nil); err != nil {
		return err
	}
	a.site.change(more)
	a.bytes = n
	g.release(-more, nil)
	return nil
}

// takeOver moves n bytes from another site to s. Groups that contain both sites are not updated, so
// that their peaks stay exact.
func (s *site) takeOver(from *site, n int64) error {
	if s == from {
		return nil
	}
	to, was := s.pool.group, from.pool.group
	if to.tracker != was.tracker {
		panic(fmt.Sprintf("memory: retag to %s: the memory is of another tracker", s.pool.label()))
	}
	both := to.common(was)
	if err := to.admit(noWait, n, both); err != nil {
		return err
	}
	s.held.addHeld(n)
	s.allocs.Add(1)
	to.enter(n, both)
	if to.tracker.tally != nil {
		s.pool.tally.add(n, 1)
		to.tallyCount(1, both)
		from.pool.tally.add(-n, -1)
		was.tallyCount(-1, both)
	}
	from.leave(n)
	was.enter(-n, both)
	was.release(n, both)
	return nil
}
