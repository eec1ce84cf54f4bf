package stat

import (
	"math"
	"math/bits"
)

const (
	stepBits = 4 // log2 of the number of steps per doubling
	steps    = 1 << stepBits
)

// A Histogram counts durations in steps. There are 16 steps of equal width between consecutive
// powers of two.
type Histogram [(64 - stepBits) * steps]uint64

// step returns the step of a duration. Durations below 16 are exact. Longer durations use their
// highest bit and the next four bits.
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
	return first(step) + int64(1)<<shift/2
}

// Add counts a duration.
func (h *Histogram) Add(d int64) { h[step(d)]++ }

// Merge adds all counts in another histogram.
func (h *Histogram) Merge(other *Histogram) {
	for i, n := range other {
		h[i] += n
	}
}

// A Bar counts durations d with From <= d < To.
type Bar struct {
	From  int64  `json:"from"`
	To    int64  `json:"to"`
	Count uint64 `json:"count"`
}

// Bars returns the counts in coarser steps, four for each power of two. It omits empty steps at
// both ends.
func (h *Histogram) Bars() []Bar {
	const wide = 4
	bars := []Bar{}
	kept := 0
	for i := 0; i < len(h); i += wide {
		n := uint64(0)
		for _, c := range h[i : i+wide] {
			n += c
		}
		if n > 0 || len(bars) > 0 {
			bars = append(bars, Bar{first(i), first(i + wide), n})
		}
		if n > 0 {
			kept = len(bars)
		}
	}
	return bars[:kept]
}

// first returns the smallest duration of a step.
func first(step int) int64 {
	if step < steps {
		return int64(step)
	}
	shift := step>>stepBits - 1
	if shift >= 63-stepBits {
		return math.MaxInt64
	}
	return int64(steps+step&(steps-1)) << shift
}

// Quantile returns the smallest duration such that the given fraction of all durations is at most
// as long. The result is exact to within 1/32. The 99th percentile of few durations is the longest
// duration.
func (h *Histogram) Quantile(part float64, count int64) int64 {
	const rounded = 1e-9 // allows for products that are rounded up
	rank, seen := uint64(max(math.Ceil(part*float64(count)*(1-rounded))-1, 0)), uint64(0)
	for i, n := range h {
		if seen += n; seen > rank {
			return middle(i)
		}
	}
	return 0
}
