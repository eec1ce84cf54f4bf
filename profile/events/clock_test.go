package events

import (
	"testing"

	"github.com/assetcook/assetcook/internal/fastclock"
	"pgregory.net/rapid"
)

// TestClockNeverRunsBackwards expects that times do not decrease, that a tick always converts to
// the same time, and that the pairs convert exactly.
func TestClockNeverRunsBackwards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c clock
		var p fastclock.Pair
		asked := map[int64]int64{}
		last := int64(0)
		for range rapid.IntRange(1, 20).Draw(t, "pairs") {
			step := rapid.Int64Range(1, 1<<40).Draw(t, "ticks")
			from := p
			p = fastclock.Pair{Tick: p.Tick + step, Nanos: p.Nanos + rapid.Int64Range(1, min(1<<40, 4*step)).Draw(t, "nanos")}
			c.addClockPair(p)
			c.addClockPair(from) // A pair that is not later than the last one must change nothing.
			for at, want := range asked {
				if got := c.nanos(at); got != want {
					t.Fatalf("tick %d was %d and is now %d", at, want, got)
				}
			}
			if got := c.nanos(p.Tick); got > p.Nanos || got < p.Nanos-step>>32-1 {
				t.Fatalf("tick %d is %d, want %d", p.Tick, got, p.Nanos)
			}
			at := rapid.Int64Range(from.Tick, p.Tick).Draw(t, "at")
			asked[at] = c.nanos(at)
			if asked[at] < last {
				t.Fatalf("tick %d is %d, before %d", at, asked[at], last)
			}
			last = c.nanos(p.Tick)
		}
	})
}

// TestClockThins adds very many pairs. The memory must stay bounded, and every second pair must
// convert exactly.
func TestClockThins(t *testing.T) {
	var c clock
	const step = 1000
	for i := int64(1); i <= 5*maxLines; i++ {
		c.addClockPair(fastclock.Pair{Tick: step * i, Nanos: 3*step*i + i%2*500})
		if len(c.lines) > maxLines || cap(c.lines) > 2*maxLines {
			t.Fatalf("%d lines, room for %d", len(c.lines), cap(c.lines))
		}
	}
	for i := int64(0); i <= 5*maxLines; i++ {
		got, want := c.nanos(step*i), 3*step*i
		if off := got - want; off < -1 || off > i%2*500 {
			t.Fatalf("point %d is at %d, want %d", i, got, want)
		}
	}
}
