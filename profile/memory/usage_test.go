//go:build !guard

package memory

import (
	"reflect"
	"sync"
	"testing"
)

func TestUsage(t *testing.T) {
	for _, totals := range []bool{false, true} {
		tracker := New(Options{Totals: totals})
		images, files := tracker.Group("images", GroupOptions{}), tracker.Group("files", GroupOptions{})
		pixels := images.Pool("pixels", PoolOptions{Type: "RGBA", Lifetime: Temporary})
		content := files.Pool("content", PoolOptions{})
		files.Pool("never used", PoolOptions{})
		empty := tracker.Usage()
		w := tracker.Worker("w").Push("a")
		kept := content.Bytes(w, 70)
		pixels.Bytes(w, 100)
		pixels.Bytes(nil, 1000)
		images.Grow(w, 5)
		content.Free(nil, kept)
		content.Bytes(nil, 100)

		u := tracker.Usage()
		if added := u.Tables - empty.Tables; empty.Tables < 1 || added < 4*56 {
			t.Errorf("tables of %d bytes have %d more for 4 blocks", empty.Tables, added)
		}
		u.Tables = 0
		peak := func(bytes, count, peak, peakCount int64) Total {
			if !totals {
				peak, peakCount = 0, 0
			}
			return Total{bytes, count, peak, peakCount}
		}
		want := &Usage{
			Total: peak(1205, 4, 1205, 4), Held: 80 + 112 + 1024 + 112, Rounding: 12 + 24 + 12, Warm: 80,
			Pools: []PoolRow{
				{"images", "pixels", "RGBA", Temporary, peak(1100, 2, 1100, 2), 36},
				{"files", "content", "", "", peak(100, 1, 100, 1), 12},
				{"images", "", "", "", peak(5, 1, 5, 1), 0},
			},
			Sizes: []SizeRow{{80, 0, 1}, {112, 2, 0}, {1024, 1, 0}},
		}
		if !reflect.DeepEqual(u, want) {
			t.Errorf("usage\n%+v, want\n%+v", u, want)
		}
		var peakCount int64
		if totals {
			peakCount = 3
		}
		if got := tracker.Snapshot().Groups[1]; got.PeakCount != peakCount {
			t.Errorf("group %+v, want a peak of %d slices and accounts", got, peakCount)
		}
	}
	if u := (*Tracker)(nil).Usage(); !reflect.DeepEqual(u, &Usage{}) {
		t.Errorf("a nil tracker uses %+v", u)
	}
}

// Peaks must cover all slices held at the same time, however many goroutines add them.
func TestTotalPeaksAreExactUnderConcurrency(t *testing.T) {
	tracker := New(Options{Totals: true})
	p := tracker.Group("g", GroupOptions{}).Pool("p", PoolOptions{})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			w := tracker.Worker("w").Push("a")
			for range 100 {
				p.Bytes(w, 3)
			}
		})
	}
	all.Wait()
	want := Total{2400, 800, 2400, 800}
	if u := tracker.Usage(); u.Total != want || u.Pools[0].Total != want || tracker.Snapshot().Groups[0].PeakCount != 800 {
		t.Errorf("usage %+v, want %+v for the tracker and for the pool", u, want)
	}
}
