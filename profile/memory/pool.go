package memory

import (
	"cmp"
	"context"
	"fmt"
	"unsafe"

	"github.com/assetcook/assetcook/intern"
)

// Pool allocates slices of bytes under one name. A nil *Pool allocates with make, and its Free does
// nothing. Any goroutine may call its methods, but only a worker's own goroutine may pass the
// Worker.
type Pool struct {
	group   *Group
	name    string
	options PoolOptions
	number  int                     // number of the pool in the tracker
	sites   map[intern.Symbol]*site // sites by stack, guarded by tracker.mu
	outside *site                   // site of allocations without a worker
	tally   *tally                  // nil without Options.Totals
}

// label returns the names of the group and the pool, separated by a slash.
func (p *Pool) label() string {
	switch {
	case p == nil:
		return ""
	case p.name == "":
		return p.group.name
	}
	return p.group.name + "/" + p.name
}

// Bytes returns n bytes with arbitrary content, because reused memory keeps its old content. The
// slice may be extended up to its capacity. Until Free, the slice counts as n bytes of w under its
// current scope; w may be nil. Bytes panics if n is negative, and with a *[BudgetError] if an
// enforced budget has no room: see [Pool.TryBytes].
func (p *Pool) Bytes(w *Worker, n int) []byte {
	b, err := p.bytes(noWait, p.site(w), n)
	if err != nil {
		panic(err)
	}
	return b
}

// bytes returns n bytes recorded under the site. With a context, it waits for budgets. Exported
// functions must call it directly; see callers.here.
func (p *Pool) bytes(ctx context.Context, s *site, n int) ([]byte, error) {
	if n < 0 {
		panic("memory: pool " + p.label() + ": the number of bytes is negative")
	}
	if p == nil {
		return make([]byte, n), nil
	}
	g := p.group
	if g.gated {
		if err := g.admit(ctx, int64(n), nil); err != nil {
			return nil, err
		}
	}
	stock := g.tracker.stock
	b := stock.takeBlock(n)
	if b == nil {
		stock.untracked.Add(1)
		if g.gated {
			g.release(int64(n), nil)
			return nil, fmt.Errorf("memory: pool %s: %d bytes cannot be tracked, so its budget cannot be enforced; make the tracker with a larger Live", p.label(), n)
		}
		return make([]byte, n), nil
	}
	s.add(int64(n))
	if p.options.Zeroed && !(b.fresh && stock.source.zeroes()) {
		clear(b.mem()[:n])
	}
	b.fresh = false
	b.size = n
	b.uses++
	if c := g.tracker.callers; c != nil {
		b.caller = c.here(3)
	}
	if b.owner.Load() != s {
		b.owner.Store(s)
	}
	b.state.Store(live)
	return b.mem()[:n], nil
}

// Free takes back a slice that the pool has allocated, or a reslice of any length that begins at
// the same address. The slice must not be used afterwards. Free ignores a nil slice. With
// [Options].Stomp it records w and its scope, to explain later faults; w may be nil.
//
// Any goroutine may call Free. It panics if the slice belongs to another pool or begins inside a
// slice of the pool. It also panics if the slice was already freed and its memory has not been
// reused since. The message names the scope of the allocation, if known. Once an allocation could
// not be tracked, Free accepts unknown slices.
func (p *Pool) Free(w *Worker, slice []byte) {
	if p == nil || slice == nil {
		return
	}
	if b := p.claim(slice, "free"); b != nil {
		p.give(b, w)
	}
}

// claim takes the block of a slice away from its user. It returns nil if the slice is unknown and
// there are untracked slices. It panics if the slice belongs to another pool, unless doing is
// empty.
func (p *Pool) claim(slice []byte, doing string) *block {
	stock := p.group.tracker.stock
	key := uintptr(unsafe.Pointer(unsafe.SliceData(slice)))
	b := stock.find(key)
	if b == nil {
		if stock.untracked.Load() > 0 {
			return nil
		}
		panic(p.misuse(key, cmp.Or(doing, "retag")))
	}
	if !b.claim() {
		panic(fmt.Sprintf("memory: %s through %s: the slice was already freed; it was allocated as %s", cmp.Or(doing, "retag"), p.label(), b.owner.Load()))
	}
	if b.key() != key { // Another block has reused the entry since the lookup.
		b.state.Store(live)
		panic(p.misuse(key, cmp.Or(doing, "retag")))
	}
	if s := b.owner.Load(); s.pool != p && doing != "" {
		b.state.Store(live)
		panic(fmt.Sprintf("memory: %s through %s: these %d bytes were allocated as %s; give them to that pool", doing, p.label(), b.size, s))
	}
	return b
}

// give returns a claimed block to the stock. Exported functions must call it directly; see
// callers.here.
func (p *Pool) give(b *block, w *Worker) {
	s, n := b.owner.Load(), int64(b.size)
	s.sub(n)
	stock := p.group.tracker.stock
	if stock.source.stomp != nil && b.mapped {
		if err := stock.source.checkGuards(b); err != nil {
			panic(fmt.Sprintf("memory: free: %d bytes that were allocated as %s: %v", n, s, err))
		}
		p.noteFreeing(b, w)
	}
	stock.putBlock(b)
}

// misuse describes an address at which no block begins.
func (p *Pool) misuse(key uintptr, doing string) string {
	stock := p.group.tracker.stock
	text := fmt.Sprintf("memory: %s through %s: ", doing, p.label())
	if b := stock.around(key); b != nil {
		return text + fmt.Sprintf("the slice begins %d bytes after the start of a slice that was allocated as %s; free the whole slice", key-b.key(), b.owner.Load())
	}
	if s := stock.gone.owner(key); s != nil {
		return text + fmt.Sprintf("the slice was already freed, and its memory released; it was allocated as %s", s)
	}
	return text + "the slice does not belong to a pool of this tracker"
}

// String describes the site's owner for a panic message.
func (s *site) String() string {
	return s.key().sentence()
}

// sentence describes the owner of an allocation.
func (k Key) sentence() string {
	switch {
	case k.Worker == "" && k.Scope == "":
		return k.label() + " outside of any worker"
	case k.Scope == "":
		return fmt.Sprintf("%s by %s, outside of any scope", k.label(), k.Worker)
	default:
		return fmt.Sprintf("%s by %s in %s", k.label(), k.Worker, k.Scope)
	}
}
