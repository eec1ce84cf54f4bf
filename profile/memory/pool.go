package memory

import (
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
// panics if n is negative.
func (p *Pool) Bytes(w *Worker, n int) []byte {
	b, _ := p.bytes(w, n)
	return b
}

// Zeroed is [Pool.Bytes] with all n bytes zero.
func (p *Pool) Zeroed(w *Worker, n int) []byte {
	b, clean := p.bytes(w, n)
	if !clean {
		clear(b)
	}
	return b
}

// bytes also says whether all of the bytes are known to be zero.
func (p *Pool) bytes(w *Worker, n int) (mem []byte, clean bool) {
	if n < 0 {
		panic("memory: pool " + p.String() + ": a negative number of bytes")
	}
	if p == nil {
		return make([]byte, n), true
	}
	s := p.site(w)
	stock := p.group.tracker.stock
	b := stock.take(n)
	if b == nil {
		stock.untracked.Add(1)
		return make([]byte, n), true
	}
	s.add(int64(n))
	clean = b.fresh && stock.source.zeroes()
	b.fresh = false
	b.size = n
	b.uses++
	if c := p.group.tracker.callers; c != nil {
		b.caller = c.here()
	}
	if b.owner.Load() != s {
		b.owner.Store(s)
	}
	b.state.Store(live)
	return b.mem()[:n], clean
}

// Free takes back a slice that Bytes or Zeroed of this pool has returned, or one of
// another length that begins at the same address. It must not be used afterwards. Free does
// nothing with a nil slice.
//
// Any goroutine may call Free. It panics if the slice is not the pool's, is a part
// that begins later, or has been given back before and its memory was not handed
// out again since; the message says under which scope it was allocated, if that is
// known. Once some allocations could not be tracked, unknown slices are accepted.
func (p *Pool) Free(slice []byte) {
	if p == nil || slice == nil {
		return
	}
	stock := p.group.tracker.stock
	key := uintptr(unsafe.Pointer(unsafe.SliceData(slice)))
	b := stock.find(key)
	if b == nil {
		if stock.untracked.Load() > 0 {
			return
		}
		panic(p.misuse(key))
	}
	if !b.claim(key) {
		panic(fmt.Sprintf("memory: free through %s: the slice was given back before; it was allocated as %s", p, b.owner.Load()))
	}
	s := b.owner.Load()
	if s.pool != p {
		b.state.Store(live)
		panic(fmt.Sprintf("memory: free through %s: these %d bytes were allocated as %s; give them to that pool", p, b.size, s))
	}
	s.sub(int64(b.size))
	if err := stock.source.check(b.mem(), b.mapped); err != nil {
		panic(fmt.Sprintf("memory: free: %d bytes that were allocated as %s: %v", b.size, s, err))
	}
	stock.put(b)
}

// misuse says what is known of an address at which no block begins.
func (p *Pool) misuse(key uintptr) string {
	stock := p.group.tracker.stock
	text := fmt.Sprintf("memory: free through %s: ", p)
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
	switch k := s.key(); {
	case k.Worker == "" && k.Scope == "":
		return s.pool.String() + " outside of any worker"
	case k.Scope == "":
		return fmt.Sprintf("%s by %s outside of any scope", s.pool, k.Worker)
	default:
		return fmt.Sprintf("%s by %s in %s", s.pool, k.Worker, k.Scope)
	}
}
