package counters

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"
)

func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if recover() == nil {
			t.Errorf("%s: no panic", what)
		}
	}()
	f()
}

func TestHandlesArePermanent(t *testing.T) {
	set := New(Options{})
	c, f, tm := set.Counter("c"), set.Float("f"), set.Timer("t")
	for i := range 1000 {
		set.Counter(fmt.Sprint("other", i))
	}
	if set.Counter("c") != c || set.Float("f") != f || set.Timer("t") != tm {
		t.Error("a name gave a different handle the second time")
	}
	empty := set.Counter("")
	if set.Counter("") != empty || empty == c {
		t.Error("the empty name is not a name like others")
	}
}

func TestEightCountersShareALine(t *testing.T) {
	set := New(Options{})
	before := len(set.kinds)
	for i := range 80 {
		set.Counter(fmt.Sprint("c", i))
		set.Float(fmt.Sprint("f", i))
		set.Timer(fmt.Sprint("t", i))
	}
	if got := len(set.kinds) - before; got < 10+10+80 || got > 11+11+80 {
		t.Errorf("%d lines for 80 of each kind", got)
	}
	if a, b := set.find("c1"), set.find("c2"); a.line == b.line && a.slot == b.slot {
		t.Error("two counters in one place")
	}
}

func TestMisusePanics(t *testing.T) {
	set, other := New(Options{}), New(Options{})
	set.Counter("c")
	w := set.Worker()
	for what, f := range map[string]func(){
		"counter as float":     func() { set.Float("c") },
		"counter as gauge":     func() { set.Gauge("c") },
		"counter as function":  func() { set.function("c", nil) },
		"counter as timer":     func() { set.Timer("c") },
		"own name as a timer":  func() { set.Timer(refusedNames) },
		"negative max":         func() { New(Options{Max: -1}) },
		"too large max":        func() { New(Options{Max: 1<<20 + 1}) },
		"negative frames":      func() { New(Options{Frames: -1}) },
		"too many frames":      func() { New(Options{Frames: 1<<20 + 1}) },
		"negative bytes":       func() { New(Options{NameBytes: -1}) },
		"counter of another":   func() { w.Int(other.Counter("c")) },
		"float of another":     func() { w.Float(other.Float("f")) },
		"timer of another":     func() { w.Begin(other.Timer("t")) },
		"record of another":    func() { w.Record(other.Timer("t"), 1) },
		"worker freed twice":   func() { w := set.Worker(); w.Release(); w.Release() },
		"a mean of no values":  func() { newMovingMean(0) },
		"counter, after all":   func() { set.Float("c") }, // This call would deadlock if an earlier panic had left the set locked.
		"a kind without table": func() { _ = Kind(9).String() },
	} {
		mustPanic(t, what, f)
	}
}

func TestFullSetSumsRefusedNames(t *testing.T) {
	for what, o := range map[string]Options{"names": {Max: 3}, "bytes": {NameBytes: 5}} {
		set := New(o)
		set.Counter("a").Add(1)
		set.Float("bb").Add(1)
		set.Timer("cc").Record(1)
		if got := len(set.Snapshot()); got != 3 {
			t.Fatalf("%s: %d samples before anything was refused", what, got)
		}
		x, y := set.Counter("xx"), set.Counter("yyy")
		x.Add(10)
		y.Add(20)
		set.Float("zz").Add(0.5)
		set.Gauge("gg").Set(9)
		w := set.Worker()
		w.Record(set.Timer("uu"), 7)
		w.Release()
		if set.Counter("a").Value() != 1 {
			t.Errorf("%s: an existing counter is refused", what)
		}
		snap := set.Snapshot()
		if x != y || len(snap) != 8 {
			t.Errorf("%s: handles %p and %p, %d samples", what, x, y, len(snap))
		}
		for name, want := range map[string]float64{refusedNames: 5, overflowCounter: 30, overflowFloat: 0.5, overflowTimer: 7, overflowGauge: 9} {
			if got, ok := snap.Of(name); !ok || got.Value() != want {
				t.Errorf("%s: %s is %v, want %v", what, name, got.Value(), want)
			}
		}
	}
}

