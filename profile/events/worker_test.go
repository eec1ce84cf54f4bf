package events

import (
	"io"
	"math"
	"testing"
)

func TestNilRecordsNothing(t *testing.T) {
	var r *Recorder
	w := r.Worker("worker")
	if w != nil || r.Symbol("name") != 0 || r.Flow() != 0 || r.Stats() != (Stats{}) || r.Close() != nil {
		t.Fatal("a nil recorder gave a worker or a symbol")
	}
	if n := testing.AllocsPerRun(10, func() { everyCall(w) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	w.Release()
}

func TestRecordTakesSixteenBytes(t *testing.T) {
	r := New(io.Discard, Options{})
	defer r.Close()
	w := r.Worker("worker")
	defer w.Release()
	w.Instant(1, 2)
	for name, tt := range map[string]struct {
		record func()
		want   int
	}{
		"scope":          {func() { w.Begin(1, 2).End() }, 16},
		"instant":        {func() { w.Instant(1, 2) }, 16},
		"value":          {func() { w.Value(1, math.Pi) }, 16},
		"alloc":          {func() { w.Alloc(1, math.MaxInt64) }, 16},
		"free":           {func() { w.Free(1, 1) }, 16},
		"flow out":       {func() { w.FlowOut(math.MaxUint64) }, 16},
		"flow in":        {func() { w.FlowIn(1) }, 16},
		"empty vector":   {func() { w.Vector(1) }, 16},
		"vector of 4":    {func() { w.Vector(1, 1, 2, 3, 4) }, 48},
		"vector of 5":    {func() { w.Vector(1, 1, 2, 3, 4, 5) }, 64},
		"empty data":     {func() { w.User(1, nil) }, 16},
		"16 bytes data":  {func() { w.User(1, make([]byte, 16)) }, 32},
		"17 bytes data":  {func() { w.User(1, make([]byte, 17)) }, 48},
		"scope of weeks": {func() { ScopeMark{w: w, start: w.base - 1<<durBits}.endAt(w.base) }, 32},
	} {
		before := w.used
		tt.record()
		if got := 16 * (w.used - before); got != tt.want {
			t.Errorf("%s: %d bytes, want %d", name, got, tt.want)
		}
	}
}

// everyCall makes 12 records of all kinds, in scopes of depth 2.
func everyCall(w *Worker) {
	defer w.Begin(1, 2).End()
	mark := w.Begin(1, 2)
	w.Instant(1, 2)
	w.Value(1, 0.5)
	w.Alloc(1, 100)
	w.Free(1, 100)
	w.FlowOut(1)
	w.FlowIn(1)
	w.Instant(2, 1)
	w.Value(2, 1)
	mark.End()
	w.Vector(1, 1, 2, 3)
	w.User(1, []byte("seventeen letters"))
	w.Flush()
}

func TestRecordingAllocatesNothing(t *testing.T) {
	r := New(io.Discard, Options{})
	defer r.Close()
	w := r.Worker("worker")
	defer w.Release()
	everyCall(w) // This warms up the writing goroutine.
	if n := testing.AllocsPerRun(1000, func() { everyCall(w) }); n != 0 {
		t.Errorf("%v allocations in 12 records", n)
	}
}
