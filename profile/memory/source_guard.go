//go:build guard

package memory

import "github.com/assetcook/assetcook/internal/guard"

// keepUnreadable is how many bytes that were given back fault when they are used.
const keepUnreadable = 256 << 20

// source is where blocks come from: each has pages of its own between two that
// cannot be read, and ends where the second begins. See source_system.go for what
// the methods are.
type source struct{ pages *guard.Allocator }

func newSource() source { return source{guard.NewAllocator(keepUnreadable)} }

func (source) reuses() bool { return false }

func (source) zeroes() bool { return false }

func (s source) take(n, _ int) (mem []byte, mapped bool) {
	n = max(n, 1) // so that the slice has an address of its own
	if mem, err := s.pages.Alloc(n); err == nil {
		return mem, true
	}
	// The system has a limit of mappings, some 20,000 slices.
	return make([]byte, n), false
}

func (s source) give(mem []byte, mapped bool) {
	if mapped {
		s.pages.Free(mem) // what is wrong with it, check has said
	}
}

func (s source) check(mem []byte, mapped bool) error {
	if !mapped {
		return nil
	}
	return s.pages.Check(mem)
}
