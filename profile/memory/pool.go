package memory

import (
	"cmp"
	"context"
	"fmt"
	"unsafe"

	"github.com/assetcook/assetcook/intern"
)

// Pool hands out slices of bytes under one name. A nil *Pool allocates with make
// and takes nothing back. All methods may be called from any goroutine; those with
// a Worker, from that worker's.
type Pool struct {
	group   *Group
	name    string
	options PoolOptions
	number  int                     // in the tracker
	sites   map[intern.Symbol]*site // by stack; guarded by tracker.mu
	outside *site                   // where there is no worker
	tally   *tally                  // nil without Options.Totals
}

// String returns the names of the group and of the pool, with a slash between.
func (p *Pool) String() string {
	switch {
	case p == nil:
		return ""
	case p.name == "":
		return p.group.name
	}
	return p.group.name + "/" + p.name
}

// Bytes returns n bytes with any content: where memory is used again, that of its
// last user. The slice may be made longer, up to its capacity. It is entered as n
// bytes of w under its current scope until it is given to Free; w may be nil. Bytes
// panics if n is negative, and with a *[BudgetError] if an enforced budget has no room:
// see [Pool.TryBytes].
func (p *Pool) Bytes(w *Worker, n int) []byte {
	b, err := p.bytes(noWait, p.site(w), n, false)
	if err != nil {
		panic(err)
	}
	return b
}

// Zeroed is [Pool.Bytes] with all n bytes zero.
func (p *Pool) Zeroed(w *Worker, n int) []byte {
	b, err := p.bytes(noWait, p.site(w), n, true)
	if err != nil {
		panic(err)
	}
	return b
}

// bytes hands out n bytes of a site, after waiting if it has a context. Exported
// functions call it without any between, see callers.here.
func (p *Pool) bytes(ctx context.Context, s *site, n int, zero bool) ([]byte, error) {
	if n < 0 {
		panic("memory: pool " + p.String() + ": a negative number of bytes")
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
			return nil, fmt.Errorf("memory: pool %s: %d bytes cannot be tracked, so its budget cannot be enforced; make the tracker with a larger Live", p, n)
		}
		return make([]byte, n), nil
	}
	s.add(int64(n))
	if (zero || p.options.Zeroed) && !(b.fresh && stock.source.zeroes()) {
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

// Free takes back a slice that the pool has handed out, or one of another length that
// begins at the same address. It must not be used afterwards. Free does nothing with
// a nil slice.
//
// Any goroutine may call Free. It panics if the slice is not the pool's, is a part
// that begins later, or has been given back before and its memory was not handed
// out again since; the message says under which scope it was allocated, if that is
// known. Once some allocations could not be tracked, unknown slices are accepted.
func (p *Pool) Free(slice []byte) {
	if p == nil || slice == nil {
		return
	}
	if b := p.claim(slice, "free"); b != nil {
		p.give(b, nil)
	}
}

// FreeBy is [Pool.Free] that says who gives the slice back and in which scope, for the
// faults of [Options].Stomp; w may be nil.
func (p *Pool) FreeBy(w *Worker, slice []byte) {
	if p == nil || slice == nil {
		return
	}
	if b := p.claim(slice, "free"); b != nil {
		p.give(b, w)
	}
}

// claim returns the block of a slice, taken away from its user: nil if slices that are
// not tracked exist, and this must be one. It panics if the slice is of another pool,
// unless doing is empty.
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
		panic(fmt.Sprintf("memory: %s through %s: the slice was given back before; it was allocated as %s", cmp.Or(doing, "retag"), p, b.owner.Load()))
	}
	if b.key() != key { // the entry became another block's since it was looked up
		b.state.Store(live)
		panic(p.misuse(key, cmp.Or(doing, "retag")))
	}
	if s := b.owner.Load(); s.pool != p && doing != "" {
		b.state.Store(live)
		panic(fmt.Sprintf("memory: %s through %s: these %d bytes were allocated as %s; give them to that pool", doing, p, b.size, s))
	}
	return b
}

// give returns a block that was claimed to the stock. Exported functions call it without
// any between, as bytes.
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

// misuse says what is known of an address at which no block begins.
func (p *Pool) misuse(key uintptr, doing string) string {
	stock := p.group.tracker.stock
	text := fmt.Sprintf("memory: %s through %s: ", doing, p)
	if b := stock.around(key); b != nil {
		return text + fmt.Sprintf("the slice begins %d bytes after one that was allocated as %s; give back the whole", key-b.key(), b.owner.Load())
	}
	if s := stock.gone.owner(key); s != nil {
		return text + fmt.Sprintf("no slice of the pool begins there; one that was allocated as %s did, and was given back before", s)
	}
	return text + "the slice is from no pool of this tracker"
}

// String says who allocates there, for a panic.
func (s *site) String() string {
	return s.key().sentence()
}

// sentence says who allocates.
func (k Key) sentence() string {
	switch {
	case k.Worker == "" && k.Scope == "":
		return k.label() + " outside of any worker"
	case k.Scope == "":
		return fmt.Sprintf("%s by %s outside of any scope", k.label(), k.Worker)
	default:
		return fmt.Sprintf("%s by %s in %s", k.label(), k.Worker, k.Scope)
	}
}