func TestNilDoesNothing(t *testing.T) {
	var set *Set
	c, f, tm, w := set.Counter("c"), set.Float("f"), set.Timer("t"), set.Worker()
	g, src := set.Gauge("g"), set.Source(func() { t.Error("polled") })
	if g != nil || src != nil || set.function("g", func() float64 { return 1 }) != nil || src.Err() != nil {
		t.Fatal("a nil set gives gauges")
	}
	if c != nil || f != nil || tm != nil || w != nil {
		t.Fatal("a nil set gives handles")
	}
	all := func() {
		c.Add(1)
		f.Add(1)
		g.Set(1)
		g.Add(1)
		src.Close()
		tm.Begin().End()
		tm.Record(1)
		w.Begin(tm).End()
		w.Record(tm, 1)
		w.Flush()
		w.Release()
		set.PushFrame(time.Time{})
		set.Watch("c")()
		set.WatchDetail("c")()
		set.WatchAll(1 << 20)()
	}
	if n := testing.AllocsPerRun(10, all); n != 0 {
		t.Errorf("%v allocations", n)
	}
	p, pf := w.Int(c), w.Float(f)
	*p, *pf = 1, 1
	if w.Int(c) == p || w.Float(f) == pf {
		t.Error("two goroutines would write to one dummy")
	}
	if c.Value() != 0 || f.Value() != 0 || g.Value() != 0 || tm.Stat() != (Stat{}) || set.Snapshot() != nil || set.History("c") != nil ||
		set.Table(0, "t").Frames != nil || set.String() != "{}" {
		t.Error("a nil handle has counted something")
	}
	if _, got := set.LastFrame(); got != nil {
		t.Error("nothing had a frame")
	}
	if _, got := set.TimerHistory("t", 0); got != nil {
		t.Error("a nil set has a timer's history")
	}
	// The worker is not nil, but its handle is.
	live := New(Options{}).Worker()
	*live.Int(nil)++
	*live.Float(nil)++
	live.Begin(nil).End()
	live.Record(nil, 1)
	live.Release()
}

// TestConcurrentCountsAreExact lets goroutines count in all ways while others read and push frames.
// Every addition must occur exactly once in the frames and in the sums.
func TestConcurrentCountsAreExact(t *testing.T) {
	const goroutines, rounds = 4, 2000
	const pushes = 1000
	set := New(Options{Frames: 2*pushes + 1, Max: 64})
	set.WatchAll(math.MaxInt)
	var counting, reading sync.WaitGroup
	stop := make(chan bool)
	for range 2 {
		reading.Go(func() {
			last := int64(0)
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				if i < pushes {
					set.PushFrame(time.Unix(1, 0))
				}
				sample, _ := set.Snapshot().Of("c")
				if sample.Int < last {
					t.Errorf("the sum fell from %d to %d", last, sample.Int)
				}
				last = sample.Int
				_ = set.String()
				set.TimerHistory("t", 0)
				set.Table(0, "c", "t")
				set.WatchDetail("t", "r")
				set.unwatchDetail("t", "r")
			}
		})
	}
	for range goroutines {
		counting.Go(func() {
			for i := range rounds {
				w := set.Worker()
				*w.Int(set.Counter("w"))++
				*w.Float(set.Float("wf")) += 2
				s := w.Begin(set.Timer("wt"))
				set.Counter("c").Add(1)
				set.Float("f").Add(0.5)
				span := set.Timer("t").Begin()
				set.Timer("r").Record(time.Duration(i))
				span.End()
				s.End()
				w.Flush()
				*w.Int(set.Counter("w"))++
				w.Release()
			}
		})
	}
	counting.Wait()
	close(stop)
	reading.Wait()
	set.PushFrame(time.Unix(1, 0))
	const n = goroutines * rounds
	for name, want := range map[string]float64{"w": 2 * n, "wf": 2 * n, "c": n, "f": n / 2, "r": n / 2 * (rounds - 1)} {
		sample, _ := set.Snapshot().Of(name)
		if sample.Value() != want {
			t.Errorf("%s is %v, want %v", name, sample.Value(), want)
		}
		sum := 0.0
		for _, v := range set.History(name) {
			sum += v
		}
		if sum != want {
			t.Errorf("the frames of %s make %v, want %v", name, sum, want)
		}
	}
	for _, name := range []string{"t", "wt", "r"} {
		if got := set.Timer(name).Stat().Calls; got != n {
			t.Errorf("%s was called %d times, want %d", name, got, n)
		}
	}
	if got := len(set.workers); got > goroutines {
		t.Errorf("%d workers were made for %d goroutines", got, goroutines)
	}
}

