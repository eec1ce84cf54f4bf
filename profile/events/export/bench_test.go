package export

import (
	"fmt"
	"io"
	"iter"
	"testing"

	"github.com/assetcook/assetcook/profile/events"
)

// nestedScopes returns n nested scopes of 10 to 100 microseconds, as from a cooking worker: 100
// assets with two stages each.
func nestedScopes(n int) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		now := int64(1000)
		for i := 0; i < n; i += 3 {
			for _, e := range []events.Event{
				scope(0, "cook/read", "", now+1_300, now+11_900),
				scope(0, "cook/encode", "", now+12_700, now+90_100),
				scope(0, "cook/asset", fmt.Sprintf("textures/wall%02d.png", i%100), now, now+100_000),
			} {
				if !yield(e, nil) {
					return
				}
			}
			now += 104_000
		}
	}
}

type countingWriter int64

func (c *countingWriter) Write(b []byte) (int, error) {
	*c += countingWriter(len(b))
	return len(b), nil
}

// BenchmarkWrite reports time, bytes and memory per slice for each format.
func BenchmarkWrite(b *testing.B) {
	const n = 30_000
	var list []events.Event
	for e := range nestedScopes(n) {
		list = append(list, e)
	}
	for _, ending := range Endings() {
		b.Run(ending[1:], func(b *testing.B) {
			write, _ := ByEnding(ending)
			var size countingWriter
			for b.Loop() {
				size = 0
				if err := write(io.Writer(&size), Recording{Events: given(list...)}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(size)/n, "B/slice")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/slice")
		})
	}
}
