package memory

import (
	"sync/atomic"

	"github.com/assetcook/assetcook/internal/guard"
)

// source allocates blocks: small ones from Go, blocks of mapFrom bytes and more from the system;
// or, with stomp, all blocks on separate pages.
type source struct {
	stomp       *guard.Allocator // nil without stomp
	unprotected atomic.Int64     // number of blocks for which stomp had no pages
}

// reuses reports whether blocks may be handed out again.
func (s *source) reuses() bool { return s.stomp == nil }

// zeroes reports whether takeMemory returns zeroed memory.
func (s *source) zeroes() bool { return s.stomp == nil }

// takeMemory returns memory for n bytes: the capacity of their class, or n with stomp.
func (s *source) takeMemory(n, capacity int) (mem []byte, mapped bool) {
	if s.stomp != nil {
		n = max(n, 1) // gives the slice a unique address
		if mem, err := s.stomp.Alloc(n); err == nil {
			if !guard.Real() {
				s.unprotected.Add(1)
			}
			return mem, true
		}
		s.unprotected.Add(1)
		return make([]byte, n), false
	}
	if capacity >= mapFrom {
		if mem, err := mapPages(capacity); err == nil {
			return mem, true
		}
		// The system has no mappings left or does not support them. Go may still have memory.
	}
	return make([]byte, capacity), false
}

// give takes back memory that takeMemory returned.
func (s *source) give(mem []byte, mapped bool) {
	switch {
	case !mapped:
	case s.stomp != nil:
		s.stomp.Free(mem) // check has reported damage already
	default:
		unmapPages(mem)
	}
}

// checkGuards reports writes outside a block of stomp.
func (s *source) checkGuards(b *block) error { return s.stomp.Check(b.mem()) }
