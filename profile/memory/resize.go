package memory

import "fmt"

// Resize returns a slice of n bytes with the content of one that the pool handed out, as
// far as it goes; what is added has any content, zeros if the pool is Zeroed. The slice
// stays where it is if its capacity is enough and not more than twice n. If it moves,
// both count until the content is copied. slice must not be used afterwards. It stays
// entered where it was. Resize of a nil slice is [Pool.Bytes] without a worker.
//
// The error is a *[BudgetError], for a slice that grows over an enforced budget; the
// slice is unchanged then. Misuse panics as that of Free does, and so does negative n.
func (p *Pool) Resize(slice []byte, n int) ([]byte, error) {
	switch {
	case n < 0:
		panic("memory: pool " + p.String() + ": a negative number of bytes")
	case p == nil || slice == nil:
		moved, err := p.bytes(noWait, p.site(nil), n, false)
		copy(moved, slice)
		return moved, err
	}
	stock := p.group.tracker.stock
	b := p.claim(slice, "resize")
	if b == nil { // not tracked
		moved, err := p.bytes(noWait, p.outside, n, false)
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
	moved, err := p.bytes(noWait, s, n, false)
	if err != nil {
		if n <= b.size { // it stays, entered with what it has, as there is no room for a copy
			moved, err = b.mem()[:n], nil
		}
		b.state.Store(live)
		return moved, err
	}
	copy(moved, b.mem()[:max(b.size, min(len(slice), b.capacity))])
	p.give(b, nil)
	return moved, nil
}

// Retag enters a slice that a pool of this tracker handed out as this pool's, held by w under
// its current scope: a buffer that was loaded becomes a texture. Its content and address
// are the same; it is given back to this pool from then on. w may be nil.
//
// The error is a *[BudgetError] if an enforced budget that did not hold the slice before
// has no room for it; the slice stays where it was then. Misuse panics as that of Free does.
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

// Retag enters the account as held by w under its current scope in group g. The error
// is as that of [Pool.Retag].
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

// Resize enters n bytes instead of what the account had, in the same row. The error
// is a *[BudgetError] for more than an enforced budget allows; it keeps what it had
// then. Resize panics if n is negative. That of the zero Account does nothing.
func (a *Account) Resize(n int64) error {
	if n < 0 {
		panic("memory: account: a negative number of bytes")
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

// takeOver enters n bytes that from holds in s instead. Groups that hold both see no
// change, so that their peaks stay exact.
func (s *site) takeOver(from *site, n int64) error {
	if s == from {
		return nil
	}
	to, was := s.pool.group, from.pool.group
	if to.tracker != was.tracker {
		panic(fmt.Sprintf("memory: retag to %s: the memory is of another tracker", s.pool))
	}
	both := to.common(was)
	if err := to.admit(noWait, n, both); err != nil {
		return err
	}
	s.held.addHeld(n)
	s.count.Add(1)
	to.enter(n, both)
	if to.tracker.tally != nil {
		s.pool.tally.add(n, 1)
		to.tallyCount(1, both)
		from.pool.tally.add(-n, -1)
		was.tallyCount(-1, both)
	}
	from.held.bytes.Add(-n)
	from.count.Add(-1)
	was.enter(-n, both)
	was.release(n, both)
	return nil
}
