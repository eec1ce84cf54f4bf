package counters

import (
	"math"
	"sync"
	"sync/atomic"
)

// A cell stores the value behind a handle. It is longer than a cache line, so that goroutines that
// add to different cells do not share a line.
type cell struct {
	shared atomic.Int64 // sum since the last collect, as an integer or as float bits; for a gauge, the float bits of its level
	queued atomic.Int32 // 1 while the cell is in the list set.touched

	mu    sync.Mutex // guards the field timed
	timed *line      // calls of a timer since the last collect; other kinds use shared

	next  *cell // next cell in the list set.touched
	set   *Set
	name  string
	kind  Kind
	order int32 // number of the cell in the order of registration
	line  int   // index of the cell's line in each sheet; -1 for a gauge
	slot  int
	level int64 // level of a gauge at the end of the last frame

	watch             // numbers of open Watch and WatchDetail calls
	since       int64 // number of the first frame in the history, or notWatched
	detailSince int64 // number of the first frame in the detailed history, or notWatched
	place
}

// queue adds the cell to the list set.touched, unless it is queued already. A writer first adds to
// the value and then queues the cell. The collector first clears the mark and then reads the value.
// This order makes sure that no addition is missed.
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

// add does the work of Add. It is a separate function so that the compiler can inline Add, which
// only checks for nil.
//
//go:noinline
func (c *cell) add(n int64) {
	c.shared.Add(n)
	if c.queued.Load() == 0 {
		c.queue()
	}
}

// collect moves the additions since the last collect into a sheet.
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

// Counter is a sum of integers. A nil *Counter is always 0.
type Counter cell

// Add adds n. Any goroutine may call it.
func (c *Counter) Add(n int64) {
	if c != nil {
		(*cell)(c).add(n)
	}
}

// Value returns the sum since the set was made. It includes additions that workers have flushed.
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

// Add adds f. Any goroutine may call it.
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

// Value returns the sum since the set was made. It includes additions that workers have flushed.
func (c *Float) Value() float64 {
	if c == nil {
		return 0
	}
	l := (*cell)(c).read()
	return math.Float64frombits(uint64(l[c.slot]))
}

// Gauge is a current level, such as a position or the number of bytes held. It is 0 until set.
// PushFrame does not reset it; its history has the level at the end of each frame. A nil *Gauge is
// always 0.
type Gauge cell

// Set sets the level. Any goroutine may call it; the last call wins.
func (g *Gauge) Set(level float64) {
	if g != nil {
		g.shared.Store(int64(math.Float64bits(level)))
	}
}

// Add adds to the level. Any goroutine may call it.
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

// Value returns the current level. It does not poll the sources.
func (g *Gauge) Value() float64 {
	if g == nil {
		return 0
	}
	return math.Float64frombits(uint64(g.shared.Load()))
}
