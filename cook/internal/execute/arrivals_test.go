package execute

import (
	"testing"
	"time"
)

func TestArrivals(t *testing.T) {
	const ms = time.Millisecond
	begin := time.Unix(1000, 0)
	var a arrivals
	a.asking(begin)
	a.asking(begin.Add(time.Hour)) // the first one counts
	want := func(at time.Duration, others int, want time.Duration) {
		t.Helper()
		if got := a.nextArrival(begin.Add(at), others); got != want {
			t.Errorf("at %v: %v, want %v", at, got, want)
		}
	}
	want(0, 0, firstGap)
	want(0, 3, 4*firstGap)
	want(150*ms, 0, 150*ms) // as long again
	want(200*ms, 0, never)

	for i := range 100 {
		a.noteAnswer(begin.Add(time.Duration(i+1) * ms))
	}
	want(100*ms, 0, ms)
	want(100*ms, 9, 10*ms)
	want(150*ms, 0, 50*ms)
	want(299*ms, 0, 199*ms)
	want(300*ms, 0, never)

	a.noteAnswer(begin.Add(10_100 * ms))
	want(10_100*ms, 0, 100*ms)
	want(10_800*ms, 0, 700*ms)
	want(10_900*ms, 0, never)
}
