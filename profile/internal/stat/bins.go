package stat

import "slices"

// bins divides the time of a recording into intervals of equal width. If a time is after the last
// interval, all widths are doubled. So the recording's length need not be known in advance.
type bins struct {
	width int64
	sums  []float64
	count []int64
	last  int64 // latest time added
}

func newBins(n int) bins {
	return bins{width: 1 << 10, sums: make([]float64, n), count: make([]int64, n)}
}

func (b *bins) reach(at int64) {
	for b.last = max(b.last, at); at/b.width >= int64(len(b.sums)); b.width *= 2 {
		half := len(b.sums) / 2
		for i := range half {
			b.sums[i], b.count[i] = b.sums[2*i]+b.sums[2*i+1], b.count[2*i]+b.count[2*i+1]
		}
		clear(b.sums[half:])
		clear(b.count[half:])
	}
}

// addAt adds a value at the given time.
func (b *bins) addAt(at int64, v float64) {
	at = max(at, 0)
	b.reach(at)
	b.sums[at/b.width] += v
	b.count[at/b.width]++
}

// spread adds the given value for each nanosecond from begin to end.
func (b *bins) spread(begin, end int64, weight float64) {
	begin, end = max(begin, 0), max(end, 0)
	b.reach(end)
	for at := begin; at < end; {
		next := min((at/b.width+1)*b.width, end)
		b.sums[at/b.width] += weight * float64(next-at)
		at = next
	}
}

// levels returns the mean value in each interval, beginning with the first interval that has
// values. An interval without values has the value of the previous interval.
func (b *bins) levels() Timeseries {
	parts := int(b.last/b.width) + 1
	first := slices.IndexFunc(b.count, func(n int64) bool { return n > 0 })
	if first < 0 {
		return Timeseries{Width: b.width}
	}
	list := make([]float64, parts-first)
	level := 0.0
	for i := range list {
		if n := b.count[first+i]; n > 0 {
			level = b.sums[first+i] / float64(n)
		}
		list[i] = level
	}
	return Timeseries{From: int64(first) * b.width, Width: b.width, Values: list}
}

// rates returns the sum of the values in each interval, divided by its width in nanoseconds.
func (b *bins) rates() []float64 {
	list := make([]float64, b.last/b.width+1)
	for i := range list {
		width := min(b.width, b.last-int64(i)*b.width)
		list[i] = max(b.sums[i], 0) / float64(max(width, 1))
	}
	return list
}
