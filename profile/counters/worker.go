package counters

import (
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/assetcook/assetcook/internal/fastclock"
)

// Worker counts without atomic operations. One goroutine at a time may use it. Other goroutines see
// its counts after [Worker.Flush]. A nil *Worker records nothing.
type Worker struct {
	set      *Set
	live     sheet  // sheet into which the returned pointers point
	kinds    []Kind // kind of each line in the sheet live
	inner    int64  // ticks of scopes that ended inside the current scope
	released bool

	_ [64]byte // Padding keeps the collector's fields off the worker's cache line.

	mail  atomic.Pointer[sheet] // flushed sums that are not collected yet
	spare atomic.Pointer[sheet] // an empty sheet for reuse
}

// Int returns this worker's pointer for c, which stays the same for the life of the set. Only the
// worker's owner may use the pointer, and not after Release. Int panics if c belongs to another
// set.
func (w *Worker) Int(c *Counter) *int64 {
	if w == nil || c == nil {
		return new(int64)
	}
	return &w.line((*cell)(c))[c.slot]
}

// Float is like [Worker.Int] for a float.
func (w *Worker) Float(f *Float) *float64 {
	if w == nil || f == nil {
		return new(float64)
	}
	// A line of floats stores their bits as int64. A float64 has the size of an int64, and its
	// alignment is not larger.
	return (*float64)(unsafe.Pointer(&w.line((*cell)(f))[f.slot]))
}

// line returns the worker's line for a cell.
func (w *Worker) line(c *cell) *line {
	if w.set != c.set {
		panic("counters: the handle belongs to another set than the worker")
	}
	if l := w.live.at(c.line); l != nil {
		return l
	}
	for len(w.kinds) <= c.line {
		w.kinds = append(w.kinds, 0)
	}
	w.kinds[c.line] = c.kind
	return w.live.line(c.line)
}

// Flush publishes the worker's counts since the last flush. It never waits. It reads only the lines
// that the worker has used.
func (w *Worker) Flush() {
	if w == nil {
		return
	}
	letter := w.mail.Swap(nil)
	if letter == nil {
		letter = w.spare.Swap(nil)
	}
	if letter == nil {
		letter = new(sheet)
	}
	letter.moveLines(&w.live, w.kinds)
	w.mail.Store(letter)
}

// Release flushes the worker and returns it to the set for reuse. Do not use its pointers and
// scopes afterwards. Release panics if the worker was released already.
func (w *Worker) Release() {
	if w == nil {
		return
	}
	w.set.mu.Lock()
	defer w.set.mu.Unlock()
	if w.released {
		panic("counters: a worker was released twice")
	}
	w.Flush()
	w.inner = 0
	w.released = true
	w.set.idle = append(w.set.idle, w)
}

// Scope measures a duration on one worker. The zero value does nothing.
type Scope struct {
	w     *Worker
	l     *line
	start int64
	outer int64 // value of w.inner when the scope began
}

// Begin starts a scope of t: defer w.Begin(t).End(). Scopes of one worker must end in the reverse
// order of their start, otherwise own times are wrong. It panics if t belongs to another set.
func (w *Worker) Begin(t *Timer) Scope {
	if w == nil || t == nil {
		return Scope{}
	}
	return w.begin(t)
}

func (w *Worker) begin(t *Timer) Scope {
	s := Scope{w: w, l: w.line((*cell)(t)), outer: w.inner}
	w.inner = 0
	s.start = fastclock.Now()
	return s
}

// End ends the scope.
func (s Scope) End() {
	if s.w != nil {
		s.endNow()
	}
}

func (s Scope) endNow() { s.end(fastclock.Now()) }

func (s Scope) end(now int64) {
	took := max(now-s.start, 0) // The clocks of two cores may differ by some ticks.
	s.l.addTicks(took, max(took-s.w.inner, 0))
	s.w.inner = s.outer + took
}

// Record adds one call with a known duration to t. A negative duration counts as 0. The own times
// of scopes do not change. Record panics if t belongs to another set.
func (w *Worker) Record(t *Timer, d time.Duration) {
	if w != nil && t != nil {
		w.line((*cell)(t)).addNanos(int64(max(d, 0)))
	}
}
