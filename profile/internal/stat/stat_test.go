package stat

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
)

// summed adds events to a summary, and returns the report.
func summed(opt Options, list ...events.Event) *Report {
	opt = opt.orDefault()
	g := gatherer{
		opt: opt, busy: newBins(opt.Bins),
		scopes: map[string]*scopeSum{}, quantities: map[string]*quantity{}, memory: map[string]*Memory{},
	}
	for _, e := range list {
		g.gatherEvent(&e)
	}
	return g.report(events.Read(bytes.NewReader(nil)))
}

func scope(worker int, name string, begin, end int64) events.Event {
	return events.Event{Kind: events.Scope, Worker: worker, Name: name, Time: begin, Dur: end - begin}
}

func value(worker int, name string, at int64, v float64) events.Event {
	return events.Event{Kind: events.Value, Worker: worker, Name: name, Time: at, Values: []float64{v}}
}

// A quantile must be within 1/32 of the true one.
func TestQuantilesAreWithinOneStep(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, most := range []int64{10, 1000, 1e6, 1e15} {
		var h Histogram
		var all []int64
		for range 5001 {
			d := r.Int64N(r.Int64N(most) + 1)
			all = append(all, d)
			h.Add(d)
		}
		slices.Sort(all)
		for _, part := range []float64{0, 0.01, 0.5, 0.95, 0.99, 1} {
			got, want := h.Quantile(part, 5001), all[max(int(math.Ceil(part*5001))-1, 0)]
			if 32*max(got-want, want-got) > want {
				t.Errorf("up to %d: the %v quantile is %d, want %d", most, part, got, want)
			}
		}
	}
	if s := step(1<<63 - 1); s != len(Histogram{})-1 {
		t.Errorf("the longest duration is in step %d of %d", s, len(Histogram{}))
	}
}

// Quantiles of few durations must equal the percentiles of counters.Summarize.
func TestQuantilesOfFew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h Histogram
		var values []float64
		for _, d := range rapid.SliceOfN(rapid.Int64Range(0, 15), 1, 300).Draw(t, "durations") { // The histogram is exact for durations below 16.
			h.Add(d)
			values = append(values, float64(d))
		}
		s := counters.Summarize(values)
		for part, want := range map[float64]float64{0.5: s.P50, 0.95: s.P95, 0.99: s.P99, 1: s.High.Value} {
			if got := h.Quantile(part, int64(len(values))); float64(got) != want {
				t.Fatalf("the %v quantile of %v is %d, want %v", part, values, got, want)
			}
		}
	})
}

func TestShortDurations(t *testing.T) {
	r := summed(Options{}, scope(0, "tiny", 0, 74), scope(0, "tiny", 100, 185))
	var out bytes.Buffer
	if err := r.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "74ns") || !strings.Contains(text, "85ns") {
		t.Errorf("the report lacks 74ns and 85ns:\n%s", text)
	}
}

func TestScopesAreSummedByName(t *testing.T) {
	r := summed(Options{Slowest: 2},
		scope(0, "read", 10, 30), scope(1, "read", 0, 5), scope(0, "encode", 30, 80), scope(0, "asset", 0, 100),
		scope(0, "asset", 100, 104))
	want := []Scope{
		{"encode", 1, 50, 50, 50, 50, 50, 50, 50, 50},
		{"asset", 2, 104, 34, 4, 52, 4, 100, 100, 100},
		{"read", 2, 25, 25, 5, 12, 5, 20, 20, 20},
	}
	if !slices.Equal(r.Scopes, want) {
		t.Errorf("got %+v\nwant %+v", r.Scopes, want)
	}
	if len(r.Slowest) != 2 || r.Slowest[0].Dur != 100 || r.Slowest[1].Name != "encode" {
		t.Errorf("slowest: %+v", r.Slowest)
	}
	if w := r.Workers; len(w) != 2 || w[0].Busy != 104 || w[0].Share != 1 || w[1].Busy != 5 {
		t.Errorf("workers: %+v", w)
	}
	if a := r.Activity; len(a.Values) != 1 || a.Values[0] < 1.04 || a.Values[0] > 1.05 { // The scopes take 109 of 104 nanoseconds.
		t.Errorf("activity: %+v", a)
	}
}

