package command

import (
	"bytes"
	"io"
	"math"
	"net"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/events/live"
	"github.com/assetcook/assetcook/profile/internal/stat"
	"github.com/assetcook/assetcook/profile/view"
)

// record returns a recording with values of two workers.
func record(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	rec := events.New(&out, events.Options{})
	a, b := rec.Worker("a"), rec.Worker("b")
	for i := range 10 {
		a.Value(rec.Symbol("frame_ms"), float64(i))
		b.Vector(rec.Symbol("camera"), 1, 2, float64(-i))
	}
	b.Release() // Worker b is released first, so its values precede the values of a.
	a.Release()
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// last returns the last value of a quantity.
func last(set *counters.Set, name string) float64 {
	known := slices.DeleteFunc(set.History(name), math.IsNaN)
	return known[len(known)-1]
}

// rowCount is more than the number of frames in the recordings of these tests.
const rowCount = 2048

// seen holds the values of a quantity by frame, as a page gets them.
type seen struct{ last, least, most []float64 }

// quantity returns the values of a quantity in a set.
func quantity(set *counters.Set, name string) (s seen) {
	least, most := view.Extremes(name)
	table := set.Table(0, name, least, most)
	for i := range table.Frames {
		row := table.Row(i)
		if math.IsNaN(row[1]) {
			row[1], row[2] = row[0], row[0]
		}
		s.last, s.least, s.most = append(s.last, row[0]), append(s.least, row[1]), append(s.most, row[2])
	}
	return s
}

func (s seen) equal(other seen) bool {
	same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	return slices.EqualFunc(s.last, other.last, same) && slices.EqualFunc(s.least, other.least, same) && slices.EqualFunc(s.most, other.most, same)
}

// joined combines each group of n neighboring frames into one.
func (s seen) joined(n int) (all seen) {
	known := func(values []float64) []float64 { return slices.DeleteFunc(slices.Clone(values), math.IsNaN) }
	for i := 0; i < len(s.last); i += n {
		until := min(i+n, len(s.last))
		least, most, last := known(s.least[i:until]), known(s.most[i:until]), s.last[until-1]
		if len(least) == 0 {
			least, most = []float64{last}, []float64{last}
		}
		all.last, all.least, all.most = append(all.last, last), append(all.least, slices.Min(least)), append(all.most, slices.Max(most))
	}
	return all
}

// TestGraphsAgree compares the graphs of a recording, of a stream over TCP, and of the program
// itself. If there are more frames than rows, or several values in a frame, the least and the
// greatest value must be kept.
func TestGraphsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"dt", "camera/x", "level"}[:rapid.IntRange(1, 3).Draw(t, "names")]
		frames := rapid.IntRange(1, 40).Draw(t, "frames")
		value := rapid.OneOf(rapid.SampledFrom([]float64{16, 16, 16, 100, -1, 0}), rapid.Float64Range(-1e6, 1e6))
		feed := events.NewFeed()
		var file bytes.Buffer
		rec := events.New(io.MultiWriter(&file, feed), events.Options{Names: 16, NameBytes: 256})
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		go live.Serve(listener, feed)
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		begin := make([]byte, 8) // The viewer is connected when these magic bytes have arrived.
		if _, err := io.ReadFull(conn, begin); err != nil {
			t.Fatal(err)
		}
		followed := counters.New(counters.Options{Frames: rowCount})
		followed.WatchAll(math.MaxInt)
		done := make(chan error, 1)
		go func() { done <- follow(followed, events.Read(io.MultiReader(bytes.NewReader(begin), conn))) }()

		own := counters.New(counters.Options{Frames: rowCount})
		own.WatchAll(math.MaxInt)
		w := rec.Worker("main")
		want := map[string]*seen{}
		for _, name := range names { // The value is NaN until the first sample.
			own.Gauge(name).Set(math.NaN())
			want[name] = &seen{}
		}
		for range frames {
			for _, name := range names {
				s := want[name]
				least, most := math.NaN(), math.NaN()
				for range rapid.SampledFrom([]int{1, 1, 1, 0, 2, 5}).Draw(t, "values") {
					v := value.Draw(t, "value")
					w.Value(rec.Symbol(name), v)
					own.Gauge(name).Set(v)
					if !(least <= v) {
						least = v
					}
					if !(most >= v) {
						most = v
					}
				}
				if math.IsNaN(least) {
					least = own.Gauge(name).Value()
					most = least
				}
				s.last, s.least, s.most = append(s.last, own.Gauge(name).Value()), append(s.least, least), append(s.most, most)
			}
			for range rapid.IntRange(0, 2).Draw(t, "calls") {
				w.Begin(rec.Symbol("ai"), 0).End()
			}
			own.PushFrame(time.Now())
			w.Instant(rec.Symbol(stat.FrameMark), 0)
			w.Flush()
		}
		if err := rec.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		rows := rapid.SampledFrom([]int{rowCount, 16, 7, 2}).Draw(t, "rows")
		replayed := counters.New(counters.Options{Frames: rowCount})
		if err := replay(replayed, events.OpenTape(file.Bytes()), rows); err != nil {
			t.Fatal(err)
		}
		join := (frames + rows - 1) / rows
		if got, want := quantity(followed, "ai"), quantity(replayed, "ai"); join == 1 && !got.equal(want) {
			t.Fatalf("ai takes %v over TCP, %v in the recording", got, want)
		}
		for _, name := range names {
			if !slices.ContainsFunc(want[name].last, func(v float64) bool { return !math.IsNaN(v) }) {
				continue // This value was never recorded.
			}
			if got := quantity(own, name); !slices.EqualFunc(got.last, want[name].last, func(a, b float64) bool { return a == b || a != a && b != b }) {
				t.Fatalf("%s: the program has %v, want %v", name, got.last, want[name].last)
			}
			if got := quantity(followed, name); !got.equal(*want[name]) {
				t.Fatalf("%s over TCP: %v\nwant %v", name, got, *want[name])
			}
			if got, want := quantity(replayed, name), want[name].joined(join); !got.equal(want) {
				t.Fatalf("%s of the recording, %d frames a row: %v\nwant %v", name, join, got, want)
			}
		}
	})
}

