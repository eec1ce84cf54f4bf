package fastclock

import "sync/atomic"

// A Cell shows other goroutines the activity of one goroutine and its start: a word, and the tick
// when it was set. Setting and clearing a cell cost little more than reading the clock, which is
// included. They omit the barrier of atomic.Store, which waits until all cores have seen the word.
//
// Only one goroutine at a time sets and clears a cell; any goroutine may load it. A cell is empty
// while its tick is 0. It must be cleared before it is set again. Then a reader that finds the same
// tick before and after reading the word has both from one Set.
type Cell struct{ what, tick atomic.Uint64 }

// Set fills an empty cell, and returns the current tick, which it stores in the cell.
func (c *Cell) Set(what uint64) int64 { return setCell(c, what) }

// Clear empties a cell, and returns the current tick.
func (c *Cell) Clear() int64 { return clearCell(c) }

// Load returns the word and tick of a cell, and false if it is empty or being set.
func (c *Cell) Load() (what uint64, tick int64, ok bool) {
	before := c.tick.Load()
	what = c.what.Load()
	return what, int64(before), before != 0 && c.tick.Load() == before
}

// For machines whose counter cannot be used.

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