// The bins must double their width until the recording fits, and keep their sums.
func TestActivityOverTime(t *testing.T) {
	r := summed(Options{Bins: 4}, scope(0, "a", 0, 3e9), scope(1, "b", 2e9, 3e9), scope(0, "c", 5e9, 6e9))
	sum := 0.0
	for i, v := range r.Activity.Values {
		width := min(r.Activity.Width, r.Dur-int64(i)*r.Activity.Width)
		sum += v * float64(width)
	}
	if len(r.Activity.Values) > 4 || sum < 4.999e9 || sum > 5.001e9 {
		t.Errorf("%d parts hold %v, want 5e9: %+v", len(r.Activity.Values), sum, r.Activity)
	}
}

// A frame's value must be the last value of the worker that marks frames.
func TestFrameHasTheLastValue(t *testing.T) {
	r := summed(Options{},
		value(0, "draws", 1, 10), value(0, "draws", 2, 30), scope(0, "frame", 0, 5),
		value(0, "draws", 6, 50), value(1, "queue", 7, 9), scope(0, "frame", 5, 10), scope(0, "frame", 10, 15))
	if r.Frames != 3 || len(r.Metrics) != 2 {
		t.Fatalf("%d frames, %+v", r.Frames, r.Metrics)
	}
	if got := r.Metrics[0]; got.Name != "draws" || got.All != (Numbers{3, 10, 30, 50}) || got.Frames != (Numbers{2, 30, 40, 50}) {
		t.Errorf("draws: %+v", got)
	}
	if got := r.Metrics[1]; got.All.Count != 1 || got.Frames.Count != 0 {
		t.Errorf("queue, of a worker without frames: %+v", got)
	}
}

// Memory must be bounded for any number of names and spans and for any times, and all sums must be
// correct.
func TestMemoryIsBoundedAndSumsHold(t *testing.T) {
	opt := Options{Names: 10, Bins: 8}.orDefault()
	g := gatherer{
		opt: opt, busy: newBins(opt.Bins),
		scopes: map[string]*scopeSum{}, quantities: map[string]*quantity{}, memory: map[string]*Memory{},
	}
	const n = 100_000
	for i := range int64(n) {
		e := scope(0, fmt.Sprint("name ", i%100), 10*i, 10*i+7)
		g.gatherEvent(&e)
		e = value(0, fmt.Sprint("value ", i%100), 10*i, 1)
		g.gatherEvent(&e)
	}
	e := scope(0, "name 0", 0, 10*n)
	g.gatherEvent(&e)
	far := scope(0, "far", -1<<63+1, 1<<62)
	far.Dur = 1<<63 - 1
	r := g.report(events.Read(bytes.NewReader(nil)))
	g.gatherEvent(&far) // An extreme time must not cause an overflow or a long loop.
	count, self := int64(0), int64(0)
	for _, s := range r.Scopes {
		count, self = count+s.Count, self+s.Self
	}
	if len(r.Scopes) != 11 || len(r.Metrics) != 11 || count != n+1 || self != 10*n {
		t.Errorf("%d names, %d metrics, %d scopes took %d", len(r.Scopes), len(r.Metrics), count, self)
	}
	if got := cap(g.rows[0].spans); got > 2*maxSpans {
		t.Errorf("room for %d spans", got)
	}
}

// recorded returns a stream with an event of every kind.
func recorded(t *testing.T) []byte {
	t.Helper()
	var stream bytes.Buffer
	r := events.New(&stream, events.Options{})
	w := r.Worker("worker\t0")
	for range 3 {
		w.Begin(r.Symbol("encode"), r.Symbol("wall.png")).End()
		w.Value(r.Symbol("draws"), 5)
		w.Vector(r.Symbol("at"), 1, 2)
		w.Alloc(r.Symbol("textures"), 100)
		w.Free(r.Symbol("textures"), 30)
		w.Instant(r.Symbol("frame"), 0)
	}
	w.Begin(r.Symbol("hangs"), r.Symbol("floor.png"))
	w.Flush()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return stream.Bytes()
}

