package stat

import "math/bits"

const (
	stepBits = 4 // of the steps for each doubling
	steps    = 1 << stepBits
)

// A histogram counts durations in steps of a 16th of a power of two.
type histogram [(64 - stepBits) * steps]uint64

// step returns where a duration is counted: those below 16 exactly, others by their
// highest bit and the four that follow it.
func step(d int64) int {
	if d < steps {
		return int(max(d, 0))
	}
	shift := bits.Len64(uint64(d)) - 1 - stepBits
	return (shift+1)<<stepBits + int(d>>shift) - steps
}

// middle returns the duration in the middle of a step.
func middle(step int) int64 {
	if step < steps {
		return int64(step)
	}
	shift := step>>stepBits - 1
	least := int64(steps+step&(steps-1)) << shift
	return least + int64(1)<<shift/2
}

// quantile returns the duration that a part of all durations is not longer than.
func (h *histogram) quantile(part float64, count int64) int64 {
	rank, seen := uint64(part*float64(count-1)), uint64(0)
	for i, n := range h {
		if seen += n; seen > rank {
			return middle(i)
		}
	}
	return 0
}
