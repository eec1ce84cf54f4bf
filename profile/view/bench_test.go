package view

import (
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/assetcook/assetcook/profile/counters"
)

// BenchmarkFrames measures a frame with 64 series for one page. The time includes PushFrame.
func BenchmarkFrames(b *testing.B) {
	set := counters.New(counters.Options{})
	names := make([]string, 64)
	list := make([]*counters.Counter, len(names))
	for i := range names {
		names[i] = fmt.Sprintf("group%d/counter%d", i%8, i)
		list[i] = set.Counter(names[i])
	}
	for _, watched := range []bool{false, true} {
		b.Run(fmt.Sprintf("watched=%v", watched), func(b *testing.B) {
			rows := frameRows{set: set, catalogs: &catalogs{set: set}, names: names}
			if watched {
				defer set.Watch(names...)()
			}
			b.ReportAllocs()
			for b.Loop() {
				for _, c := range list {
					c.Add(1)
				}
				set.PushFrame(frameAt(0))
				if watched && len(rows.takeRows()) == 0 {
					b.Fatal("no row")
				}
			}
		})
	}
}

// BenchmarkListCounters makes the requests that a page makes to show a tree of 10,000 counters.
func BenchmarkListCounters(b *testing.B) {
	set := counters.New(counters.Options{Max: 20_000})
	for i := range 10_000 {
		set.Counter(fmt.Sprintf("group%d/part%d/counter%d", i%10, i%100, i)).Add(int64(i))
	}
	set.PushFrame(frameAt(0))
	v := New(Sources{Counters: set})
	for _, query := range []string{"", "?names=group0/part0/counter0"} {
		b.Run("names"+query, func(b *testing.B) {
			for b.Loop() {
				v.catalogs.now = nil
				v.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "http://127.0.0.1/api/counters"+query, nil))
			}
		})
	}
}
