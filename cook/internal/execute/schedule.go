package execute

import (
	"cmp"
	"math/bits"
	"slices"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/internal/dependency"
)

// A schedule orders the actions of a run. An action on the longest way to the end of
// the run comes first: the action itself, then the bundles that wait for it, one after the
// other. Actions whose ways take about as long, within a factor of two, go directory by
// directory.
//
// A bundle begins like any other action. If it asks for artifacts that are still to be made,
// it waits for them, and begins again.
//
// A schedule has no workers and no clock. Actions are numbers.
type schedule struct {
	took  []time.Duration // expected time of each action
	ready []int           // actions that can begin, in order

	// The following fields are nil in a plan without bundles.
	settled []atomic.Bool   // actions that have made, or failed to make, their artifacts
	takers  [][]int         // bundles that wait for each action
	after   []time.Duration // time of the takers of each action
	waits   map[int]waiting // bundles that wait
}

// A waiting is the reason why a bundle waits.
type waiting struct {
	question dependency.Dependency
	left     int // actions that are not settled
}

func newSchedule(took []time.Duration, bundles bool) schedule {
	s := schedule{took: took}
	if bundles {
		s.settled, s.takers, s.after = make([]atomic.Bool, len(took)), make([][]int, len(took)), make([]time.Duration, len(took))
		s.waits = map[int]waiting{}
	}
	return s
}

// makeReady makes actions ready, which come in ascending order.
func (s *schedule) makeReady(actions []int) {
	s.ready = actions
	slices.SortFunc(s.ready, s.compareUrgency)
}

// compareUrgency orders ready actions.
func (s *schedule) compareUrgency(i, j int) int {
	return cmp.Or(cmp.Compare(s.durationClass(j), s.durationClass(i)), cmp.Compare(i, j))
}

// durationClass returns the same number for all ways that take about as long.
func (s *schedule) durationClass(i int) int {
	way := s.took[i]
	if s.after != nil {
		way += s.after[i]
	}
	return bits.Len64(uint64(way))
}

// takeReady returns the next action to begin, if one is ready.
func (s *schedule) takeReady() (i int, ok bool) {
	if len(s.ready) == 0 {
		return 0, false
	}
	i, s.ready = s.ready[0], s.ready[1:]
	return i, true
}

// waitForOthers lets a bundle wait for other actions, unless all are settled meanwhile.
func (s *schedule) waitForOthers(i int, question dependency.Dependency, on []int) {
	left := 0
	for _, k := range on {
		if !s.settled[k].Load() {
			s.takers[k] = append(s.takers[k], i)
			left++
		}
	}
	if left == 0 {
		s.pushReady(i)
		return
	}
	s.waits[i] = waiting{question, left}
	known := map[int]time.Duration{}
	for _, k := range s.ready {
		s.after[k] = s.waitersTime(k, known)
	}
	slices.SortFunc(s.ready, s.compareUrgency)
}

// isSettled reports whether an action has ended. It is always true without bundles.
func (s *schedule) isSettled(i int) bool { return s.settled == nil || s.settled[i].Load() }

// markSettled notes that an action has ended. Bundles that waited for nothing else become ready.
func (s *schedule) markSettled(i int) {
	if s.settled == nil {
		return
	}
	s.settled[i].Store(true)
	for _, b := range s.takers[i] {
		w := s.waits[b]
		if w.left--; w.left > 0 {
			s.waits[b] = w
			continue
		}
		delete(s.waits, b)
		s.pushReady(b)
	}
	s.takers[i] = nil
}

// giveUpWaiting ends the waiting of all bundles, and returns what each waited for.
func (s *schedule) giveUpWaiting() map[int]waiting {
	waits := s.waits
	s.waits = map[int]waiting{}
	clear(s.takers)
	return waits
}

// pushReady makes an action ready.
func (s *schedule) pushReady(i int) {
	if s.after != nil {
		s.after[i] = s.waitersTime(i, map[int]time.Duration{})
	}
	at, _ := slices.BinarySearchFunc(s.ready, i, s.compareUrgency)
	s.ready = slices.Insert(s.ready, at, i)
}

// waitersTime returns the time of the bundles that wait for an action, one after the other.
// known caches the time of each bundle with its own takers.
func (s *schedule) waitersTime(i int, known map[int]time.Duration) (most time.Duration) {
	for _, b := range s.takers[i] {
		way, ok := known[b]
		if !ok {
			known[b] = 0 // for bundles that take each other
			way = s.took[b] + s.waitersTime(b, known)
			known[b] = way
		}
		most = max(most, way)
	}
	return most
}
