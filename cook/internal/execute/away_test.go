package execute

import (
	"testing"
	"time"
)

// Actions leave one at a time until it is known what that costs, then those that take more than
// twice as long, and one at a time of those that may turn out to.
func TestActionsThatLeave(t *testing.T) {
	const ms = time.Millisecond
	var s away
	for range probes {
		if !s.takesAction(50*ms, false) || s.takesAction(time.Hour, false) {
			t.Fatal("not one at a time")
		}
		if !s.takesAction(0, true) {
			t.Error("not always")
		}
		s.done()
		s.done()
		s.measured(100 * ms)
	}
	if s.takesAction(49*ms, false) || !s.takesAction(50*ms, false) {
		t.Error("nothing finds out whether it costs less now")
	}
	for took, want := range map[time.Duration]bool{0: false, 150 * ms: false, 200 * ms: false, 201 * ms: true} {
		if got := s.takesAction(took, false); got != want {
			t.Errorf("%v: %v", took, got)
		}
	}
	s.measured(10 * ms) // the least counts, of the last few
	if !s.takesAction(21*ms, false) {
		t.Error("not by the cheapest")
	}
	for range samples {
		s.measured(100 * ms)
	}
	if s.takesAction(150*ms, false) {
		t.Error("by what is long past")
	}
	s.turnOff()
	if s.takesAction(time.Hour, true) || !s.isOff() {
		t.Error("although it is off")
	}
}
