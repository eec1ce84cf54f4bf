package events

import (
	"cmp"
	"sort"

	"github.com/assetcook/assetcook/internal/fastclock"
)

// A clock converts the ticks of a stream to nanoseconds. Ticks and nanoseconds count from the
// beginning of the recording. Each block adds a pair of tick and time, and the clock interpolates
// linearly between pairs. A new pair never changes earlier times. So a tick always converts to the
// same nanosecond, and intervals that nest in ticks also nest in nanoseconds.
type clock struct {
	lines []line
	last  fastclock.Pair
	near  int // index of the line that was used last
	most  int // maximum number of lines; 0 means maxLines
}

// A line converts the ticks in a range. The range begins after from, and includes the field from of
// the next line.
type line struct {
	from  int64
	scale fastclock.Scale
}

// maxLines bounds the memory of a clock. If there are more lines, half of the lines in the older
// half are removed. Times in that part of the recording may then be off by about 20 ns.
const maxLines = 1 << 15

// addClockPair adds a pair if it is later than all earlier pairs.
func (c *clock) addClockPair(p fastclock.Pair) {
	if p.Tick <= c.last.Tick || p.Nanos <= c.last.Nanos {
		return
	}
	if len(c.lines) == cmp.Or(c.most, maxLines) {
		c.thin()
	}
	c.lines = append(c.lines, line{c.last.Tick, fastclock.Between(c.last, p)})
	c.last = p
}

// thin halves the number of lines in the older half by merging neighbors. It does not modify slices
// that readers use.
func (c *clock) thin() {
	start := func(i int) fastclock.Pair {
		from := c.lines[i].from
		return fastclock.Pair{Tick: from, Nanos: c.lines[i].scale.Nanos(from)}
	}
	kept := make([]line, 0, len(c.lines))
	half := len(c.lines) / 4 * 2
	for i := 0; i < half; i += 2 {
		a, b := start(i), start(i+2)
		kept = append(kept, line{a.Tick, fastclock.Between(a, b)})
	}
	c.lines = append(kept, c.lines[half:]...)
	c.near = 0
}

// upTo returns the earlier state of the clock when last was the latest pair.
func (c clock) upTo(last fastclock.Pair) clock {
	n := sort.Search(len(c.lines), func(i int) bool { return c.lines[i].from >= last.Tick })
	return clock{lines: c.lines[:n:n], last: last, near: max(n-1, 0), most: c.most}
}

// nanos converts a tick to nanoseconds. Before the first pair and after the last one, it uses the
// nearest line.
func (c *clock) nanos(ticks int64) int64 {
	if c.near < len(c.lines) && c.lines[c.near].from < ticks &&
		(c.near+1 == len(c.lines) || ticks <= c.lines[c.near+1].from) {
		return c.lines[c.near].scale.Nanos(ticks)
	}
	if len(c.lines) == 0 {
		return ticks
	}
	after := sort.Search(len(c.lines), func(i int) bool { return c.lines[i].from >= ticks })
	c.near = max(0, after-1)
	return c.lines[c.near].scale.Nanos(ticks)
}
