package events

import (
	"flag"
	"io"
	"runtime"
	"sync"
	"testing"
)

var soak = flag.Int("soak", 1_000_000, "records that TestSoak records; 100000000 takes a minute")

// TestSoak overloads a recorder with many short-lived workers and viewers of both kinds. Every
// record must be written or counted as dropped, memory must stay constant, and the stream must
// agree with the counts.
func TestSoak(t *testing.T) {
	f := NewFeed()
	var viewers sync.WaitGroup
	for range 2 {
		from, to := io.Pipe()
		viewers.Go(func() {
			if err := f.WriteStream(t.Context(), to); err != nil {
				t.Error(err)
			}
		})
		viewers.Go(func() {
			for _, err := range Read(from).All() {
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	viewers.Go(func() {
		if err := f.WriteSSE(t.Context(), io.Discard, func() error { return nil }); err != nil {
			t.Error(err)
		}
	})

	// This goroutine reads the stream while the recorder writes.
	from, to := io.Pipe()
	var read struct{ events, dropped int64 }
	viewers.Go(func() {
		s := Read(from)
		for e, err := range s.All() {
			if err != nil {
				t.Error(err)
				break
			}
			if e.Kind != Open {
				read.events++
			}
		}
		read.dropped = s.Dropped()
		io.Copy(io.Discard, from)
	})

	const workers = 4
	r := New(io.MultiWriter(to, f), Options{Buffers: workers + 2})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	recorded := make([]int64, workers)
	var work sync.WaitGroup
	for i := range workers {
		work.Go(func() {
			w := r.Worker("worker")
			for n := range *soak / workers {
				switch n % 8 {
				case 0:
					w.Vector(1, 1, 2, 3)
				case 1:
					w.User(1, []byte("something"))
				case 2:
					w.Value(1, float64(n))
				default:
					w.Begin(1, 0).End()
				}
				recorded[i]++
				for i%2 == 0 && n%1000 == 0 && len(r.free) == 0 { // Every second worker waits until a buffer is free.
					runtime.Gosched()
				}
				if n%100_000 == 99_999 {
					w.Release()
					w = r.Worker("worker")
				}
			}
			w.Release()
		})
	}
	work.Wait()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	to.Close()
	viewers.Wait()

	total, s := int64(0), r.Stats()
	for _, n := range recorded {
		total += n
	}
	if s.Events+s.Dropped != total {
		t.Errorf("%d written and %d dropped of %d", s.Events, s.Dropped, total)
	}
	if read.events != s.Events || read.dropped != s.Dropped {
		t.Errorf("the stream has %d events and %d dropped, want %d and %d", read.events, read.dropped, s.Events, s.Dropped)
	}
	if len(r.free) != workers+2 || len(r.rows) > workers {
		t.Errorf("%d of %d buffers are back; %d rows", len(r.free), workers+2, len(r.rows))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
	t.Logf("%d written, %d dropped, %.2f bytes each", s.Events, s.Dropped, float64(s.Bytes)/float64(s.Events))
}
