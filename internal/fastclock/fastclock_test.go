package fastclock

import (
	"math"
	"runtime"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestScaleAgreesWithClock measures an interval with both clocks. The scale must convert the ticks
// at its start and end to the other clock's time, and a tick between them to a time between them.
func TestScaleAgreesWithClock(t *testing.T) {
	a := Mark()
	for time.Since(start)-time.Duration(a.Nanos) < 20*time.Millisecond {
		runtime.Gosched()
	}
	middle := Mark()
	for time.Since(start)-time.Duration(a.Nanos) < 40*time.Millisecond {
		runtime.Gosched()
	}
	b := Mark()
	s := Between(a, b)
	if got := s.Nanos(b.Tick); math.Abs(float64(got-b.Nanos)) > 2 {
		t.Errorf("the end is at %d ns, want %d", got, b.Nanos)
	}
	if got := s.Nanos(a.Tick); got != a.Nanos {
		t.Errorf("the beginning is at %d ns, want %d", got, a.Nanos)
	}
	if got := s.Nanos(middle.Tick); got <= a.Nanos || got >= b.Nanos {
		t.Errorf("the middle is at %d ns, outside of %d to %d", got, a.Nanos, b.Nanos)
	}
}

func TestNowNeverGoesBackOnOneCore(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	last := Now()
	for range 100_000 {
		now := Now()
		if now < last-1000 { // a small difference is allowed, because the thread may have moved to another core
			t.Fatalf("%d after %d", now, last)
		}
		last = now
	}
}

// TestScaleIsExactAtItsEnds checks that a scale is exact for the ticks of both pairs and never runs
// backwards.
func TestScaleIsExactAtItsEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Pair{rapid.Int64Range(0, 1<<61).Draw(t, "tick"), rapid.Int64Range(0, 1<<50).Draw(t, "ns")}
		ticks := rapid.Int64Range(1, 1<<50).Draw(t, "ticks")
		ns := rapid.Int64Range(1, min(1<<50, ticks*1000)).Draw(t, "nanos")
		b := Pair{a.Tick + ticks, a.Nanos + ns}
		s := Between(a, b)
		if s != Between(b, a) {
			t.Fatal("the order of the pairs matters")
		}
		// A scale has 32 fractional bits, so each tick adds an error of at most half of the last
		// bit.
		if got, most := s.Nanos(b.Tick), ticks>>32+1; got > b.Nanos || got < b.Nanos-most {
			t.Fatalf("the end is at %d, want %d less %d at most", got, b.Nanos, most)
		}
		x := rapid.Int64Range(0, ticks).Draw(t, "x")
		y := rapid.Int64Range(x, ticks).Draw(t, "y")
		if s.Nanos(a.Tick+x) > s.Nanos(a.Tick+y) || s.Duration(x) > s.Duration(y) {
			t.Fatalf("%d is later than %d", x, y)
		}
		if s.Nanos(a.Tick-x) > a.Nanos {
			t.Fatal("a moment before the beginning is converted to one after it")
		}
	})
}

func TestScaleOfOneMomentKeepsTicks(t *testing.T) {
	p := Pair{100, 7}
	if got := Between(p, p).Nanos(130); got != 37 {
		t.Errorf("got %d, want ticks taken for nanoseconds", got)
	}
	if got := Between(p, p).Duration(-5); got != 0 {
		t.Errorf("a negative duration is %d, want 0", got)
	}
}

func BenchmarkNow(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Now()
	}
}

func BenchmarkTimeSince(b *testing.B) {
	for b.Loop() {
		time.Since(start)
	}
}
