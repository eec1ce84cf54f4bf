package counters

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

// bytes returns the number of bytes that the rows of a history take.
func (h *history) bytes() int { return len(h.rows)*64 + len(h.touched)*8 + len(h.at)*24 }

// The memory for watching must not exceed a limit per watched name. It must be freed when the
// watches end.
func TestWatchingCostsWhatItShows(t *testing.T) {
	const names, frames = 2000, 50
	every := func(n int) (list []string) {
		for i := 0; i < names; i += n {
			list = append(list, fmt.Sprint("c", i), fmt.Sprint("t", i), fmt.Sprint("f", i))
		}
		return list
	}
	for what, list := range map[string][]string{"all": every(1), "every second": every(2), "every ninth": every(9)} {
		for _, single := range []bool{false, true} {
			set := New(Options{Frames: frames, Max: 3 * names})
			for i := range names {
				set.Counter(fmt.Sprint("c", i))
				set.Timer(fmt.Sprint("t", i))
				set.Float(fmt.Sprint("f", i))
			}
			if single {
				for _, name := range list {
					set.Watch(name)
				}
			} else {
				set.Watch(list...)
			}
			set.PushFrame(second(0))
			if got, most := set.history.bytes(), len(list)*frames*20; got > most {
				t.Errorf("%s, one by one %v: %d bytes for %d names in %d frames, want at most %d", what, single, got, len(list), frames, most)
			}
			tenth := len(list) / 10
			set.unwatch(list[tenth:]...)
			if got, most := set.history.bytes(), tenth*frames*40; got > most {
				t.Errorf("%s: %d bytes for the %d remaining names, want at most %d", what, got, tenth, most)
			}
			set.unwatch(list[:tenth]...)
			if got := set.history.bytes(); got != 0 {
				t.Errorf("%s: %d bytes with nothing watched", what, got)
			}
		}
	}
}

func TestWatchesAreCounted(t *testing.T) {
	set := New(Options{Frames: 5})
	c := set.Counter("c")
	for n, step := range []struct {
		change func(...string)
		want   []float64
	}{
		{set.watch, []float64{1}},
		{set.watch, []float64{1, 2}},
		{set.unwatch, []float64{1, 2, 3}},
		{set.unwatch, nil},
		{set.unwatch, nil}, // The name is not watched, so this does nothing.
		{set.watch, []float64{6}},
	} {
		step.change("c", "comes later")
		c.Add(int64(n + 1))
		set.PushFrame(second(n))
		if got := set.History("c"); !slices.Equal(got, step.want) {
			t.Errorf("after step %d: %v, want %v", n, got, step.want)
		}
	}
	set.Counter("comes later")
	if set.History("comes later") == nil {
		t.Error("a name that came later is not watched")
	}
	stop := set.WatchAll(1 << 20)
	set.unwatch("c")
	if set.History("c") == nil {
		t.Error("the end of a Watch took back a WatchAll")
	}
	stop()
	if set.History("c") != nil || set.History("comes later") == nil {
		t.Error("the end of a WatchAll took back the wrong watches")
	}
}

func TestWantedNamesAreBounded(t *testing.T) {
	set := New(Options{Max: 10})
	for i := range 100 {
		set.Watch(fmt.Sprint(i))
	}
	if got := len(set.history.wanted); got != 10 {
		t.Errorf("%d names wanted, want 10", got)
	}
	set.Counter("0")
	if got := len(set.history.wanted); got != 9 {
		t.Errorf("%d names wanted after one came, want 9", got)
	}
	for i := range 100 {
		set.unwatch(fmt.Sprint(i))
	}
	if got := len(set.history.wanted); got != 0 {
		t.Errorf("%d names wanted after all", got)
	}
}

