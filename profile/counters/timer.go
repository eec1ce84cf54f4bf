package counters

import (
	"math"
	"time"

	"github.com/assetcook/assetcook/internal/fastclock"
)

// Timer counts calls and sums their durations. A nil *Timer records nothing.
type Timer cell

// Span measures a duration. The zero value does nothing.
type Span struct {
	t     *Timer
	start int64
}

// Begin starts a span: defer t.Begin().End(). Any goroutine may call it, and the span may end on
// another goroutine. All of its time counts as own time, because a span does not know its parent. A
// scope from [Worker.Begin] knows its parent, and is faster.
func (t *Timer) Begin() Span {
	if t == nil {
		return Span{}
	}
	return Span{t, fastclock.Now()}
}

// End ends the span.
func (s Span) End() {
	if s.t == nil {
		return
	}
	took := max(fastclock.Now()-s.start, 0)
	s.t.mu.Lock()
	s.t.timed.addTicks(took, took)
	s.t.mu.Unlock()
	if s.t.queued.Load() == 0 {
		(*cell)(s.t).queue()
	}
}

// Record adds one call with a known duration. A negative duration counts as 0. Any goroutine may
// call it.
func (t *Timer) Record(d time.Duration) {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.timed.addNanos(int64(max(d, 0)))
	t.mu.Unlock()
	if t.queued.Load() == 0 {
		(*cell)(t).queue()
	}
}

// Stat returns the timer's statistics since the set was made. They include calls that workers have
// flushed.
func (t *Timer) Stat() Stat {
	if t == nil {
		return Stat{}
	}
	t.set.mu.Lock()
	defer t.set.mu.Unlock()
	t.set.collect()
	l := (*cell)(t).sum()
	return l.stat(t.set.rate())
}

// Stat holds the statistics of a timer. Durations are 0 if there were no calls.
type Stat struct {
	Calls int64
	Total time.Duration
	Own   time.Duration // Total minus the time of nested scopes on the same worker
	Min   time.Duration // duration of the shortest call
	Max   time.Duration
}

// Mean returns the mean duration of a call.
func (s Stat) Mean() time.Duration {
	if s.Calls == 0 {
		return 0
	}
	return s.Total / time.Duration(s.Calls)
}

// steadyAfter is the time in nanoseconds until the rate of ticks is final. If two readings are each
// off by 50 ns, the error of the rate is then 1e-7.
const steadyAfter = 1e9

// rate returns the duration of a tick. The set must be locked.
func (s *Set) rate() fastclock.Scale {
	if !s.steady {
		now := fastclock.Mark()
		s.scale = fastclock.Between(s.start, now)
		s.steady = now.Nanos-s.start.Nanos >= steadyAfter
	}
	return s.scale
}

// stat converts the line of a timer to a Stat.
func (l *line) stat(rate fastclock.Scale) Stat {
	s := Stat{
		Calls: l[timerCalls],
		Total: time.Duration(rate.Duration(l[timerTicks]) + l[timerNanos]),
		Own:   time.Duration(rate.Duration(l[timerOwnTicks]) + l[timerNanos]),
		Max:   time.Duration(max(rate.Duration(l[timerLongTicks]), l[timerLongNanos])),
	}
	shortest := int64(math.MaxInt64)
	if d := l[timerShortTicks]; d != 0 {
		shortest = rate.Duration(math.MaxInt64 - d)
	}
	if d := l[timerShortNanos]; d != 0 {
		shortest = min(shortest, math.MaxInt64-d)
	}
	if s.Calls != 0 {
		s.Min = time.Duration(shortest)
	}
	return s
}
