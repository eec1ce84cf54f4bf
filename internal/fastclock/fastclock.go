// Package fastclock reads the cheapest clock that is right: the processor's own
// counter where it runs at one rate on all cores whatever they do, otherwise the
// runtime's monotonic clock.
//
// A tick is whatever unit that counter has. Who records ticks pairs some of them
// with nanoseconds ([Mark]) and converts afterwards ([Between]): that costs nothing
// while recording, and the longer the recording the more exact it is.
package fastclock

import (
	"math/bits"
	"time"
)

// start is what nanoseconds are counted from.
var start = time.Now()

// Now returns the present tick. Ticks of one process may be compared whatever core
// they were read on; they never run backwards by more than the skew between cores,
// which is tens of nanoseconds on a machine whose system uses that counter as its
// own clock.
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
	Nanos int64 // monotonic, since some moment before the process's first Pair
}

// Mark reads both clocks at nearly one moment: of a few tries it takes the one in
// which least time passed between the readings.
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
	mul  uint64 // nanoseconds a tick, 32 bits of them behind the point
}

// Between returns the scale on which two pairs lie. Where the pairs are one moment
// it takes ticks for nanoseconds.
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

// Nanos converts a moment. One before the first pair is as good as one after it.
func (s Scale) Nanos(tick int64) int64 {
	if tick < s.from.Tick {
		return s.from.Nanos - s.Duration(s.from.Tick-tick)
	}
	return s.from.Nanos + s.Duration(tick-s.from.Tick)
}

// Duration converts a number of ticks. What is negative, because two cores
// disagreed, is 0.
func (s Scale) Duration(ticks int64) int64 {
	if ticks <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(ticks), s.mul)
	return int64(hi<<32 | lo>>32)
}
