package counters

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// still returns a set with a clock that does not advance. Every source then counts as fast.
func still(o Options) *Set {
	set := New(o)
	set.clock = func() time.Duration { return 0 }
	return set
}

func TestGaugeKeepsLevelThroughFrames(t *testing.T) {
	set := New(Options{})
	g := set.Gauge("g")
	set.Watch("g")
	before := set.Snapshot()
	for n, do := range []func(){func() {}, func() { g.Set(3) }, func() {}, func() { g.Add(-5) }, func() { g.Set(math.Inf(1)); g.Set(0) }} {
		do()
		set.PushFrame(second(n))
		if frame, last := set.LastFrame(); frame != (Frame{int64(n), second(n)}) || last[0].Float != g.Value() {
			t.Errorf("frame %v: %v", frame, last)
		}
	}
	if got := set.History("g"); !slices.Equal(got, []float64{0, 3, 3, -2, 0}) {
		t.Errorf("history %v", got)
	}
	g.Set(7)
	later := set.Snapshot()
	for what, snap := range map[string]Snapshot{"snapshot": later, "difference": later.Sub(before), "difference to itself": later.Sub(later)} {
		if got, ok := snap.Of("g"); !ok || got.Value() != 7 || got.Kind != KindGauge {
			t.Errorf("%s: %+v", what, got)
		}
	}
	if _, last := set.LastFrame(); last[0].Float != 0 {
		t.Error("the last frame has a level of the current frame")
	}
	var text strings.Builder
	set.WritePrometheus(&text)
	set.Snapshot().WriteCSV(&text)
	set.Snapshot().WriteTable(&text)
	const want = "# HELP g g\n# TYPE g gauge\ng 7\nname,kind,value,calls,total_ns,own_ns,min_ns,max_ns\ng,gauge,7,,,,,\ng  7\n"
	if text.String()+set.String() != want+`{"g":7}` {
		t.Errorf("%s%s", text.String(), set)
	}
}

// function adds a gauge. Each poll sets the gauge to the result of f.
func (s *Set) function(name string, f func() float64) *Source {
	g := s.Gauge(name)
	return s.Source(func() { g.Set(f()) })
}

func TestSourceIsPolledUntilClosed(t *testing.T) {
	set := still(Options{})
	n := 0.0
	src := set.function("f", func() float64 { n++; return n })
	other := set.function("other", func() float64 { return -n })
	set.Watch("f", "other")
	set.PushFrame(second(0))
	set.PushFrame(second(1))
	if got, _ := set.Snapshot().Of("f"); got.Float != 3 {
		t.Errorf("%v in the snapshot, want 3", got.Float)
	}
	set.PushFrame(second(2))
	src.Close()
	src.Close()
	set.PushFrame(second(3))
	other.Close()
	var next *Source
	set.Source(func() { next.Close() })
	next = set.Source(func() { t.Error("polled after Close, in the same round") })
	set.Snapshot()
	if got := set.History("f"); !slices.Equal(got, []float64{1, 2, 4, 4}) {
		t.Errorf("history %v", got)
	}
	if got := set.History("other"); !slices.Equal(got, []float64{-1, -2, -4, -4}) {
		t.Errorf("history of the other %v", got)
	}
}

// A source that uses the set must not deadlock.
func TestSourceUsesTheSet(t *testing.T) {
	set := still(Options{})
	calls := 0
	var src *Source
	src = set.Source(func() {
		calls++
		set.Counter(fmt.Sprint("c", calls)).Add(1)
		set.Snapshot()
		set.WatchAll(math.MaxInt)
		set.Table(0, "c1")
		if calls == 1 {
			set.PushFrame(second(0))
			set.function("inner", func() float64 { return float64(len(set.Snapshot())) })
		}
		if calls == 3 {
			src.Close()
		}
	})
	for n := range 5 {
		set.PushFrame(second(n))
	}
	if calls != 3 || set.Gauge("inner").Value() != 4 {
		t.Errorf("%d calls, %v inside; want 3, 4", calls, set.Gauge("inner").Value())
	}
}

