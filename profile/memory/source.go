package memory

import (
	"sync/atomic"

	"github.com/assetcook/assetcook/internal/guard"
)

// source is where blocks come from: Go for the small ones, the system for those of
// mapFrom bytes and more; or, with stomp, pages of their own for all.
type source struct {
	stomp       *guard.Allocator // nil if it is off
	unprotected atomic.Int64     // blocks that stomp had no pages for
}

// reuses says that blocks may be handed out again.
func (s *source) reuses() bool { return s.stomp == nil }

// zeroes says that what take returns is all zero.
func (s *source) zeroes() bool { return s.stomp == nil }

// takeMemory returns memory for n bytes: of the capacity of their class, of n with stomp.
func (s *source) takeMemory(n, capacity int) (mem []byte, mapped bool) {
	if s.stomp != nil {
		n = max(n, 1) // so that the slice has an address of its own
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
		// No mapping is left, or none is known here. Go may have memory.
	}
	return make([]byte, capacity), false
}

// give takes back what take returned.
func (s *source) give(mem []byte, mapped bool) {
	switch {
	case !mapped:
	case s.stomp != nil:
		s.stomp.Free(mem) // what is wrong with it, check has said
	default:
		unmapPages(mem)
	}
}

// checkGuards reports writes beside a block of stomp.
func (s *source) checkGuards(b *block) error { return s.stomp.Check(b.mem()) }
