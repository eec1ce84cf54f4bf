// Package fastclock reads the cheapest reliable clock: the processor's own counter if it runs at
// one constant rate on all cores, else the runtime's monotonic clock.
//
// A tick is the unit of that counter. To record ticks, pair some of them with nanoseconds ([Mark])
// and convert afterwards ([Between]). Recording then costs nothing extra, and longer recordings are
// more exact.
package fastclock

import (
	"math/bits"
	"time"
)

// start is the origin of nanoseconds.
var start = time.Now()

// Now returns the current tick. Ticks of one process can be compared across cores; they never run
// backwards by more than the skew between cores, which is tens of nanoseconds on a machine whose
// system uses that counter as its own clock.
func Now() int64 {
	if counts {
		return counter()
	}
	return nanos()
}

func nanos() int64 { return int64(time.Since(start)) }

// A Pair is one moment by two clocks.
type Pair struct {
	Tick  int64
	Nanos int64 // monotonic, since some moment before the first Pair
}

// Mark reads both clocks almost at once. Of several tries it returns the one with the least time
// between the readings.
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
	mul  uint64 // nanoseconds a tick, with 32 fractional bits
}

// Between returns the scale through two pairs. If the pairs are the same moment, a tick is a
// nanosecond.
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

// Nanos converts a moment, which may be before the first pair.
func (s Scale) Nanos(tick int64) int64 {
	if tick < s.from.Tick {
		return s.from.Nanos - s.Duration(s.from.Tick-tick)
	}
	return s.from.Nanos + s.Duration(tick-s.from.Tick)
}

// Duration converts a number of ticks. A negative number, caused by skew between cores, becomes 0.
func (s Scale) Duration(ticks int64) int64 {
	if ticks <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(ticks), s.mul)
	return int64(hi<<32 | lo>>32)
}
