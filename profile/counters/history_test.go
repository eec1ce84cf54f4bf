package counters

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

func second(n int) time.Time { return time.Unix(int64(n), 0) }

// A row must have NaN for a name that was not watched in that frame, and 0 for a name that was
// watched but untouched.
func TestRowsComeOldestFirst(t *testing.T) {
	set := New(Options{Frames: 3})
	a, b := set.Counter("a"), set.Timer("b")
	set.PushFrame(second(0)) // No name is watched yet.
	set.Watch("a", "later")
	for n := 1; n <= 4; n++ {
		a.Add(int64(n * 10))
		if n == 3 {
			set.WatchDetail("b")
			set.Counter("later").Add(5)
		}
		if n != 4 {
			b.Record(time.Duration(n))
		} else {
			a.Add(-40)
		}
		set.PushFrame(second(n))
	}
	nan := math.NaN()
	want := []struct {
		frame  Frame
		values []float64
	}{
		{Frame{2, second(2)}, []float64{20, nan, nan, nan}},
		{Frame{3, second(3)}, []float64{30, 3, 5, nan}},
		{Frame{4, second(4)}, []float64{0, 0, 0, nan}},
	}
	table := set.Table(0, "a", "b", "later", "never")
	if len(table.Frames) != len(want) {
		t.Fatalf("%d rows, want %d", len(table.Frames), len(want))
	}
	for i, frame := range table.Frames {
		values := table.Row(i)
		same := slices.EqualFunc(values, want[i].values, func(x, y float64) bool { return x == y || x != x && y != y })
		if frame != want[i].frame || !same {
			t.Errorf("row %d: %v %v, want %v", i, frame, values, want[i])
		}
	}
	if first, got := set.TimerHistory("b", 0); first != 3 || !slices.Equal(got, []Stat{{1, 3, 3, 3, 3}, {}}) {
		t.Errorf("from frame %d the timer had %+v", first, got)
	}
	if first, got := set.TimerHistory("b", 4); first != 4 || !slices.Equal(got, []Stat{{}}) {
		t.Errorf("from frame %d the timer had %+v, asked for 4", first, got)
	}
	if _, got := set.TimerHistory("a", 0); got != nil || set.History("never") != nil {
		t.Error("an unknown or unwatched name has a history")
	}
}

func TestRowsBeginWithWatching(t *testing.T) {
	set := New(Options{Frames: 10})
	set.PushFrame(second(0))
	if len(set.Table(0).Frames) != 0 {
		t.Error("a row although nothing is watched")
	}
	set.Watch(refusedNames)
	set.PushFrame(second(1))
	for _, frame := range set.Table(0).Frames {
		if frame.Number != 1 {
			t.Errorf("frame %d", frame.Number)
		}
	}
}

// This number of names makes a row's touched bits span several words.
func TestHistoriesSurviveWiderRows(t *testing.T) {
	const frames, timers = 5, 200
	set := New(Options{Frames: frames})
	set.WatchAll(math.MaxInt)
	for i := range timers {
		for old := range i {
			set.Timer(fmt.Sprint(old)).Record(time.Duration(old + 1))
		}
		set.Timer(fmt.Sprint(i)).Record(time.Duration(i + 1))
		set.PushFrame(second(i))
		got := set.History(fmt.Sprint(i / 2))
		want := slices.Repeat([]float64{float64(i/2 + 1)}, min(frames, i-i/2+1))
		if !slices.Equal(got, want) {
			t.Fatalf("after frame %d timer %d had %v, want %v", i, i/2, got, want)
		}
	}
}

func TestSumsAreExact(t *testing.T) {
	set := New(Options{})
	w := set.Worker()
	c := set.Counter("c")
	for range 3 {
		*w.Int(c) += 1<<60 + 1
		w.Flush()
		set.PushFrame(second(0))
	}
	if got := c.Value(); got != 3<<60+3 {
		t.Errorf("%d, want %d", got, int64(3<<60+3))
	}
}