// Without marks, each value must have its own frame if there are enough rows. Least and greatest
// values must be kept for any number of rows.
func TestUnmarkedValues(t *testing.T) {
	var out bytes.Buffer
	rec := events.New(&out, events.Options{})
	a, b := rec.Worker("a"), rec.Worker("b")
	const count = 20_000
	for n := range count {
		v := 16.0
		if n%1000 == 500 {
			v = 100
		}
		a.Value(rec.Symbol("dt"), v)
		if n%4 == 0 {
			b.Value(rec.Symbol("slow"), v-float64(n%1000/500))
		}
	}
	b.Release() // Worker b is released first, so its values precede the values of a.
	a.Release()
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	for _, rows := range []int{maxRows, 1024, 50} {
		set := counters.New(counters.Options{Frames: rows + 1})
		if err := replay(set, events.OpenTape(out.Bytes()), rows); err != nil {
			t.Fatal(err)
		}
		for name, least := range map[string]float64{"dt": 16, "slow": 15} {
			s := quantity(set, name)
			if len(s.last) > rows+1 {
				t.Errorf("%d rows, want at most %d", len(s.last), rows+1)
			}
			known := slices.DeleteFunc(s.least, math.IsNaN)
			if got := slices.Min(known); got != least {
				t.Errorf("%d rows: the least of %s is %v, want %v", rows, name, got, least)
			}
			want := 20
			if rows < maxRows {
				want = spikesInRows(t, out.Bytes(), name, rows)
			}
			if spikes := counters.SummarizeOver(s.most, 50).Spikes.Count; spikes != want {
				t.Errorf("%d rows: %s has %d spikes, want %d", rows, name, spikes, want)
			}
		}
	}
	set := counters.New(counters.Options{Frames: 1 << 16})
	set.WatchAll(math.MaxInt)
	if err := follow(set, events.Read(bytes.NewReader(out.Bytes()))); err != nil {
		t.Fatal(err)
	}
	if s := quantity(set, "dt"); slices.Max(slices.DeleteFunc(s.most, math.IsNaN)) != 100 {
		t.Error("a spike is lost in a stream")
	}
}

// spikesInRows returns the number of rows with a value above 50 if a number of rows of equal duration
// cover all values.
func spikesInRows(t *testing.T, recording []byte, name string, rows int) int {
	var latest int64
	var spikes []int64
	for e, err := range events.Read(bytes.NewReader(recording)).All() {
		if err != nil {
			t.Fatal(err)
		}
		if latest = max(latest, e.Time); e.Name == name && e.Values[0] > 50 {
			spikes = append(spikes, e.Time)
		}
	}
	width := latest/int64(rows) + 1
	in := map[int64]bool{}
	for _, at := range spikes {
		in[max(at-1, 0)/width] = true
	}
	return len(in)
}