func TestTableReturnsEachFrameOnce(t *testing.T) {
	set := New(Options{Frames: 4})
	set.Watch("c")
	c := set.Counter("c")
	next, seen := int64(0), []int64{}
	for n := range 20 {
		c.Add(int64(n))
		set.PushFrame(time.Unix(int64(n), 0))
		if n%3 != 0 {
			continue
		}
		table := set.Table(next, "c")
		for i, f := range table.Frames {
			seen = append(seen, f.Number)
			if got := table.Row(i)[0]; got != float64(f.Number) {
				t.Errorf("frame %d: %v", f.Number, got)
			}
		}
		if next = table.Next; len(set.Table(next, "c").Frames) != 0 || set.Table(next).Next != next {
			t.Error("the table has frames of the future")
		}
	}
	for i, n := range seen {
		if n != int64(i) {
			t.Fatalf("frames %v", seen)
		}
	}
	if len(seen) != 19 {
		t.Errorf("%d frames seen, want 19", len(seen))
	}
	set.Table(-5, "c") // A negative frame number is allowed.
}

func TestHistoriesSurviveOtherWatches(t *testing.T) {
	set := New(Options{Frames: 4})
	set.WatchDetail("t", "c", "f", "g")
	c, f, g, tm := set.Counter("c"), set.Float("f"), set.Gauge("g"), set.Timer("t")
	check := func(when string) {
		t.Helper()
		for name, want := range map[string]string{"c": "[3 4 5 6]", "f": "[1.5 2 2.5 3]", "g": "[3 4 5 6]", "t": "[30 40 50 60]"} {
			if got := fmt.Sprint(set.History(name)); got != want {
				t.Errorf("%s %s had %v, want %v", when, name, got, want)
			}
		}
		_, got := set.TimerHistory("t", 0)
		for i, stat := range got {
			if want := (Stat{2, time.Duration(10 * (i + 3)), time.Duration(10 * (i + 3)), time.Duration(i + 3), time.Duration(9 * (i + 3))}); stat != want {
				t.Errorf("%s the timer had %+v, want %+v", when, stat, want)
			}
		}
	}
	for n := range 7 {
		c.Add(int64(n))
		f.Add(float64(n) / 2)
		g.Set(float64(n))
		tm.Record(time.Duration(n))
		tm.Record(time.Duration(9 * n))
		set.PushFrame(second(n))
	}
	check("before")
	names := make([]string, 100)
	for i := range names {
		names[i] = fmt.Sprint("other", i)
		set.Timer(names[i])
	}
	set.WatchDetail(names...)
	check("with others")
	wide := set.history.bytes()
	set.unwatchDetail(names...)
	check("without them")
	if got := set.history.bytes(); got*2 > wide {
		t.Errorf("%d bytes after %d", got, wide)
	}
	set.WatchAll(math.MaxInt)
	check("with all")
}

func TestWatchStopsOnce(t *testing.T) {
	set := New(Options{Frames: 5})
	set.Counter("c")
	names := []string{"c"}
	stop := set.Watch(names...)
	set.Watch("c")
	names[0] = "other"
	stop()
	stop()
	set.PushFrame(second(0))
	if got := set.History("c"); !slices.Equal(got, []float64{0}) {
		t.Errorf("history %v, want one frame", got)
	}
	var none *Set
	none.Watch("c")()
	none.WatchDetail("c")()
}

func (s *Set) watch(names ...string)         { s.changeWatch(names, watch{1, 0}) }
func (s *Set) watchDetail(names ...string)   { s.changeWatch(names, watch{1, 1}) }
func (s *Set) unwatch(names ...string)       { s.changeWatch(names, watch{-1, 0}) }
func (s *Set) unwatchDetail(names ...string) { s.changeWatch(names, watch{-1, -1}) }

// TestWatchAllStaysWithinItsMemory creates more counters than fit, before and after the call.
func TestWatchAllStaysWithinItsMemory(t *testing.T) {
	const most = 16 << 20
	for _, frames := range []int{600, 20_000} {
		set := New(Options{Frames: frames})
		create := func(part string) {
			for i := range 2000 {
				set.Counter(fmt.Sprint(part, i))
			}
		}
		create("before")
		set.WatchAll(most)
		create("after")
		if got := set.history.bytes(); got > most*3/2 || got < most/2 {
			t.Errorf("%d frames: %d bytes, want about %d", frames, got, most)
		}
	}
}
