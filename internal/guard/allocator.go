package guard

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"unsafe"
)

// Allocator hands out slices of which each lies on pages of its own:
//
//	| unreadable | front | slice | unreadable |
//
// Reading or writing after the slice faults. The front, what its last page leaves
// over, is filled, and a write to it is found by Check and Free; before the front,
// and for whole pages there is none, access faults as well. What was freed faults,
// as long as the Allocator keeps the addresses.
//
// It needs no test and may be used by any number of goroutines. Systems limit the
// number of mappings (Linux: 65,530, about three for each slice that lives). Where
// pages cannot be protected ([Real]) nothing faults, and the front is checked.
type Allocator struct {
	keep int64

	mu     sync.Mutex
	live   map[uintptr]region // by the address of the slice
	freed  []region           // in the order of Free; none of them can be read
	hidden int64              // bytes of freed
}

type region struct {
	mem   []byte // whole pages
	n     int    // of which the slice is the end
	unmap func() error
}

// NewAllocator returns an Allocator that keeps up to keep bytes of freed memory
// mapped and unreadable, the latest. The bytes are whole pages.
func NewAllocator(keep int64) *Allocator {
	return &Allocator{keep: keep, live: map[uintptr]region{}}
}

// What Alloc fills memory with, so that who counts on zeros is found out.
const (
	frontFill = 0xFB
	sliceFill = 0xA5
)

// Alloc returns n bytes, all 0xA5, of capacity n. Being unaligned on purpose, they
// begin at any address.
func (a *Allocator) Alloc(n int) ([]byte, error) {
	if n < 1 || n > maxSize {
		return nil, fmt.Errorf("guard: alloc %d bytes: want 1 to %d", n, maxSize)
	}
	page := os.Getpagesize()
	mem, unmap, err := reserve((n+page-1)/page*page, page)
	if err != nil {
		return nil, fmt.Errorf("guard: alloc %d bytes: %w", n, err)
	}
	r := region{mem, n, unmap}
	fill(r.front(), frontFill)
	fill(r.slice(), sliceFill)
	a.mu.Lock()
	a.live[address(r.slice())] = r
	a.mu.Unlock()
	return r.slice(), nil
}

func (r region) front() []byte { return r.mem[:len(r.mem)-r.n] }
func (r region) slice() []byte { return r.mem[len(r.mem)-r.n:] }

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

// Errors of [Allocator.Check] and [Allocator.Free], wrapped.
var (
	ErrUnknown  = errors.New("there is no such slice; was it freed before?")
	ErrUnderrun = errors.New("somebody wrote before the start")
)

// Check looks for writes before a slice that Alloc returned.
func (a *Allocator) Check(b []byte) error {
	a.mu.Lock()
	r, ok := a.live[address(b)]
	a.mu.Unlock()
	if !ok {
		return fmt.Errorf("guard: check: %w", ErrUnknown)
	}
	return r.check()
}

func (r region) check() error {
	front := r.front()
	for i := len(front) - 1; i >= 0; i-- {
		if front[i] != frontFill {
			return fmt.Errorf("guard: %d bytes: %w: byte %d before it is %#x", r.n, ErrUnderrun, len(front)-i, front[i])
		}
	}
	return nil
}

// Free takes back a slice that Alloc returned, in any length but from its start on,
// after a Check whose error it returns.
func (a *Allocator) Free(b []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := address(b)
	r, ok := a.live[key]
	if !ok {
		return fmt.Errorf("guard: free: %w", ErrUnknown)
	}
	delete(a.live, key)
	found := r.check()
	a.freed = append(a.freed, r)
	a.hidden += int64(len(r.mem))
	failed := hide(r.mem)
	for a.hidden > a.keep {
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

// Close unmaps everything, also the slices that were not freed, and says how many
// bytes these had. The Allocator is empty then and may be used again.
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
