package fastclock

import "sync/atomic"

// A Cell shows others what one goroutine is doing and since when: a word, and the
// tick at which it was set. Setting and clearing it cost hardly more than reading
// the clock, which they do as well; for that they leave out the barrier of
// atomic.Store, which waits until all cores have seen the word.
//
// One goroutine at a time sets and clears a cell; any may load it. A cell is empty
// while its tick is 0. It has to be cleared before it is set again: then a reader
// that finds the same tick before and after it reads the word has both of one Set.
type Cell struct{ what, tick atomic.Uint64 }

// Set fills an empty cell, and returns the present tick, which is in it.
func (c *Cell) Set(what uint64) int64 { return setCell(c, what) }

// Clear empties a cell, and returns the present tick.
func (c *Cell) Clear() int64 { return clearCell(c) }

// Load returns what is in a cell, and false if it is empty or being set.
func (c *Cell) Load() (what uint64, tick int64, ok bool) {
	before := c.tick.Load()
	what = c.what.Load()
	return what, int64(before), before != 0 && c.tick.Load() == before
}

// These are for where the counter may not be used.

func setCellGeneric(c *Cell, what uint64) int64 {
	now := nanos()
	c.what.Store(what)
	c.tick.Store(uint64(now))
	return now
}

func clearCellGeneric(c *Cell) int64 {
	now := nanos()
	c.tick.Store(0)
	return now
}
