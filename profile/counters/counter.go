package counters

import (
	"math"
	"sync"
	"sync/atomic"
)

// A cell is the storage behind a handle. It is longer than a cache line, so that goroutines
// adding to different cells do not share a line.
type cell struct {
	shared atomic.Int64 // sum since the last collect (integer or float bits); a gauge's level bits
	queued atomic.Int32 // 1 while the cell is queued in set.touched

	mu    sync.Mutex // guards the field timed
	timed *line      // a timer's uncollected calls; other kinds use shared

	next  *cell // next cell in set.touched
	set   *Set
	name  string
	kind  Kind
	order int32 // order of registration
	line  int   // index of the cell's line in each sheet; -1 for a gauge
	slot  int
	level int64 // a gauge's level at the end of the last frame

	watch             // open Watch and WatchDetail calls
	since       int64 // first frame of the cell's history, or notWatched
	detailSince int64 // first frame of the cell's detailed history, or notWatched
	place
}

// queue marks the cell for collection. A writer adds first and then queues the cell unless it is
// already queued. The collector clears the mark first and then reads. In this order no addition
// is missed.
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

// add does the work of Add. It is not inlined, so that Add, which only adds a nil check, can be
// inlined.
//
//go:noinline
func (c *cell) add(n int64) {
	c.shared.Add(n)
	if c.queued.Load() == 0 {
		c.queue()
	}
}

// collect moves the cell's uncollected additions into a sheet.
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

// sum returns the cell's total, including the last frame and the current one.
func (c *cell) sum() line {
	var l line
	for _, s := range [...]*sheet{&c.set.total, &c.set.closed, &c.set.frame} {
		if m := s.at(c.line); m != nil {
			l.merge(c.kind, m)
		}
	}
	return l
}

// read locks the set and returns the cell's current total.
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

// Value returns the sum since the set was made, including additions that workers have flushed.
func (c *Counter) Value() int64 {
	if c == nil {
		return 0
	}
	l := (*cell)(c).read()
	return l[c.slot]
}

// Float is a sum of float64 values. Its history holds the amount added in each frame; use a
// [Gauge] for a level. A nil *Float is always 0.
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

// Value returns the sum since the set was made, including additions that workers have flushed.
func (c *Float) Value() float64 {
	if c == nil {
		return 0
	}
	l := (*cell)(c).read()
	return math.Float64frombits(uint64(l[c.slot]))
}

// Gauge is a current level, such as a position or the number of bytes held. PushFrame does not
// reset it; its history has the level at the end of each frame. It is 0 until set. A nil *Gauge
// is always 0.
type Gauge cell

// Set sets the level, from any goroutine; the last call wins.
func (g *Gauge) Set(level float64) {
	if g != nil {
		g.shared.Store(int64(math.Float64bits(level)))
	}
}

// Add raises the level, from any goroutine.
func (g *Gauge) Add(by float64) {
	if g == nil {
		return
	}
	for {
		old := g.shared.Load()
		level := math.Float64frombits(uint64(old)) + by
		if g.shared.CompareAndSwap(old, int64(math.Float64bits(level))) {
			return
		}
	}
}

// Value returns the current level, without polling the sources.
func (g *Gauge) Value() float64 {
	if g == nil {
		return 0
	}
	return math.Float64frombits(uint64(g.shared.Load()))
}