// While one goroutine polls a source, another goroutine must neither wait for the source nor poll
// it.
func TestSourceIsPolledOnce(t *testing.T) {
	set := still(Options{})
	inside, leave, done := make(chan bool), make(chan bool), make(chan bool)
	set.function("f", func() float64 {
		inside <- true
		<-leave
		return 5
	})
	go func() {
		defer close(done)
		set.PushFrame(second(0))
	}()
	<-inside
	if got, _ := set.Snapshot().Of("f"); got.Float != 0 {
		t.Errorf("%v before the function has returned", got.Float)
	}
	leave <- true
	<-done
	if _, last := set.LastFrame(); last[0].Float != 5 {
		t.Errorf("%v", last)
	}
}

// A single long call must not make a source count as slow, because the call may have been
// interrupted.
func TestSlowSourceIsPolledLessOften(t *testing.T) {
	set := New(Options{})
	now := time.Hour
	set.clock = func() time.Duration { return now }
	took, calls := time.Duration(0), 0
	set.Source(func() { calls++; now += took })
	poll := func(takes time.Duration, want bool) {
		t.Helper()
		before := calls
		took = takes
		set.PushFrame(time.Time{})
		if got := calls > before; got != want {
			t.Errorf("polled: %v, want %v", got, want)
		}
	}
	poll(sourceBudget, true)
	poll(time.Second, true) // This call is interrupted.
	poll(sourceBudget, true)
	poll(time.Millisecond, true)
	poll(2*time.Millisecond, true) // The last two calls took 2 ms and 1 ms, and the shorter one counts.
	poll(0, false)
	now += 100*time.Millisecond - 1
	poll(0, false)
	now++
	poll(24*time.Hour, true)
	poll(0, false)
	now += 200 * time.Millisecond
	poll(time.Hour, true)
	now += 99 * time.Hour
	poll(0, false)
	now += time.Hour
	poll(0, true)
}

// A panic in a source must not affect the frame or other sources.
func TestSourcePanicIsReported(t *testing.T) {
	set := still(Options{})
	broken := errors.New("broken")
	calls := 0
	src := set.function("f", func() float64 {
		if calls++; calls == 2 {
			panic(broken)
		}
		return 1
	})
	other := set.Source(func() { panic("text") })
	set.function("sound", func() float64 { return float64(calls) })
	set.WatchAll(math.MaxInt)
	for n := range 4 {
		set.PushFrame(second(n))
	}
	if calls != 2 || !errors.Is(src.Err(), broken) || other.Err() == nil || !strings.Contains(other.Err().Error(), "text") {
		t.Errorf("%d calls, errors %v, %v", calls, src.Err(), other.Err())
	}
	if got := set.History("f"); !slices.Equal(got, []float64{1, 1, 1, 1}) {
		t.Errorf("history %v", got)
	}
	snap := set.Snapshot()
	panicked, _ := snap.Of(panickedSources)
	if sound, _ := snap.Of("sound"); panicked.Int != 2 || sound.Float != 2 || len(snap) != 3 {
		t.Errorf("%v", snap)
	}
}

func TestSourcesChangeDuringFrames(t *testing.T) {
	set := New(Options{})
	set.WatchAll(math.MaxInt)
	var wg sync.WaitGroup
	for g := range 3 {
		wg.Go(func() {
			for i := range 300 {
				src := set.function(fmt.Sprint("g", g), func() float64 { return float64(i) })
				set.PushFrame(time.Time{})
				set.Snapshot()
				set.LastFrame()
				src.Close()
			}
		})
	}
	wg.Wait()
	if got := len(*set.sources.Load()); got != 0 {
		t.Errorf("%d sources are left", got)
	}
}