// With frame marks, the graph of a scope name must show the total time in each frame, like a timer.
// Without marks, it must show the duration of each scope.
func TestScopeTimes(t *testing.T) {
	for _, marked := range []bool{true, false} {
		var out bytes.Buffer
		rec := events.New(&out, events.Options{})
		w := rec.Worker("main")
		name := map[bool]string{true: "frame", false: "tick"}[marked]
		for range 5 {
			frame := w.Begin(rec.Symbol(name), 0)
			for range 3 {
				w.Begin(rec.Symbol("ai"), 0).End()
			}
			frame.End()
		}
		w.Release()
		if err := rec.Close(); err != nil {
			t.Fatal(err)
		}
		var want []float64 // milliseconds
		total := 0.0
		for e, err := range events.Read(bytes.NewReader(out.Bytes())).All() {
			switch {
			case err != nil:
				t.Fatal(err)
			case e.Name == "ai" && marked:
				total += float64(e.Dur) / 1e6
			case e.Name == "ai":
				want = append(want, float64(e.Dur)/1e6)
			case e.Name == "frame":
				want, total = append(want, total), 0
			}
		}
		set := counters.New(counters.Options{Frames: rowCount})
		if err := replay(set, events.OpenTape(out.Bytes()), rowCount); err != nil {
			t.Fatal(err)
		}
		s := quantity(set, "ai")
		if got := slices.DeleteFunc(s.last, math.IsNaN); !marked && slices.Max(s.most) != slices.Max(want) || marked && !slices.Equal(got, want) {
			t.Errorf("marked %v: ai took %v, want %v", marked, s, want)
		}
		if got := slices.DeleteFunc(quantity(set, name).last, math.IsNaN); len(got) == 0 || marked && len(got) != 5 {
			t.Errorf("marked %v: %s took %v", marked, name, got)
		}
	}
}

// A value that arrives long after its frame was shown must still count for the least and greatest
// values.
func TestLateValues(t *testing.T) {
	set := counters.New(counters.Options{Frames: rowCount})
	set.WatchAll(math.MaxInt)
	f := &follower{tracks: newTracks(set, maxNames), late: map[lateTotal]float64{}}
	now := time.Unix(100, 0)
	take := func(kind events.Kind, name string, at, dur time.Duration, values ...float64) {
		f.takeEvent(&events.Event{Kind: kind, Name: name, Time: int64(at), Dur: int64(dur), Values: values}, time.Unix(0, 0), now)
	}
	for n := range 10 {
		at := time.Duration(n+1) * 16 * time.Millisecond
		take(events.Value, "dt", at-1, 0, 16)
		take(events.Scope, "ai", at-1e6, 5e5)
		take(events.Instant, stat.FrameMark, at, 0)
	}
	f.tick(now.Add(time.Second))
	for n := range 10 { // This worker rarely flushes.
		at := time.Duration(n+1) * 16 * time.Millisecond
		take(events.Value, "dt", at-2, 0, 16+float64(n%5)*20)
		take(events.Scope, "ai", at-3e6, 1e6)
		take(events.Scope, "ai", at-2e6, 1e6)
	}
	take(events.Instant, stat.FrameMark, 200*time.Millisecond, 0)
	f.finish()
	dt, ai := quantity(set, "dt"), quantity(set, "ai")
	if len(dt.last) != 11 || dt.most[10] != 96 || dt.least[10] != 16 {
		t.Errorf("dt is %v", dt)
	}
	if ai.most[10] != 2 || ai.last[10] != 0 || ai.last[3] != 0.5 {
		t.Errorf("ai took %v: late calls are not in one frame", ai)
	}
}

// The readable part of a truncated recording must be replayed.
func TestReplayTorn(t *testing.T) {
	stream := record(t)
	set := counters.New(counters.Options{Frames: rowCount})
	if err := replay(set, events.OpenTape(stream[:len(stream)-10]), rowCount); err != nil || last(set, "camera/z") != -9 {
		t.Errorf("error %v, and camera/z ends at %v", err, last(set, "camera/z"))
	}
}
