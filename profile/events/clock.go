package events

import (
	"cmp"
	"sort"

	"github.com/assetcook/assetcook/internal/fastclock"
)

// A clock converts the ticks of a stream to nanoseconds, both from the beginning
// of the recording. It knows a pair for each block and lies on straight lines
// between them. A pair never changes the times before the one before it, so a tick
// is the same nanosecond whenever one asks, and what is nested in ticks is nested
// in nanoseconds.
type clock struct {
	lines []line
	last  fastclock.Pair
	near  int // a line on which the tick that was asked for last lay
	most  int // lines: 0 means maxLines
}

// A line converts the ticks after the given one, up to and with the next line's.
type line struct {
	from  int64
	scale fastclock.Scale
}

// maxLines bounds the memory of a clock. Beyond, the older half of the lines is
// thinned out: scopes that began so long ago may come out some 20 ns off.
const maxLines = 1 << 15

// addClockPair tells the clock of a pair, if it is one that is later than those before.
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

// thin joins the lines of the older half by twos. It leaves the slice to those who read it.
func (c *clock) thin() {
	start := func(i int) fastclock.Pair {
		from := c.lines[i].from
		return fastclock.Pair{Tick: from, Nanos: c.lines[i].scale.Nanos(from)}
	}
	kept := make([]line, 0, len(c.lines))
	half := len(c.lines) / 4 * 2
	for i := 0; i < half; i += 2 {
		a, b := start(i), start(i+2) // i+2 is still to be read, or in the newer half
		kept = append(kept, line{a.Tick, fastclock.Between(a, b)})
	}
	c.lines = append(kept, c.lines[half:]...)
	c.near = 0
}

// upTo returns the clock as it was when a pair had been the last to be added.
func (c clock) upTo(last fastclock.Pair) clock {
	n := sort.Search(len(c.lines), func(i int) bool { return c.lines[i].from >= last.Tick })
	return clock{lines: c.lines[:n:n], last: last, near: max(n-1, 0), most: c.most}
}

// nanos converts a tick. Those before the first pair and after the last lie on the
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
