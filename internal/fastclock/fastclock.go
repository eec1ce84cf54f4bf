// Package fastclock reads the fastest reliable clock. This is the processor's own counter if it has
// the same constant rate on all cores, otherwise the runtime's monotonic clock.
//
// A tick is the unit of this clock. To record times, record ticks, pair two of them with
// nanoseconds ([Mark]) and convert afterwards ([Between]). Recording has no further overhead, and
// longer recordings are more exact.
package fastclock

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// start is the zero point of the nanoseconds in a Pair.
var start = time.Now()

// Now returns the current tick. Ticks of one process can be compared across cores. They run
// backwards at most by the skew between cores. The skew is tens of nanoseconds on a machine whose
// operating system uses the counter as its own clock.
func Now() int64 {
	if counts {
		return counter()
	}
	return nanos()
}

func nanos() int64 { return int64(time.Since(start)) }

// A Pair is one moment, measured by two clocks.
type Pair struct {
	Tick  int64
	Nanos int64 // monotonic time in ns, from an arbitrary start before the first Pair
}

// Mark reads both clocks almost at once. It tries several times and returns the pair with the
// shortest time between the two readings.
func Mark() Pair {
	best, least := Pair{}, int64(-1)
	for range 3 {
		before := Now()
		ns := nanos()
		after := Now()
		if took := after - before; least < 0 || took < least {
			best, least = Pair{before + took/2, ns}, took
		}
	}
	return best
}

// A Scale converts ticks to nanoseconds.
type Scale struct {
	from Pair
	mul  uint64 // nanoseconds per tick, with 32 fractional bits
}

// Between returns the scale defined by two pairs. If both pairs have the same tick, a tick counts
// as a nanosecond.
func Between(a, b Pair) Scale {
	if b.Tick < a.Tick {
		a, b = b, a
	}
	ticks, ns := uint64(b.Tick-a.Tick), uint64(max(b.Nanos-a.Nanos, 0))
	if ticks == 0 || ns == 0 || ns>>31 >= ticks {
		return Scale{from: a, mul: 1 << 32}
	}
	hi, lo := bits.Mul64(ns, 1<<32)
	mul, _ := bits.Div64(hi, lo, ticks)
	return Scale{from: a, mul: mul}
}

// Nanos converts a tick, which may be before the first pair, to nanoseconds.
func (s Scale) Nanos(tick int64) int64 {
	if tick < s.from.Tick {
		return s.from.Nanos - s.Duration(s.from.Tick-tick)
	}
	return s.from.Nanos + s.Duration(tick-s.from.Tick)
}

// Duration converts a number of ticks to nanoseconds. A negative number, caused by skew between
// cores, becomes 0.
func (s Scale) Duration(ticks int64) int64 {
	if ticks <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(ticks), s.mul)
	return int64(hi<<32 | lo>>32)
}

// A Cell publishes the current activity of a goroutine to other goroutines. It holds a word that
// identifies the activity, and the tick when it was set. Setting and clearing a cell take little
// more time than reading the clock, which they include. They omit the barrier of atomic.Store,
// which waits until all cores have seen the word.
//
// Only one goroutine at a time may set and clear a cell; any goroutine may load it. A cell is empty
// while its tick is 0. It must be cleared before it is set again. So if a reader finds the same
// tick before and after reading the word, both are from the same Set.
type Cell struct{ what, tick atomic.Uint64 }

// Set sets the word of an empty cell. It stores the current tick in the cell and returns it.
func (c *Cell) Set(what uint64) int64 { return setCell(c, what) }

// Clear clears a cell and returns the current tick.
func (c *Cell) Clear() int64 { return clearCell(c) }

// Load returns the word and the tick of a cell. ok is false if the cell is empty or being set.
func (c *Cell) Load() (what uint64, tick int64, ok bool) {
	before := c.tick.Load()
	what = c.what.Load()
	return what, int64(before), before != 0 && c.tick.Load() == before
}

// The following functions are for machines whose counter cannot be used.

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
