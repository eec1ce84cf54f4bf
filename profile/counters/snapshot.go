package counters

import (
	"math"
	"slices"
	"strings"
)

// Sample is one name of a snapshot. Int is set for counters, Float for floats and gauges, and Timer
// for timers.
type Sample struct {
	Name  string
	Kind  Kind
	Int   int64
	Float float64
	Timer Stat

	order int32 // number of the name in the order of registration
}

// Value returns the sample as one number. For a timer, it is the total in nanoseconds.
func (s Sample) Value() float64 {
	switch s.Kind {
	case KindCounter:
		return float64(s.Int)
	case KindFloat, KindGauge:
		return s.Float
	}
	return float64(s.Timer.Total)
}

// Snapshot is the state of a set at one moment, sorted by name.
type Snapshot []Sample

// Snapshot polls the sources and returns all gauge levels, and all sums since the set was made. The
// sums include worker additions that were flushed. The fields of a sample are consistent with each
// other. Workers do not wait.
func (s *Set) Snapshot() Snapshot {
	if s == nil {
		return nil
	}
	s.poll()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.collect()
	return s.samples(func(c *cell) (line, int64) {
		if c.kind == KindGauge {
			return line{}, c.shared.Load()
		}
		return c.sum(), 0
	})
}

// LastFrame returns the values of all names in the frame that PushFrame closed last. It includes
// names that are not watched. A sample has the sums, the shortest and longest calls, or the gauge
// level at the end of the frame. Before the first frame, LastFrame returns nil.
func (s *Set) LastFrame() (Frame, Snapshot) {
	if s == nil {
		return Frame{}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.history.pushed == 0 {
		return Frame{}, nil
	}
	return Frame{s.history.pushed - 1, s.closedAt}, s.samples(func(c *cell) (line, int64) {
		if c.kind == KindGauge {
			return line{}, c.level
		}
		if l := s.closed.at(c.line); l != nil {
			return *l, 0
		}
		return line{}, 0
	})
}

// samples returns a sample of each visible name. It calls of to get the line of a cell, or the
// level of a gauge. The set must be locked.
func (s *Set) samples(of func(*cell) (line, int64)) Snapshot {
	snap := make(Snapshot, 0, len(s.cells))
	refused, panicked := s.happened(refusedNames), s.happened(panickedSources)
	rate := s.rate()
	for _, c := range s.cells {
		if c == nil || c.order <= ownNames && c.order > 0 && !(c.name == panickedSources && panicked || c.name != panickedSources && refused) {
			continue
		}
		l, level := of(c)
		sample := Sample{Name: c.name, Kind: c.kind, order: c.order}
		switch c.kind {
		case KindCounter:
			sample.Int = l[c.slot]
		case KindFloat:
			sample.Float = math.Float64frombits(uint64(l[c.slot]))
		case KindTimer:
			sample.Timer = l.stat(rate)
		case KindGauge:
			sample.Float = math.Float64frombits(uint64(level))
		}
		snap = append(snap, sample)
	}
	slices.SortFunc(snap, func(a, b Sample) int { return strings.Compare(a.Name, b.Name) })
	return snap
}

// happened reports whether a counter with a reserved name is not 0.
func (s *Set) happened(name string) bool {
	c := s.find(name)
	return c.sum()[c.slot] != 0
}

// Of returns the sample of the given name, and reports whether it exists.
func (s Snapshot) Of(name string) (Sample, bool) {
	i, ok := slices.BinarySearchFunc(s, name, func(a Sample, name string) int { return strings.Compare(a.Name, name) })
	if !ok {
		return Sample{}, false
	}
	return s[i], true
}

// Sub returns the changes since an earlier snapshot of the same set. The shortest and longest calls
// cannot be subtracted. Min and Max come from s, or are 0 if there were no calls since the earlier
// snapshot. Gauges keep the level of s.
func (s Snapshot) Sub(earlier Snapshot) Snapshot {
	diff := slices.Clone(s)
	for i := range diff {
		now := &diff[i]
		then, ok := earlier.Of(now.Name)
		if !ok || then.Kind != now.Kind || now.Kind == KindGauge {
			continue
		}
		now.Int -= then.Int
		now.Float -= then.Float
		now.Timer.Calls -= then.Timer.Calls
		now.Timer.Total -= then.Timer.Total
		now.Timer.Own -= then.Timer.Own
		if now.Timer.Calls == 0 {
			now.Timer.Min, now.Timer.Max = 0, 0
		}
	}
	return diff
}
