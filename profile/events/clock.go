package events

import (
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
}

// A line converts the ticks after the given one, up to and with the next line's.
type line struct {
	from  int64
	scale fastclock.Scale
}

// maxLines bounds the memory of a clock. Beyond, the older half of the lines is
// thinned out: scopes that began so long ago may come out some 20 ns off.
const maxLines = 1 << 15

// add tells the clock of a pair, if it is one that is later than those before.
func (c *clock) add(p fastclock.Pair) {
	if p.Tick <= c.last.Tick || p.Nanos <= c.last.Nanos {
		return
	}
	if len(c.lines) == maxLines {
		c.thin()
	}
	c.lines = append(c.lines, line{c.last.Tick, fastclock.Between(c.last, p)})
	c.last = p
}

// thin joins the lines of the older half by twos.
func (c *clock) thin() {
	start := func(i int) fastclock.Pair {
		from := c.lines[i].from
		return fastclock.Pair{Tick: from, Nanos: c.lines[i].scale.Nanos(from)}
	}
	kept := c.lines[:0]
	for i := 0; i < maxLines/2; i += 2 {
		a, b := start(i), start(i+2) // i+2 is still to be read, or in the newer half
		kept = append(kept, line{a.Tick, fastclock.Between(a, b)})
	}
	c.lines = append(kept, c.lines[maxLines/2:]...)
}

// nanos converts a tick. Those before the first pair and after the last lie on the
// nearest line.
func (c *clock) nanos(ticks int64) int64 {
	last := len(c.lines) - 1
	if last < 0 {
		return ticks
	}
	if ticks <= c.lines[last].from {
		last = max(0, sort.Search(last, func(i int) bool { return c.lines[i].from >= ticks })-1)
	}
	return c.lines[last].scale.Nanos(ticks)
}
