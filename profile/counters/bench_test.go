package counters

import (
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assetcook/assetcook/internal/fastclock"
)

// Each benchmark compares the package with a plain implementation of the same work.

//go:noinline
func pointerTo(n *int64) *int64 { return n }

func BenchmarkWorkerAdd(b *testing.B) {
	b.Run("plain", func(b *testing.B) {
		p := pointerTo(new(int64))
		for b.Loop() {
			*p++
		}
	})
	b.Run("worker", func(b *testing.B) {
		set := New(Options{})
		p := set.Worker().Int(set.Counter("n"))
		for b.Loop() {
			*p++
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	b.Run("atomic", func(b *testing.B) {
		n := new(atomic.Int64)
		for i := 0; i < b.N; i++ {
			n.Add(1)
		}
	})
	b.Run("counter", func(b *testing.B) {
		c := New(Options{}).Counter("n")
		for i := 0; i < b.N; i++ {
			c.Add(1)
		}
	})
	b.Run("nil", func(b *testing.B) {
		var c *Counter
		for i := 0; i < b.N; i++ {
			c.Add(1)
		}
	})
}

// BenchmarkAddBy measures additions to 1,000 counters in turn: by name, by handle, and by pointer.
// It repeats the benchmark in "Recording Statistics".
func BenchmarkAddBy(b *testing.B) {
	const counters = 1000
	set := New(Options{})
	w := set.Worker()
	names, handles, pointers := make([]string, counters), make([]*Counter, counters), make([]*int64, counters)
	for i := range names {
		names[i] = fmt.Sprintf("engine/system/%d/things_drawn", i)
		handles[i] = set.Counter(names[i])
		pointers[i] = w.Int(handles[i])
	}
	b.Run("name", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; i < b.N; i++ {
			set.Counter(names[i%counters]).Add(1)
		}
	})
	b.Run("handle", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			handles[i%counters].Add(1)
		}
	})
	b.Run("pointer", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			*pointers[i%counters] += 1
		}
	})
}

// BenchmarkGauge measures the time that a gauge and a source take per frame.
func BenchmarkGauge(b *testing.B) {
	b.Run("set", func(b *testing.B) {
		g := New(Options{}).Gauge("g")
		for b.Loop() {
			g.Set(1)
		}
	})
	b.Run("poll", func(b *testing.B) {
		set := New(Options{})
		set.function("g", func() float64 { return 1 })
		b.ReportAllocs()
		for b.Loop() {
			set.poll()
		}
	})
}

// ringCounter is the baseline for PushFrame, as described in "Recording Statistics". It has a
// permanent pointer for each worker, a running total, and a ring buffer.
type ringCounter struct {
	shards [2]*int64
	total  int64
	ring   []float64
	next   int
}

func (c *ringCounter) push() {
	var sum int64
	for _, p := range c.shards {
		sum += *p
		*p = 0
	}
	c.total += sum
	c.ring[c.next] = float64(sum)
	if c.next++; c.next == len(c.ring) {
		c.next = 0
	}
}

// BenchmarkPushFrame measures the end of a frame for 1,000 watched counters and 2 workers. Both
// implementations copy prepared numbers instead of counting. The cold variant also reads and writes
// 4 MiB of memory per frame, as real frames do. The result is in ns/push.
func BenchmarkPushFrame(b *testing.B) {
	const counters, workers, frames = 1000, 2, 600
	for _, touched := range []int{counters, 50} {
		rings := func() (count, push func()) {
			var shards [workers][counters]int64
			var all [counters]*ringCounter
			for i := range all {
				all[i] = &ringCounter{ring: make([]float64, frames)}
				for w := range shards {
					all[i].shards[w] = &shards[w][i]
				}
			}
			counted := make([]int64, touched)
			return func() {
					for w := range shards {
						copy(shards[w][:], counted)
					}
				}, func() {
					for _, c := range all {
						c.push()
					}
				}
		}
		rows := func() (count, push func()) {
			set := New(Options{Frames: frames})
			set.WatchAll(math.MaxInt)
			var shards [workers]*Worker
			var lines [workers][]*line
			for w := range shards {
				shards[w] = set.Worker()
				for i := range counters {
					c := set.Counter(fmt.Sprint(i))
					shards[w].Int(c)
					// The touched counters are adjacent, because the counters of one subsystem
					// usually are.
					if l := shards[w].live.at(c.line); i < touched && i%8 == 0 {
						lines[w] = append(lines[w], l)
					}
				}
			}
			counted, at := line{1, 1, 1, 1, 1, 1, 1, 1}, time.Unix(0, 0)
			return func() {
					for w := range lines {
						for _, l := range lines[w] {
							*l = counted
						}
					}
				}, func() {
					for _, w := range shards {
						w.Flush()
					}
					set.PushFrame(at)
				}
		}
		for _, side := range []struct {
			name string
			make func() (count, push func())
		}{{"rings", rings}, {"rows", rows}} {
			for _, cold := range []int{0, 4 << 20} {
				b.Run(fmt.Sprintf("touched=%d/work=%d/%s", touched, cold, side.name), func(b *testing.B) {
					count, push := side.make()
					elsewhere := make([]int64, cold/8)
					for range frames {
						push()
					}
					start, took := fastclock.Mark(), int64(0)
					b.ReportAllocs()
					for b.Loop() {
						for i := 0; i < len(elsewhere); i += 8 {
							elsewhere[i]++
						}
						count()
						before := fastclock.Now()
						push()
						took += fastclock.Now() - before
					}
					rate := fastclock.Between(start, fastclock.Mark())
					b.ReportMetric(float64(rate.Duration(took))/float64(b.N), "ns/push")
				})
			}
		}
	}
}

func BenchmarkScope(b *testing.B) {
	b.Run("clocks", func(b *testing.B) {
		var sum int64
		for b.Loop() {
			start := fastclock.Now()
			sum += fastclock.Now() - start
		}
		_ = sum
	})
	b.Run("worker", func(b *testing.B) {
		set := New(Options{})
		w, t := set.Worker(), set.Timer("t")
		b.ReportAllocs()
		for b.Loop() {
			w.Begin(t).End()
		}
	})
	b.Run("nested", func(b *testing.B) {
		set := New(Options{})
		w, outer, inner := set.Worker(), set.Timer("outer"), set.Timer("inner")
		for b.Loop() {
			s := w.Begin(outer)
			w.Begin(inner).End()
			s.End()
		}
	})
	b.Run("shared", func(b *testing.B) {
		t := New(Options{}).Timer("t")
		b.ReportAllocs()
		for b.Loop() {
			t.Begin().End()
		}
	})
	b.Run("nil", func(b *testing.B) {
		var w *Worker
		for b.Loop() {
			w.Begin(nil).End()
		}
	})
}
