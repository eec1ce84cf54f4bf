package counters

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"
)

// These constants limit the time of sources. A source that takes at most sourceBudget is polled
// each time. A slower source is next polled after sourceRest times its duration, so that it takes
// at most one percent of the time.
const (
	sourceBudget = 20 * time.Microsecond
	sourceRest   = 100
)

// A Source is a function that a set polls. A nil *Source behaves like a closed Source.
type Source struct {
	set     *Set
	f       func()
	closed  atomic.Bool
	err     atomic.Pointer[error]
	running atomic.Bool   // true while a goroutine polls; guards the fields below
	took    time.Duration // duration of the last call
	due     time.Duration // earliest time of the next call, on the set's clock
}

// Source makes the set call f before each frame closes and before each snapshot, until the Source
// is closed. Calls of f never overlap. If f is still running, a poll skips it and uses the values
// that f has set so far. f may use the set in any way. It should set gauges, or add to counters,
// through handles it already has:
//
//	depth, drops := set.Gauge("queue/depth"), set.Counter("queue/drops")
//	defer set.Source(func() {
//		depth.Set(float64(queue.Len()))
//		drops.Add(queue.TakeDrops())
//	}).Close()
//
// A call of f may take 20 microseconds. A slower f is next called after 100 times its duration,
// unless [Set.PollAlways] was called; gauges keep their levels meanwhile. The shorter of the last
// two calls counts, because a single call may have been interrupted.
//
// If f panics, the set does not call f again. [Source.Err] returns the panic as an error, and the
// counter "counters/panicked" counts it. PushFrame and Snapshot do not panic.
func (s *Set) Source(f func()) *Source {
	if s == nil {
		return nil
	}
	src := &Source{set: s, f: f, took: math.MaxInt64}
	s.changeSources(func(list []*Source) []*Source { return append(list, src) })
	return src
}

// PollAlways polls all sources at every frame and snapshot, regardless of the time they take. So
// the program's work and its allocations do not depend on the clock, as a smoke run requires.
func (s *Set) PollAlways() {
	if s != nil {
		s.always.Store(true)
	}
}

// Close stops polling. It does not wait for a call in progress on another goroutine. The polled
// function may call Close. Further calls do nothing.
func (src *Source) Close() {
	if src == nil || src.closed.Swap(true) {
		return
	}
	src.set.changeSources(func(list []*Source) []*Source {
		return slices.DeleteFunc(list, func(other *Source) bool { return other == src })
	})
}

// Err returns the panic of the polled function as an error, or nil.
func (src *Source) Err() error {
	if src != nil {
		if err := src.err.Load(); err != nil {
			return *err
		}
	}
	return nil
}

// changeSources replaces the list of sources by a changed copy.
func (s *Set) changeSources(change func([]*Source) []*Source) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*Source
	if old := s.sources.Load(); old != nil {
		list = slices.Clone(*old)
	}
	list = change(list)
	s.sources.Store(&list)
}

// poll polls all sources. The set must not be locked, because a source may use it.
func (s *Set) poll() {
	if list := s.sources.Load(); list != nil {
		for _, src := range *list {
			src.poll()
		}
	}
}

func (src *Source) poll() {
	if !src.running.CompareAndSwap(false, true) {
		return
	}
	defer src.running.Store(false)
	began := src.set.clock()
	if src.closed.Load() || began < src.due && !src.set.always.Load() {
		return
	}
	defer src.recovered()
	src.f()
	now := src.set.clock()
	took := now - began
	if cost := min(took, src.took); cost > sourceBudget {
		src.due = now + sourceRest*min(cost, math.MaxInt64/2/sourceRest)
	}
	src.took = took
}

// recovered recovers from a panic in the source's function, and closes the source.
func (src *Source) recovered() {
	v := recover()
	if v == nil {
		return
	}
	err, ok := v.(error)
	if !ok {
		err = fmt.Errorf("%v", v)
	}
	err = fmt.Errorf("counters: the function of a source panicked: %w", err)
	src.err.Store(&err)
	src.set.Counter(panickedSources).Add(1)
	src.Close()
}