func TestSummarizeAndWrite(t *testing.T) {
	stream := recorded(t)
	r, err := Summarize(events.Read(bytes.NewReader(stream)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Events != 18 || r.Frames != 3 || len(r.Open) != 1 || r.Open[0].Detail != "floor.png" || len(r.Memory) != 1 ||
		r.Memory[0] != (Memory{"textures", 3, 300, 3, 90}) || len(r.Metrics) != 3 {
		t.Errorf("%+v", r)
	}
	var text, lines, object bytes.Buffer
	if err := errors.Join(r.WriteText(&text), r.WriteCSV(&lines), r.WriteJSON(&object)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"18 events, 0 dropped", "STILL OPEN", "hangs floor.png", `worker\t0`, "encode wall.png", "mean of 3 frames", "at[1]", "textures"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, &text)
		}
	}
	rows, err := csv.NewReader(&lines).ReadAll()
	if err != nil || !slices.ContainsFunc(rows, func(row []string) bool {
		return slices.Equal(row, []string{"scope", "encode", "count", "3"})
	}) || !slices.ContainsFunc(rows, func(row []string) bool { return row[0] == "open" && row[1] == "1 hangs floor.png" }) {
		t.Errorf("CSV: %v, %q", err, rows)
	}
	var back Report
	if err := json.Unmarshal(object.Bytes(), &back); err != nil || back.Dur != r.Dur || back.Scopes[0] != r.Scopes[0] {
		t.Errorf("JSON: %v, %+v", err, back)
	}
}

// The report on a truncated recording must cover the events before the truncation.
func TestTornRecording(t *testing.T) {
	stream := recorded(t)
	r, err := Summarize(events.Read(bytes.NewReader(stream[:len(stream)-3])), Options{})
	if !errors.Is(err, events.ErrDamaged) || r == nil || r.Events != 18 || len(r.Open) != 1 {
		t.Errorf("%v, %+v", err, r)
	}
}

// An interval without values must have the value of the previous interval, also at the end. Before
// the first value the graph must be blank.
func TestGraphHoldsLevel(t *testing.T) {
	const part = 1 << 10
	r := summed(Options{Bins: 16},
		value(0, "frames", part*2, 7), value(0, "frames", part*5, 14), scope(0, "encode", part*7, part*7+5))
	series := r.Metrics[0].Series
	if want := []float64{7, 7, 7, 14, 14, 14}; series.From != 2*part || !slices.Equal(series.Values, want) {
		t.Errorf("from %d: %v, want %v", series.From, series.Values, want)
	}
	if got := series.graph(); got != "  ▅▅▅███" {
		t.Errorf("drawn as %q", got)
	}
}

// Each duration must be in exactly one bar, whose bounds contain it.
func TestBars(t *testing.T) {
	for _, d := range []int64{0, 1, 15, 16, 17, 31, 32, 1000, 1 << 40, 1<<62 - 1, 1 << 62, 1<<63 - 1} {
		var h Histogram
		h.Add(d)
		bars := h.Bars()
		if len(bars) != 1 || bars[0].Count != 1 || bars[0].From > d || bars[0].To <= d && d < 1<<63-1 {
			t.Errorf("%d is in %+v", d, bars)
		}
	}
	var h, other Histogram
	h.Add(3)
	other.Add(70)
	h.Merge(&other)
	bars := h.Bars()
	for i, b := range bars[1:] {
		if b.From != bars[i].To {
			t.Errorf("a gap before %+v", b)
		}
	}
	if first, last := bars[0], bars[len(bars)-1]; first.Count != 1 || last.Count != 1 || last.From != 64 {
		t.Errorf("%+v", bars)
	}
}
