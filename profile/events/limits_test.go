package events

import (
	"bytes"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRowsAreLimited(t *testing.T) {
	r := New(io.Discard, Options{})
	for range maxRows {
		r.Worker("worker")
	}
	w := r.Worker("one more")
	w.Instant(0, 0)
	w.Flush()
	w.Release()
	r.Close()
	if got := r.Stats(); got.Events != 0 || got.Dropped != 1 {
		t.Errorf("%+v, want 1 dropped", got)
	}
}

func TestNamesAreLimited(t *testing.T) {
	var stream bytes.Buffer
	r := New(&stream, Options{Names: 3, NameBytes: 200_000})
	w := r.Worker("worker")
	want := []string{"one", "…", "two", "…", "…", "one", ""}
	for _, name := range []string{"one", strings.Repeat("x", maxName+1), "two", "three", "four", "one", ""} {
		w.Instant(r.Symbol(name), 0)
	}
	w.Instant(symbolMask, 1<<31|7) // These symbols do not belong to this recorder.
	w.Release()
	r.Close()
	_, events := readAll(t, stream.Bytes())
	var got []string
	for _, e := range events[:len(want)] {
		got = append(got, e.Name)
	}
	if !cmp.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if e := events[len(want)]; e.Kind != Instant || e.Name != "…" || e.Detail != "…" {
		t.Errorf("foreign symbols came out as %+v", e)
	}
	if got := r.Stats().Unnamed; got != 3 {
		t.Errorf("%d unnamed, want 3", got)
	}
}

// TestManyNames records more names than the encoder's cache holds.
func TestManyNames(t *testing.T) {
	var stream bytes.Buffer
	r := New(&stream, Options{})
	w := r.Worker("worker")
	const names = 5000
	for i := range 2 * names {
		w.Instant(r.Symbol(strconv.Itoa(i%names)), r.Symbol(strconv.Itoa(i/2%names)))
	}
	w.Release()
	r.Close()
	_, events := readAll(t, stream.Bytes())
	for i, e := range events {
		if e.Name != strconv.Itoa(i%names) || e.Detail != strconv.Itoa(i/2%names) {
			t.Fatalf("event %d: %+v", i, e)
		}
	}
	if len(events) != 2*names {
		t.Errorf("%d events, want %d", len(events), 2*names)
	}
}

// TestLongNames records names of the maximum length, which need more than one block.
func TestLongNames(t *testing.T) {
	var stream bytes.Buffer
	r := New(&stream, Options{})
	w := r.Worker("worker")
	var want []string
	for i := range 10 {
		name := strings.Repeat(string(rune('a'+i)), maxName)
		want = append(want, name)
		w.Instant(0, r.Symbol(name))
	}
	w.Release()
	r.Close()
	_, events := readAll(t, stream.Bytes())
	for i, e := range events {
		if e.Detail != want[i] {
			t.Errorf("name %d: %d bytes, %.3q...", i, len(e.Detail), e.Detail)
		}
	}
}

func TestLargeRecords(t *testing.T) {
	var stream bytes.Buffer
	r := New(&stream, Options{})
	w := r.Worker("worker")
	data := bytes.Repeat([]byte{1, 2, 3}, maxData)[:maxData+1]
	values := make([]float64, maxValues+1)
	for i := range values {
		values[i] = math.Pi * float64(i)
	}
	w.Instant(0, 0)
	w.User(0, data[:maxData])
	w.User(0, data)
	w.Vector(0, values[:maxValues]...)
	w.Vector(0, values...)
	w.Instant(0, 0)
	w.Release()
	r.Close()
	if got := r.Stats(); got.Events != 4 || got.Dropped != 2 {
		t.Errorf("%+v, want 4 events and 2 dropped", got)
	}
	_, events := readAll(t, stream.Bytes())
	if !bytes.Equal(events[1].Data, data[:maxData]) || !cmp.Equal(events[2].Values, values[:maxValues]) {
		t.Error("the largest records were changed")
	}
}
