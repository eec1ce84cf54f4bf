package memory

import (
	"sync/atomic"

	"github.com/assetcook/assetcook/internal/guard"
)

// A source allocates blocks. Small blocks come from Go; blocks of mapFrom bytes and more are mapped
// from the system. With Options.Stomp, all blocks are on separate pages.
type source struct {
	stomp       *guard.Allocator // nil without Options.Stomp
	unprotected atomic.Int64     // number of blocks that got no protected pages
}

// reuses reports whether freed blocks may be used again.
func (s *source) reuses() bool { return s.stomp == nil }

// zeroes reports whether takeMemory always returns zeroed memory.
func (s *source) zeroes() bool { return s.stomp == nil }

// takeMemory returns memory for n bytes. Its length is capacity, or n with Options.Stomp.
func (s *source) takeMemory(n, capacity int) (mem []byte, mapped bool) {
	if s.stomp != nil {
		n = max(n, 1) // At least one byte gives the slice a unique address.
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

// give frees memory from takeMemory.
func (s *source) give(mem []byte, mapped bool) {
	switch {
	case !mapped:
	case s.stomp != nil:
		s.stomp.Free(mem) // The function checkGuards has already reported any damage.
	default:
		unmapPages(mem)
	}
}

// checkGuards reports writes outside a block that has protected pages.
func (s *source) checkGuards(b *block) error { return s.stomp.Check(b.mem()) }
