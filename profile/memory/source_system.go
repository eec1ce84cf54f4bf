//go:build !guard

package memory

// source is where blocks come from: Go for the small ones, the system for those of
// mapFrom bytes and more.
type source struct{}

func newSource() source { return source{} }

// reuses says that blocks may be handed out again.
func (source) reuses() bool { return true }

// zeroes says that what take returns is all zero.
func (source) zeroes() bool { return true }

// take returns memory for n bytes, of the capacity of their class.
func (source) take(_, capacity int) (mem []byte, mapped bool) {
	if capacity >= mapFrom {
		if mem, err := mapPages(capacity); err == nil {
			return mem, true
		}
		// No mapping is left, or none is known here. Go may have memory.
	}
	return make([]byte, capacity), false
}

// give takes back what take returned.
func (source) give(mem []byte, mapped bool) {
	if mapped {
		unmapPages(mem)
	}
}

// check reports writes outside of the memory, as far as they can be detected.
func (source) check([]byte, bool) error { return nil }
