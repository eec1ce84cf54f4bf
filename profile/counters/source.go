package counters

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"
)

// What polling a source may take. One that takes up to sourceBudget is polled at every
// occasion. After one that takes longer, sourceRest times as long passes before it is
// polled again, so that it takes one percent of the time at most.
const (
	sourceBudget = 20 * time.Microsecond
	sourceRest   = 100
)

// A Source is a function that is polled. A nil *Source is closed.
type Source struct {
	set     *Set
	f       func()
	closed  atomic.Bool
	err     atomic.Pointer[error]
	running atomic.Bool   // guards what follows
	took    time.Duration // by the last call
	due     time.Duration // when it may be called again, on the set's clock
}

// Source polls f from now on: at the end of each frame, before it is closed, and before
// each snapshot. Nothing calls f twice at once: where a poll is under way another one
// leaves it alone and reads what f has set so far. f may use the set in any way. It
// should set gauges, or add to counters, whose handles it has:
//
//	depth, drops := set.Gauge("queue/depth"), set.Counter("queue/drops")
//	defer set.Source(func() {
//		depth.Set(float64(queue.Len()))
//		drops.Add(queue.TakeDrops())
//	}).Close()
//
// A call of f may take 20 microseconds. If one takes longer, f is left alone for 100 times
// as long as it took, unless the set is polled always; gauges keep their levels meanwhile.
// The shorter of the last two calls counts, because a single call may have been interrupted.
//
// If f panics, PushFrame and Snapshot do not: f is not called again, [Source.Err] returns
// what it panicked with, and [Panicked] counts it.
func (s *Set) Source(f func()) *Source {
	if s == nil {
		return nil
	}
	src := &Source{set: s, f: f, took: math.MaxInt64}
	s.changeSources(func(list []*Source) []*Source { return append(list, src) })
	return src
}

// PollAlways makes the set poll all sources at every frame and snapshot, however long they take.
// Then no clock affects what the program does and allocates, as a smoke run requires.
func (s *Set) PollAlways() {
	if s != nil {
		s.always.Store(true)
	}
}

// Func makes a gauge that shows what f returns, by a [Set.Source]. After a panic the
// gauge is NaN; after Close it keeps the last level.
func (s *Set) Func(name string, f func() float64) *Source {
	g := s.Gauge(name)
	return s.Source(func() {
		level := math.NaN()
		defer func() { g.Set(level) }()
		level = f()
	})
}

// Close ends the polling. It does not wait for a call that another goroutine has begun,
// and may be called by the function itself, and more than once.
func (src *Source) Close() {
	if src == nil || src.closed.Swap(true) {
		return
	}
	src.set.changeSources(func(list []*Source) []*Source {
		return slices.DeleteFunc(list, func(other *Source) bool { return other == src })
	})
}

// Err returns what the function panicked with, nil if it did not.
func (src *Source) Err() error {
	if src != nil {
		if err := src.err.Load(); err != nil {
			return *err
		}
	}
	return nil
}

// changeSources replaces the list by one that change makes of a copy.
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

// poll polls all sources. The set is not locked, because they may use it.
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

// recovered closes the source if its function has panicked.
func (src *Source) recovered() {
	v := recover()
	if v == nil {
		return
	}
	err, ok := v.(error)
	if !ok {
		err = fmt.Errorf("%v", v)
	}
	err = fmt.Errorf("counters: a source panicked: %w", err)
	src.err.Store(&err)
	src.set.Counter(Panicked).Add(1)
	src.Close()
}
