//go:build !purego

package fastclock

import "testing"

// TestCellWithoutCounterUsesNow checks that cells use the clock of Now if the counter is not
// usable.
func TestCellWithoutCounterUsesNow(t *testing.T) {
	was := counts
	defer func() { counts = was }()
	counts = false
	var c Cell
	before, at := Now(), c.Set(7)
	if _, tick, ok := c.Load(); !ok || tick != at || at < before || c.Clear() < at || Now() < at {
		t.Errorf("set at %d (in it %d), after %d", at, tick, before)
	}
}
