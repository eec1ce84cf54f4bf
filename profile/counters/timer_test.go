package counters

import (
	"math"
	"testing"
	"time"

	"github.com/assetcook/assetcook/internal/fastclock"
)

// fixedRate returns a set whose ticks take half a nanosecond.
func fixedRate() *Set {
	set := New(Options{})
	set.scale = fastclock.Between(fastclock.Pair{}, fastclock.Pair{Tick: 2 << 20, Nanos: 1 << 20})
	set.steady = true
	return set
}

// begin begins a scope at the given tick.
func begin(w *Worker, t *Timer, at int64) Scope {
	s := w.Begin(t)
	s.start = at
	return s
}

func TestScopesNest(t *testing.T) {
	set := fixedRate()
	w := set.Worker()
	frame, draw, sort := set.Timer("frame"), set.Timer("draw"), set.Timer("sort")
	f := begin(w, frame, 1000)
	d := begin(w, draw, 1200)
	s := begin(w, sort, 1300)
	s.end(1400)
	s = begin(w, sort, 1500)
	s.end(1520)
	d.end(2200)
	w.Record(sort, 17) // A recorded duration must not count as a nested scope.
	d = begin(w, draw, 2300)
	d.end(2300)
	f.end(3000)
	begin(w, set.Timer("skew"), 5000).end(4990) // The end comes from another core's clock, which is behind.
	w.Release()
	for name, want := range map[string]Stat{
		"frame": {Calls: 1, Total: 1000, Own: 500, Min: 1000, Max: 1000},
		"skew":  {Calls: 1},
		"draw":  {Calls: 2, Total: 500, Own: 440, Min: 0, Max: 500},
		"sort":  {Calls: 3, Total: 77, Own: 77, Min: 10, Max: 50},
	} {
		if got := set.Timer(name).Stat(); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func TestReleaseForgetsScopes(t *testing.T) {
	set := fixedRate()
	w := set.Worker()
	outer := begin(w, set.Timer("outer"), 0)
	begin(w, set.Timer("inner"), 0).end(50)
	_ = outer // This scope never ends.
	w.Release()
	w = set.Worker()
	begin(w, set.Timer("next"), 0).end(100)
	next := begin(w, set.Timer("after"), 100)
	if next.outer != 100 {
		t.Errorf("%d ticks inside, want 100, only the current owner's", next.outer)
	}
}

func TestStatCombinesTicksAndNanoseconds(t *testing.T) {
	for _, c := range []struct {
		name  string
		ticks []int64
		nanos []time.Duration
		want  Stat
		mean  time.Duration
	}{
		{"none", nil, nil, Stat{}, 0},
		{"ticks", []int64{20, 6, 100}, nil, Stat{3, 63, 63, 3, 50}, 21},
		{"nanoseconds", nil, []time.Duration{20, 6, 100}, Stat{3, 126, 126, 6, 100}, 42},
		{"both, ticks outside", []int64{2, 400}, []time.Duration{7, 8}, Stat{4, 216, 216, 1, 200}, 54},
		{"both, nanoseconds outside", []int64{20, 40}, []time.Duration{1, 300}, Stat{4, 331, 331, 1, 300}, 82},
		{"zero", []int64{0}, nil, Stat{Calls: 1}, 0},
		{"negative", nil, []time.Duration{-5, 5}, Stat{2, 5, 5, 0, 5}, 2},
		{"longest", nil, []time.Duration{math.MaxInt64}, Stat{1, math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64}, math.MaxInt64},
	} {
		shared, sharded := fixedRate(), fixedRate()
		w := sharded.Worker()
		shared.Timer("t")
		sharded.Timer("t")
		for _, d := range c.ticks {
			begin(w, sharded.Timer("t"), 0).end(d)
			shared.find("t").timed.addTicks(d, d)
			shared.find("t").queue()
		}
		for _, d := range c.nanos {
			shared.Timer("t").Record(d)
			w.Record(sharded.Timer("t"), d)
		}
		w.Flush()
		for what, set := range map[string]*Set{"shared": shared, "worker": sharded} {
			if got := set.Timer("t").Stat(); got != c.want || got.Mean() != c.mean {
				t.Errorf("%s, %s: %+v with mean %v, want %+v with %v", c.name, what, got, got.Mean(), c.want, c.mean)
			}
		}
	}
}

// TestSpanAgreesWithTheClock compares a span with package time. The span must be at least as long
// as an interval inside it, and at most as long as an interval around it.
func TestSpanAgreesWithTheClock(t *testing.T) {
	set := New(Options{})
	w := set.Worker()
	before := time.Now()
	span := set.Timer("span").Begin()
	scope := w.Begin(set.Timer("scope"))
	begun := time.Now()
	for time.Since(begun) < 5*time.Millisecond {
	}
	least := time.Since(begun)
	scope.End()
	span.End()
	most := time.Since(before)
	w.Flush()
	for _, name := range []string{"span", "scope"} {
		got := set.Timer(name).Stat()
		if got.Calls != 1 || got.Total != got.Own || got.Total != got.Min || got.Total != got.Max {
			t.Errorf("%s: %+v of one call", name, got)
		}
		if got.Total < least*99/100 || got.Total > most*101/100 {
			t.Errorf("%s took %v, want %v to %v", name, got.Total, least, most)
		}
	}
}

func TestRateIsHeld(t *testing.T) {
	set := New(Options{})
	set.mu.Lock()
	defer set.mu.Unlock()
	set.rate()
	if set.steady {
		t.Error("held at once")
	}
	set.start.Nanos -= steadyAfter // Make the set a second older.
	held := set.rate()
	if !set.steady {
		t.Error("not held after a second")
	}
	set.start.Tick -= 1 << 40
	if set.rate() != held {
		t.Error("changed after it was held")
	}
}
