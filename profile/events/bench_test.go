package events

import (
	"bytes"
	"io"
	"testing"

	"github.com/assetcook/assetcook/internal/fastclock"
)

var sinkTick int64

// BenchmarkClockRead measures reading the clock. It is the baseline of the other benchmarks.
func BenchmarkClockRead(b *testing.B) {
	for b.Loop() {
		sinkTick = fastclock.Now()
	}
}

func BenchmarkTwoClockReads(b *testing.B) {
	for b.Loop() {
		sinkTick = fastclock.Now()
		sinkTick = fastclock.Now()
	}
}

// benchmarkWorker measures only the work on the worker's goroutine. It empties a full buffer in
// place.
func benchmarkWorker(b *testing.B, record func(w *Worker, name, detail Symbol)) {
	r := New(io.Discard, Options{Buffers: 2})
	defer r.Close()
	w := r.Worker("worker")
	name, detail := r.Symbol("cook/encode"), r.Symbol("textures/wall.png")
	w.Instant(name, detail)
	b.ReportAllocs()
	for b.Loop() {
		if w.used == bufferSlots {
			w.used = 0
		}
		record(w, name, detail)
	}
	w.Release()
}

func BenchmarkInstant(b *testing.B) {
	benchmarkWorker(b, func(w *Worker, name, detail Symbol) { w.Instant(name, detail) })
}

func BenchmarkScope(b *testing.B) {
	benchmarkWorker(b, func(w *Worker, name, detail Symbol) { w.Begin(name, detail).End() })
}

func BenchmarkScopeDeferred(b *testing.B) {
	benchmarkWorker(b, func(w *Worker, name, detail Symbol) { defer w.Begin(name, detail).End() })
}

func BenchmarkValue(b *testing.B) {
	benchmarkWorker(b, func(w *Worker, name, detail Symbol) { w.Value(name, 0.5) })
}

func BenchmarkOff(b *testing.B) {
	var r *Recorder
	w := r.Worker("worker")
	for b.Loop() {
		w.Begin(1, 2).End()
	}
}

// BenchmarkRatios reports the costs of an instant and of a scope, relative to reading the clock. It
// alternates short batches of each. It takes the fastest batch, because other programs have
// disturbed that one least. The unit "instant/clock" compares an instant with one clock reading.
// The unit "scope/2clocks" compares a scope with two clock readings.
func BenchmarkRatios(b *testing.B) {
	r := New(io.Discard, Options{Buffers: 2})
	defer r.Close()
	w := r.Worker("worker")
	defer w.Release()
	name, detail := r.Symbol("cook/encode"), r.Symbol("textures/wall.png")
	w.Instant(name, detail)
	const batch = 500
	kinds := [...]func(){
		func() {
			for range batch {
				sinkTick = fastclock.Now()
			}
		},
		func() {
			for range batch {
				sinkTick = fastclock.Now()
				sinkTick = fastclock.Now()
			}
		},
		func() {
			for range batch {
				w.Instant(name, detail)
			}
		},
		func() {
			for range batch {
				w.Begin(name, detail).End()
			}
		},
	}
	least := [len(kinds)]int64{}
	for b.Loop() {
		for i, kind := range kinds {
			w.used, w.base = 0, fastclock.Now() // Empty the buffer, so that it never fills.
			start := fastclock.Now()
			kind()
			if took := fastclock.Now() - start; least[i] == 0 || took < least[i] {
				least[i] = took
			}
		}
	}
	b.ReportMetric(float64(least[2])/float64(least[0]), "instant/clock")
	b.ReportMetric(float64(least[3])/float64(least[1]), "scope/2clocks")
}

// BenchmarkScopeToStream includes encoding and writing, on all cores. Many records are dropped if a
// single worker does nothing but record.
func BenchmarkScopeToStream(b *testing.B) {
	r := New(io.Discard, Options{})
	w := r.Worker("worker")
	name, detail := r.Symbol("cook/encode"), r.Symbol("textures/wall.png")
	b.ReportAllocs()
	for b.Loop() {
		w.Begin(name, detail).End()
	}
	w.Release()
	r.Close()
	s := r.Stats()
	b.ReportMetric(float64(s.Dropped)/float64(s.Dropped+s.Events), "dropped/op")
}

func BenchmarkSymbol(b *testing.B) {
	r := New(io.Discard, Options{})
	defer r.Close()
	for b.Loop() {
		r.Symbol("textures/wall.png")
	}
}

// BenchmarkEncode measures encoding a full buffer, per scope.
func BenchmarkEncode(b *testing.B) {
	buf, names := nestedBuffer()
	var enc encoder
	var out []byte
	for b.Loop() {
		out = enc.appendRecords(out[:0], buf, fastclock.Pair{Tick: 1, Nanos: 1}, fastclock.Pair{}, names)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*buf.records()), "ns/scope")
	b.ReportMetric(float64(len(out))/float64(buf.records()), "bytes/scope")
}

func BenchmarkRead(b *testing.B) {
	var stream bytes.Buffer
	r := New(&stream, Options{})
	w := r.Worker("worker")
	for range bufferSlots {
		w.Begin(0, 0).End()
	}
	w.Release()
	r.Close()
	for b.Loop() {
		for _, err := range Read(bytes.NewReader(stream.Bytes())).All() {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*bufferSlots), "ns/event")
}
