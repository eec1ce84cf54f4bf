package events

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/assetcook/assetcook/intern"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// readAll reads a stream to its end. It copies values and data.
func readAll(t testing.TB, stream []byte) (*Stream, []Event) {
	t.Helper()
	s := Read(bytes.NewReader(stream))
	events, err := collect(s)
	if err != nil {
		t.Fatal(err)
	}
	return s, events
}

// collect reads the records of a stream, and skips the open scopes between them.
func collect(s *Stream) (events []Event, err error) {
	for e, err := range s.All() {
		if err != nil {
			return events, err
		}
		if e.Kind == Open {
			continue
		}
		e.Values = append([]float64(nil), e.Values...)
		e.Data = append([]byte(nil), e.Data...)
		events = append(events, e)
	}
	return events, nil
}

// TestRoundTrip expects to read back all records, on their rows and in order. The times must nest
// as the calls did.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var stream bytes.Buffer
		r := New(&stream, Options{Buffers: 64, Names: 64, NameBytes: 1 << 16})
		names := rapid.SliceOfN(rapid.String(), 1, 8).Draw(t, "names")
		rows := []string{"a", "b", "a"}
		workers := make([]*Worker, len(rows))
		want := make([][]Event, len(rows))
		for i, row := range rows {
			workers[i] = r.Worker(row)
		}
		type open struct {
			mark ScopeMark
			e    Event
		}
		stacks := make([][]open, len(rows))
		for range rapid.IntRange(0, 60).Draw(t, "records") {
			i := rapid.IntRange(0, len(rows)-1).Draw(t, "row")
			w := workers[i]
			e := Event{Worker: i, Name: rapid.SampledFrom(names).Draw(t, "name")}
			name := r.Symbol(e.Name)
			switch e.Kind = Kind(rapid.IntRange(0, int(User)).Draw(t, "kind")); e.Kind {
			case 0:
				w.Flush()
				continue
			case Scope:
				if n := len(stacks[i]); n > 0 && rapid.Bool().Draw(t, "end") {
					stacks[i][n-1].mark.End()
					want[i] = append(want[i], stacks[i][n-1].e)
					stacks[i] = stacks[i][:n-1]
				} else {
					e.Detail = rapid.SampledFrom(names).Draw(t, "detail")
					stacks[i] = append(stacks[i], open{w.Begin(name, r.Symbol(e.Detail)), e})
				}
				continue
			case Instant:
				e.Detail = rapid.SampledFrom(names).Draw(t, "detail")
				w.Instant(name, r.Symbol(e.Detail))
			case Value:
				e.Values = []float64{rapid.Float64().Draw(t, "value")}
				w.Value(name, e.Values[0])
			case Vector:
				e.Values = rapid.SliceOfN(rapid.Float64(), 0, 5).Draw(t, "values")
				w.Vector(name, e.Values...)
			case Alloc, Free:
				n := rapid.Int64Range(-1<<52, 1<<52).Draw(t, "bytes")
				e.Values = []float64{float64(n)}
				if e.Kind == Alloc {
					w.Alloc(name, n)
				} else {
					w.Free(name, n)
				}
			case FlowOut, FlowIn:
				e.Name, e.Flow = "", rapid.Uint64().Draw(t, "flow")
				if e.Kind == FlowOut {
					w.FlowOut(e.Flow)
				} else {
					w.FlowIn(e.Flow)
				}
			case User:
				e.Data = rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "data")
				w.User(name, e.Data)
			}
			want[i] = append(want[i], e)
		}
		total := 0
		for i, w := range workers {
			w.Release()
			total += len(want[i])
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if got, want := r.Stats(), (Stats{Events: int64(total), Bytes: int64(stream.Len())}); got != want {
			t.Fatalf("stats %+v, want %+v", got, want)
		}

		s := Read(&stream)
		events, err := collect(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Workers(); !cmp.Equal(got, rows) {
			t.Fatalf("workers %q, want %q", got, rows)
		}
		got := make([][]Event, len(rows))
		for _, e := range events {
			if e.Dur < 0 || e.Time < 0 || e.Time+e.Dur > 60e9 {
				t.Fatalf("invalid time %d with duration %d ns", e.Time, e.Dur)
			}
			list := got[e.Worker]
			if n := len(list); n > 0 {
				last := list[n-1]
				begins, ends := last.Time, last.Time+last.Dur
				if e.Time+e.Dur < ends || e.Time > begins && e.Time < ends {
					t.Fatalf("%+v follows %+v in the stream, but is neither after nor around it in time", e, last)
				}
			}
			got[e.Worker] = append(list, e)
		}
		for i := range got {
			for j := range got[i] {
				got[i][j].Time, got[i][j].Dur = 0, 0
				if len(got[i][j].Values) == 0 {
					got[i][j].Values = nil
				}
			}
			for j := range want[i] {
				if len(want[i][j].Values) == 0 {
					want[i][j].Values = nil
				}
				if len(want[i][j].Data) == 0 {
					want[i][j].Data = nil
				}
			}
			if diff := cmp.Diff(want[i], got[i]); diff != "" {
				t.Fatalf("worker %d, -want +got:\n%s", i, diff)
			}
		}
	})
}

// A stuck is a writer. Its first write blocks until the test releases it.
type stuck struct {
	bytes.Buffer
	in   chan struct{} // closed when the first write begins
	out  chan struct{}
	once sync.Once
}

func newStuck() *stuck { return &stuck{in: make(chan struct{}), out: make(chan struct{})} }

func (s *stuck) Write(p []byte) (int, error) {
	s.once.Do(func() { close(s.in); <-s.out })
	return s.Buffer.Write(p)
}