func TestConcurrentAddsToOneCounterAreExact(t *testing.T) {
	const goroutines, rounds = 4, 300_000
	set := New(Options{})
	c, f, tm, g := set.Counter("c"), set.Float("f"), set.Timer("t"), set.Gauge("g")
	for _, add := range []func(){func() { c.Add(1) }, func() { g.Add(1) }, func() { f.Add(1) }, func() { tm.Record(1) }} {
		var adding sync.WaitGroup
		start := make(chan bool)
		for range goroutines {
			adding.Go(func() {
				<-start
				for range rounds {
					add()
				}
			})
		}
		close(start)
		adding.Wait()
	}
	const n = goroutines * rounds
	if c.Value() != n || f.Value() != n || g.Value() != n || tm.Stat().Calls != n || tm.Stat().Total != n {
		t.Errorf("%d, %v, %+v, want %d of each", c.Value(), f.Value(), tm.Stat(), n)
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	set := New(Options{Frames: 3})
	set.WatchAll(math.MaxInt)
	c, f, tm, w := set.Counter("c"), set.Float("f"), set.Timer("t"), set.Worker()
	p, g, polled := w.Int(c), set.Gauge("g"), 0.0
	set.function("polled", func() float64 { return polled })
	frame := func() {
		g.Set(2)
		polled++
		c.Add(1)
		f.Add(1)
		tm.Begin().End()
		tm.Record(5)
		*p++
		w.Begin(tm).End()
		w.Record(tm, 5)
		set.Counter("c").Add(1)
		w.Flush()
		set.PushFrame(time.Time{})
	}
	frame()
	frame()
	if n := testing.AllocsPerRun(50, frame); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

// A worker's pointer must stay the same after flushes and for the next owner. Counts that an owner
// left behind at its release must be published.
func TestWorkerPointersArePermanent(t *testing.T) {
	set := New(Options{})
	c, f := set.Counter("c"), set.Float("f")
	w := set.Worker()
	p, pf := w.Int(c), w.Float(f)
	for i := range 300 {
		w.Int(set.Counter(strings.Repeat("x", i+2)))
		w.Begin(set.Timer(strings.Repeat("y", i+2))).End()
	}
	*p, *pf = 3, 1.5
	if c.Value() != 0 || f.Value() != 0 {
		t.Error("seen before the flush")
	}
	w.Release()
	if c.Value() != 3 || f.Value() != 1.5 || *p != 0 || *pf != 0 {
		t.Errorf("after release: %d, %v; left behind %d, %v", c.Value(), f.Value(), *p, *pf)
	}
	again := set.Worker()
	if again != w || again.Int(c) != p || again.Float(f) != pf {
		t.Error("a released worker is not reused with its pointers")
	}
	if set.Worker() == again {
		t.Error("two owners got the same worker")
	}
	again.Flush()
	again.Flush() // The mailbox is full at this time.
	*p = 4
	again.Flush()
	*p = 5
	again.Flush()
	if got := c.Value(); got != 12 {
		t.Errorf("the sum is %d, want 12", got)
	}
}
