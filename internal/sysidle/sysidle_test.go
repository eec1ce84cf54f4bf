package sysidle

import (
	"testing"
	"time"
)

func TestIdleCoresAreAveraged(t *testing.T) {
	var idle, total uint64
	known := true
	m := Meter{read: func() (uint64, uint64, int, bool) { return idle, total, 4, known }}
	begin := time.Unix(1000, 0)
	step := func(at time.Duration, moreIdle, more uint64, want float64) {
		t.Helper()
		idle, total = idle+moreIdle, total+more
		if got := m.Cores(begin.Add(at)); got != want {
			t.Errorf("at %v: %v, want %v", at, got, want)
		}
	}
	step(0, 1000, 2000, 0) // the first reading counts ticks since the machine started, so it reveals nothing about recent use
	step(50*time.Millisecond, 20, 20, 0)
	step(100*time.Millisecond, 0, 20, 2)
	step(150*time.Millisecond, 0, 20, 2)
	step(200*time.Millisecond, 0, 0, 0)
	step(300*time.Millisecond, 40, 40, 4)
	step(400*time.Millisecond, 0, 0, 0) // no tick has passed since the last call
	known = false
	step(500*time.Millisecond, 40, 40, 0)
}
