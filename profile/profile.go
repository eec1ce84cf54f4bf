// Package profile bundles what a program passes to the parts that it measures: counters, a
// recorder of events, and a memory tracker, each of them optional.
//
// The zero [Probe] measures nothing, and everything derived from it does nothing, at the
// cost of a comparison. [Probe.PublishMemory] shows the tracker's groups among the
// counters; package process does the same for figures of the process.
package profile

import (
	"time"

	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/guid"
	"github.com/assetcook/assetcook/profile/memory"
)

// A Probe is where measurements go.
type Probe struct {
	Counters *counters.Set
	Events   *events.Recorder
	Memory   *memory.Tracker
	// Run is the ID of what is measured, for reports that are compared later; zero if it
	// needs none.
	Run guid.ID
}

// On reports whether anything is measured.
func (p Probe) On() bool { return p.Counters != nil || p.Events != nil || p.Memory != nil }

// Worker returns a worker of all three on the row of that name. One goroutine at a
// time may use it; call Release when done.
func (p Probe) Worker(name string) *Worker {
	if !p.On() {
		return nil
	}
	return &Worker{probe: p, row: p.Events.Worker(name), memory: p.Memory.Worker(name), counts: p.Counters.Worker()}
}

// A Worker measures what one goroutine does. A nil Worker measures nothing.
type Worker struct {
	probe  Probe
	counts *counters.Worker
	row    *events.Worker
	memory *memory.Worker
	shown  time.Time // when the row was flushed last
}

// Row returns the worker's row of the recording, nil if there is none.
func (w *Worker) Row() *events.Worker {
	if w == nil {
		return nil
	}
	return w.row
}

// Memory returns the worker's stack of scopes of memory, nil if there is none.
func (w *Worker) Memory() *memory.Worker {
	if w == nil {
		return nil
	}
	return w.memory
}

// Begin begins a span of time: a scope of the recording, and a call of the timer
// of that name. Detail says what it is done to, "" for nothing in particular. It
// panics if there is a counter of that name. Looking up the names costs some
// 100 ns; code that cannot afford that keeps symbols and timers, and uses [Worker.Row].
//
//	defer w.Begin("cook/run/look_up", "").End()
func (w *Worker) Begin(name, detail string) Span {
	if w == nil {
		return Span{}
	}
	rec := w.probe.Events
	return Span{w.row.Begin(rec.Symbol(name), rec.Symbol(detail)), w.counts.Begin(w.probe.Counters.Timer(name))}
}

// showEvery is how far viewers of a recording may be behind a worker that flushes often.
const showEvery = 16 * time.Millisecond

// Flush publishes what was counted, and what was recorded if the last time is 16 ms ago:
// small blocks make a recording larger, and viewers see no more than that.
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

// Release gives everything back, once. Spans must have ended.
func (w *Worker) Release() {
	if w != nil {
		w.counts.Release()
		w.row.Release()
	}
}

// A Span is a stretch of time that has begun. The zero value does nothing.
type Span struct {
	mark  events.ScopeMark
	scope counters.Scope
}

// End ends the span.
func (s Span) End() {
	s.scope.End()
	s.mark.End()
}