// While a write hangs, the recorder must drop records instead of waiting. The stream must state
// where records were dropped, and how many. A plain record takes 16 bytes of a buffer, so the test
// knows how many records fit.
func TestHangingWriterDropsRecords(t *testing.T) {
	to := newStuck()
	r := New(to, Options{Buffers: 3})
	name := r.Symbol("name")
	w, other := r.Worker("first"), r.Worker("second")
	<-to.in
	const fit, more = 3 * 64 << 10 / 16, 500
	for i := range fit + more {
		w.Value(name, float64(i))
	}
	for range 7 {
		other.Instant(name, 0)
	}
	if got := r.Stats().Dropped; got != more+7 {
		t.Fatalf("%d dropped, want %d", got, more+7)
	}
	close(to.out)
	for r.Stats().Events < fit-bufferSlots { // Two buffers are free, and the worker has the third.
		w.Flush()
	}
	w.Value(name, -1)
	w.Flush()
	w.Value(name, -2)
	w.Release()
	other.Release()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if got := r.Stats(); got.Events+got.Dropped != fit+more+7+2 || got.Events != fit+2 {
		t.Errorf("%+v, want %d events and %d dropped", got, fit+2, more+7)
	}

	s := Read(&to.Buffer)
	for e, err := range s.All() {
		if err != nil {
			t.Fatal(err)
		}
		want := int64(0)
		if e.Values[0] < 0 {
			want = more
		}
		if s.Dropped() != want {
			t.Fatalf("at value %v the stream says %d dropped, want %d", e.Values[0], s.Dropped(), want)
		}
	}
	if s.Dropped() != more+7 {
		t.Errorf("at the end the stream says %d dropped, want %d", s.Dropped(), more+7)
	}
}

// A failing writer writes n bytes and then fails once, with an error or a short count. It would
// accept later writes.
type failing struct {
	n   int
	err error
}

func (f *failing) Write(p []byte) (int, error) {
	n := min(f.n, len(p))
	f.n -= n
	if n < len(p) {
		f.n = math.MaxInt
		return n, f.err
	}
	return n, nil
}

func TestWriteError(t *testing.T) {
	full := errors.New("disk full")
	for _, tt := range []struct{ fails, want error }{{full, full}, {nil, io.ErrShortWrite}} {
		r := New(&failing{200, tt.fails}, Options{Buffers: 2})
		w := r.Worker("worker")
		const recorded = 10_000
		for i := range recorded {
			w.Value(1, float64(i))
		}
		w.Release()
		for range 2 {
			if err := r.Close(); !errors.Is(err, tt.want) {
				t.Errorf("Close: %v, want %v", err, tt.want)
			}
		}
		if got := r.Stats(); got.Events != 0 || got.Dropped != recorded || got.Bytes != 200 {
			t.Errorf("%+v, want %d dropped and 200 bytes", got, recorded)
		}
	}
}

func TestLateRecordsAreDropped(t *testing.T) {
	var stream bytes.Buffer
	r := New(&stream, Options{})
	w, released := r.Worker("holds on"), r.Worker("released")
	w.Instant(0, 0)
	w.Flush()
	w.Instant(0, 0) // The worker still holds this record at Close.
	released.Release()
	released.Release()
	released.Instant(0, 0)
	if got := r.Stats().Dropped; got != 1 {
		t.Errorf("%d dropped after Release, want 1", got)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	w.Vector(0, 1, 2, 3)
	w.Release()
	if got := r.Stats(); got.Events != 1 || got.Dropped != 3 {
		t.Errorf("%+v, want 1 event and 3 dropped", got)
	}
	if s, events := readAll(t, stream.Bytes()); len(events) != 1 || s.Dropped() != 1 {
		t.Errorf("%d events and %d dropped in the stream, want 1 and 1", len(events), s.Dropped())
	}
}

func TestRowsAreReused(t *testing.T) {
	var stream bytes.Buffer
	r := New(&stream, Options{})
	a := r.Worker("a")
	a.Instant(0, 0)
	a.Release()
	again, second, b := r.Worker("a"), r.Worker("a"), r.Worker("b")
	for _, w := range []*Worker{again, second, b} {
		w.Instant(0, 0)
		w.Release()
	}
	long := r.Worker(strings.Repeat("x", maxName+1))
	long.Release()
	r.Close()
	s, events := readAll(t, stream.Bytes())
	var rows []int
	for _, e := range events {
		rows = append(rows, e.Worker)
	}
	if !cmp.Equal(rows, []int{0, 0, 1, 2}) || !cmp.Equal(s.Workers(), []string{"a", "a", "b", "…"}) {
		t.Errorf("rows %v of %q", rows, s.Workers())
	}
}

func TestNewNeedsWriter(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("New accepted a nil writer")
		}
	}()
	New(nil, Options{})
}

// A Symbol is an intern.Symbol without conversion, so equal names must give equal symbols.
func TestSymbolIsInterned(t *testing.T) {
	rec := New(io.Discard, Options{})
	var sym intern.Symbol = rec.Symbol("a")
	if sym == 0 || sym == intern.None || rec.Symbol("a") != sym {
		t.Errorf("the symbol of a name is %d", sym)
	}
}

func TestKindString(t *testing.T) {
	for k, want := range map[Kind]string{0: "kind 0", Scope: "scope", FlowOut: "flow out", User: "user", Open: "open", Open + 1: "kind 11"} {
		if got := fmt.Sprint(k); got != want {
			t.Errorf("kind %d is %q, want %q", uint8(k), got, want)
		}
	}
}
