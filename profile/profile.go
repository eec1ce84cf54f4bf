// Package profile combines the measuring tools of a program: counters, an event recorder and a
// memory tracker. Each of them is optional.
//
// The zero [Probe] measures nothing. Its methods, and the methods of its workers, then only cost
// one comparison per call. [Probe.PublishMemory] shows the memory tracker's groups as gauges.
// Package process publishes figures of the running process.
package profile

import (
	"time"

	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/guid"
	"github.com/assetcook/assetcook/profile/memory"
)

// A Probe holds the counters, recorder and tracker that receive measurements.
type Probe struct {
	Counters *counters.Set
	Events   *events.Recorder
	Memory   *memory.Tracker
	// Run identifies the run in reports; it may be zero.
	Run guid.ID
}

// On reports whether the probe measures anything.
func (p Probe) On() bool { return p.Counters != nil || p.Events != nil || p.Memory != nil }

// Worker returns a worker of the counters, the recorder and the tracker. The worker's row in the
// recording has the given name. One goroutine at a time may use it; call Release when done.
func (p Probe) Worker(name string) *Worker {
	if !p.On() {
		return nil
	}
	return &Worker{probe: p, row: p.Events.Worker(name), memory: p.Memory.Worker(name), counts: p.Counters.Worker()}
}

// A Worker measures the work of one goroutine. A nil Worker measures nothing.
type Worker struct {
	probe  Probe
	counts *counters.Worker
	row    *events.Worker
	memory *memory.Worker
	shown  time.Time // time of the last flush of the recording's row
}

// Row returns the worker's row of the recording, or nil without a recorder.
func (w *Worker) Row() *events.Worker {
	if w == nil {
		return nil
	}
	return w.row
}

// Memory returns the worker's stack of memory scopes, or nil without a tracker.
func (w *Worker) Memory() *memory.Worker {
	if w == nil {
		return nil
	}
	return w.memory
}

// Begin begins a scope in the recording, and a call of the timer with this name. The detail names
// the object of the work, such as a file; it may be empty. Begin panics if the name belongs to
// another kind of counter. The two name lookups cost about 100 ns. Hot code keeps symbols and
// timers, and uses [Worker.Row] instead.
//
//	defer w.Begin("cook/run/look_up", "").End()
func (w *Worker) Begin(name, detail string) Span {
	if w == nil {
		return Span{}
	}
	rec := w.probe.Events
	return Span{w.row.Begin(rec.Symbol(name), rec.Symbol(detail)), w.counts.Begin(w.probe.Counters.Timer(name))}
}

// showEvery is the minimum time between two flushes of events to viewers.
const showEvery = 16 * time.Millisecond

// Flush publishes the worker's counts. It publishes recorded events only if the last time was at
// least 16 ms ago. Smaller blocks make a recording larger, and no viewer refreshes faster.
func (w *Worker) Flush() {
	if w == nil {
		return
	}
	w.counts.Flush()
	if w.row == nil {
		return
	}
	if now := time.Now(); now.Sub(w.shown) >= showEvery {
		w.row.Flush()
		w.shown = now
	}
}

// Release flushes and releases the worker. Call it once, after all spans have ended.
func (w *Worker) Release() {
	if w != nil {
		w.counts.Release()
		w.row.Release()
	}
}

// A Span is a scope that Begin has begun. The zero value does nothing.
type Span struct {
	mark  events.ScopeMark
	scope counters.Scope
}

// End ends the span.
func (s Span) End() {
	s.scope.End()
	s.mark.End()
}
