//go:build !guard

package memory

import (
	"runtime"
	"testing"
)

func TestTrackingOverheadIsAsDocumented(t *testing.T) {
	for _, live := range []int{1 << 14, 1 << 16, 100_000} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		tracker := New(Options{Live: live, Scopes: 1})
		p := tracker.Group("g", GroupOptions{}).Pool("p", PoolOptions{})
		for range live {
			p.Bytes(nil, smallest)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		s := tracker.Snapshot()
		if s.Untracked != 0 || s.Held != int64(live*smallest) {
			t.Fatalf("of %d slices %d are untracked; %d bytes are held", live, s.Untracked, s.Held)
		}
		each := (int64(after.HeapAlloc) - int64(before.HeapAlloc) - s.Held) / int64(live)
		t.Logf("Live %d: %d bytes for each", live, each)
		if each > 70 {
			t.Errorf("Live %d: %d bytes for each slice, want at most %d", live, each, 70)
		}
		runtime.KeepAlive(tracker)
	}
}
