package counters

import (
	"math"
	"sync"
	"sync/atomic"
)

// A cell is the storage behind a handle. It is longer than a cache line, so that goroutines
// that add to different cells do not share lines.
type cell struct {
	shared atomic.Int64 // added since the last collect: a number or the bits of a float; of a gauge the bits of its level
	queued atomic.Int32 // 1: it stands in set.touched

	mu    sync.Mutex // guards timed
	timed *line      // what shared is for the others, for a timer

	next  *cell // in set.touched
	set   *Set
	name  string
	kind  Kind
	order int32 // of registration
	line  int   // its values are slot of this line of every sheet; -1 for a gauge
	slot  int
	level int64 // of a gauge at the end of the last frame

	watch             // the calls that ask for its history
	since       int64 // first frame of its history, or notWatched
	detailSince int64 // first frame of its lines in the history, or notWatched
	place
}

// queue marks the cell for collection. Writers add first, and then queue the cell unless it
// is queued; the collector clears the mark first and then reads. So no addition is missed.
func (c *cell) queue() {
	if !c.queued.CompareAndSwap(0, 1) {
		return
	}
	for {
		head := c.set.touched.Load()
		c.next = head
		if c.set.touched.CompareAndSwap(head, c) {
			return
		}
	}
}

// add is not inlined so that Add is: the nil check stays with the caller.
//
//go:noinline
func (c *cell) add(n int64) {
	c.shared.Add(n)
	if c.queued.Load() == 0 {
		c.queue()
	}
}

// collect moves what was added into a sheet.
func (c *cell) collect(into *sheet) {
	c.queued.Store(0)
	l := into.line(c.line)
	switch c.kind {
	case KindCounter:
		l[c.slot] += c.shared.Swap(0)
	case KindFloat:
		l.addFloat(c.slot, math.Float64frombits(uint64(c.shared.Swap(0))))
	case KindTimer:
		c.mu.Lock()
		l.merge(KindTimer, c.timed)
		*c.timed = line{}
		c.mu.Unlock()
	}
}

// sum returns the line of a cell since the beginning: with the last frame and the
// present one.
func (c *cell) sum() line {
	var l line
	for _, s := range [...]*sheet{&c.set.total, &c.set.closed, &c.set.frame} {
		if m := s.at(c.line); m != nil {
			l.merge(c.kind, m)
		}
	}
	return l
}

// read locks the set and returns what the cell has now.
func (c *cell) read() line {
	c.set.mu.Lock()
	defer c.set.mu.Unlock()
	c.set.collect()
	return c.sum()
}

// Counter is a sum of whole numbers. A nil *Counter is always 0.
type Counter cell

// Add adds n, from any goroutine.
func (c *Counter) Add(n int64) {
	if c != nil {
		(*cell)(c).add(n)
	}
}

// Value returns the sum since the beginning, with what workers have flushed.
func (c *Counter) Value() int64 {
	if c == nil {
		return 0
	}
	l := (*cell)(c).read()
	return l[c.slot]
}

// Float is a sum of float64, whose history is of what was added in each frame; a level is
// a [Gauge]. A nil *Float is always 0.
type Float cell

// Add adds f, from any goroutine.
func (c *Float) Add(f float64) {
	if c == nil {
		return
	}
	for {
		old := c.shared.Load()
		sum := math.Float64frombits(uint64(old)) + f
		if c.shared.CompareAndSwap(old, int64(math.Float64bits(sum))) {
			break
		}
	}
	if c.queued.Load() == 0 {
		(*cell)(c).queue()
	}
}

// Value returns the sum since the beginning, with what workers have flushed.
func (c *Float) Value() float64 {
	if c == nil {
		return 0
	}
	l := (*cell)(c).read()
	return math.Float64frombits(uint64(l[c.slot]))
}
