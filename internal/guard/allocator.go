package guard

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"unsafe"
)

// Allocator allocates slices. Each has its own pages, between two unreadable pages:
//
//	| unreadable | rest | slice | unreadable |   AtEnd
//	| unreadable | slice | rest | unreadable |   AtStart
//
// Access beyond the edge next to an unreadable page faults at once. The rest is the unused part of
// a page, which is filled with a pattern; Check and Free detect writes to the rest. Access beyond
// the rest faults as well. If the slice fills whole pages, there is no rest. Access to a freed
// slice faults as long as the Allocator keeps its addresses.
//
// An Allocator also works outside of tests, and any number of goroutines may use it. Systems limit
// the number of mappings: Linux allows 65,530 per process, and a Go program crashes if it needs
// more. A live slice takes two mappings and a freed slice up to three. So an Allocator has at most
// 20,000 live slices and keeps 4,096 freed ones. If pages cannot be protected (see [Real]), nothing
// faults, but the rest is checked.
type Allocator struct {
	keep int64
	edge Edge

	mu     sync.Mutex
	live   map[uintptr]region // live slices, by address
	freed  []region           // unreadable regions, in the order of Free
	hidden int64              // total size of the freed slices, in bytes
}

// An Edge selects the end of a slice that is next to an unreadable page.
type Edge uint8

const (
	AtEnd   Edge = iota // access after the end faults
	AtStart             // access before the start faults
)

type region struct {
	mem   []byte // whole pages of the slice
	n     int    // size of the slice in bytes
	edge  Edge
	note  any
	unmap func() error
}

const (
	mostLive  = 20_000
	mostFreed = 4_096
)

// NewAllocator returns an Allocator that keeps freed memory mapped and unreadable: up to keep
// bytes, counted in whole pages, and at most the latest 4,096 slices.
func NewAllocator(keep int64, edge Edge) *Allocator {
	return &Allocator{keep: keep, edge: edge, live: map[uintptr]region{}}
}

// Alloc fills a slice with sliceFill, and the unused part of its pages with restFill. So code that
// relies on zeroed memory fails.
const (
	restFill  = 0xFB
	sliceFill = 0xA5
)

// Alloc returns n bytes, all 0xA5, with capacity n. With AtEnd the slice is unaligned, because it
// ends at the end of a page.
func (a *Allocator) Alloc(n int) ([]byte, error) {
	if n < 1 || n > maxSize {
		return nil, fmt.Errorf("guard: alloc %d bytes: want 1 to %d", n, maxSize)
	}
	a.mu.Lock()
	full := len(a.live) >= mostLive
	a.mu.Unlock()
	if full {
		return nil, fmt.Errorf("guard: alloc %d bytes: %w", n, ErrTooMany)
	}
	page := os.Getpagesize()
	mem, unmap, err := reserve((n+page-1)/page*page, page)
	if err != nil {
		return nil, fmt.Errorf("guard: alloc %d bytes: %w", n, err)
	}
	r := region{mem: mem, n: n, edge: a.edge, unmap: unmap}
	fill(r.rest(), restFill)
	fill(r.slice(), sliceFill)
	a.mu.Lock()
	a.live[address(r.slice())] = r
	a.mu.Unlock()
	return r.slice(), nil
}

func (r region) rest() []byte {
	if r.edge == AtStart {
		return r.mem[r.n:]
	}
	return r.mem[:len(r.mem)-r.n]
}

func (r region) slice() []byte {
	if r.edge == AtStart {
		return r.mem[:r.n:r.n]
	}
	return r.mem[len(r.mem)-r.n:]
}

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

func fill(b []byte, with byte) {
	if len(b) == 0 {
		return
	}
	b[0] = with
	for done := 1; done < len(b); done *= 2 {
		copy(b[done:], b[:done])
	}
}

// An [Allocator] wraps these errors.
var (
	ErrTooMany  = errors.New("there are already 20,000 slices; free some first")
	ErrUnknown  = errors.New("unknown slice; was it already freed?")
	ErrUnderrun = errors.New("bytes before the start were written")
	ErrOverrun  = errors.New("bytes after the end were written")
)

// Check returns an error if bytes in the same pages, but outside the slice, were written to. b must
// be a slice that Alloc returned.
func (a *Allocator) Check(b []byte) error {
	a.mu.Lock()
	r, ok := a.live[address(b)]
	a.mu.Unlock()
	if !ok {
		return fmt.Errorf("guard: check: %w", ErrUnknown)
	}
	return r.writtenByte()
}

// writtenByte returns an error if a byte beyond the slice was written to. It reports the byte
// closest to the slice.
func (r region) writtenByte() error {
	rest := r.rest()
	for i := range rest {
		if r.edge == AtStart && rest[i] != restFill {
			return fmt.Errorf("guard: %d bytes: %w: byte %d after it is %#x", r.n, ErrOverrun, i+1, rest[i])
		}
		if at := len(rest) - 1 - i; r.edge == AtEnd && rest[at] != restFill {
			return fmt.Errorf("guard: %d bytes: %w: the byte %d before the block is %#x", r.n, ErrUnderrun, i+1, rest[at])
		}
	}
	return nil
}

// Note attaches a note to a slice that Alloc returned. [Allocator.Find] returns the note, even
// after Free.
func (a *Allocator) Note(b []byte, note any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r, ok := a.live[address(b)]; ok {
		r.note = note
		a.live[address(b)] = r
	}
}

// A Place describes the slice that an address belongs to.
type Place struct {
	Start uintptr // start of the slice
	Bytes int     // size of the slice in bytes
	Freed bool
	Note  any
}

// Find returns the slice that an address belongs to. The addresses of a slice include the unused
// part of its pages and both unreadable pages. They also include freed memory that is still kept.
// Find searches all slices.
func (a *Allocator) Find(addr uintptr) (p Place, found bool) {
	page := uintptr(os.Getpagesize())
	around := func(r region) bool {
		start := address(r.mem) - page
		return addr >= start && addr-start < uintptr(len(r.mem))+2*page
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range a.live {
		if around(r) {
			return Place{address(r.slice()), r.n, false, r.note}, true
		}
	}
	for _, r := range a.freed {
		if around(r) {
			return Place{address(r.slice()), r.n, true, r.note}, true
		}
	}
	return Place{}, false
}

// Free frees a slice that Alloc returned; b may have any length but must start where that slice
// starts. It first calls Check, and returns its error.
func (a *Allocator) Free(b []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := address(b)
	r, ok := a.live[key]
	if !ok {
		return fmt.Errorf("guard: free: %w", ErrUnknown)
	}
	delete(a.live, key)
	found := r.writtenByte()
	a.freed = append(a.freed, r)
	a.hidden += int64(len(r.mem))
	failed := hide(r.mem)
	for a.hidden > a.keep || len(a.freed) > mostFreed {
		oldest := a.freed[0]
		a.freed[0] = region{}
		a.freed = a.freed[1:]
		a.hidden -= int64(len(oldest.mem))
		failed = errors.Join(failed, oldest.unmap())
	}
	if failed != nil {
		failed = fmt.Errorf("guard: free %d bytes: %w", r.n, failed)
	}
	return errors.Join(found, failed)
}

// Close unmaps everything, including live slices, and returns their total size in bytes. The
// Allocator is empty afterwards and may be used again.
func (a *Allocator) Close() (leaked int64, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range a.live {
		leaked += int64(r.n)
		err = errors.Join(err, r.unmap())
	}
	for _, r := range a.freed {
		err = errors.Join(err, r.unmap())
	}
	clear(a.live)
	a.freed, a.hidden = nil, 0
	return leaked, err
}
