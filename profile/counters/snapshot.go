package counters

import (
	"math"
	"slices"
	"strings"
)

// Sample is one name of a snapshot. Of Int, Float and Timer the one that Kind says is
// set.
type Sample struct {
	Name  string
	Kind  Kind
	Int   int64
	Float float64
	Timer Stat

	order int32 // of registration
}

// Value returns the sample as one number: for a timer the nanoseconds of all calls.
func (s Sample) Value() float64 {
	switch s.Kind {
	case KindCounter:
		return float64(s.Int)
	case KindFloat:
		return s.Float
	}
	return float64(s.Timer.Total)
}

// Snapshot is what a set had counted at one moment, sorted by name.
type Snapshot []Sample

// Snapshot returns the sums since the beginning of all that was added from any
// goroutine or flushed by workers. Each sample is of one moment: a timer's fields
// belong together. Workers do not notice.
func (s *Set) Snapshot() Snapshot {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.collect()
	snap := make(Snapshot, 0, len(s.cells))
	refused := s.find(Refused).sum()[s.find(Refused).slot] != 0
	rate := s.rate()
	for _, c := range s.cells {
		if c == nil || c.order <= ownNames && c.order > 0 && !refused {
			continue
		}
		sample, l := Sample{Name: c.name, Kind: c.kind, order: c.order}, c.sum()
		switch c.kind {
		case KindCounter:
			sample.Int = l[c.slot]
		case KindFloat:
			sample.Float = math.Float64frombits(uint64(l[c.slot]))
		case KindTimer:
			sample.Timer = l.stat(rate)
		}
		snap = append(snap, sample)
	}
	slices.SortFunc(snap, func(a, b Sample) int { return strings.Compare(a.Name, b.Name) })
	return snap
}

// Of returns the sample of a name and whether there is one.
func (s Snapshot) Of(name string) (Sample, bool) {
	i, ok := slices.BinarySearchFunc(s, name, func(a Sample, name string) int { return strings.Compare(a.Name, name) })
	if !ok {
		return Sample{}, false
	}
	return s[i], true
}

// Sub returns what happened since an earlier snapshot of the same set. Of the shortest
// and longest call only the whole time is known: Min and Max are those of s, and 0 if
// there was no call since.
func (s Snapshot) Sub(earlier Snapshot) Snapshot {
	diff := slices.Clone(s)
	for i := range diff {
		now := &diff[i]
		then, ok := earlier.Of(now.Name)
		if !ok || then.Kind != now.Kind {
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
