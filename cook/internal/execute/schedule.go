package execute

import (
	"cmp"
	"math/bits"
	"slices"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/internal/dependency"
)

// A schedule orders the actions of a run. An action with a longer path to the end of the run comes
// first. The path consists of the action and the bundles that wait for it. Actions with similar
// paths, within a factor of two, are ordered by directory.
//
// A bundle begins like any other action. If it requests artifacts that have not been made yet, it
// waits for them, and begins again.
//
// A schedule knows neither workers nor a clock. Actions are identified by numbers.
type schedule struct {
	took  []time.Duration // expected time of each action
	ready []int           // ready actions, the most urgent first

	// The following fields are nil in a plan without bundles.
	settled []atomic.Bool   // actions that have made their artifacts or failed
	takers  [][]int         // bundles that wait for each action
	after   []time.Duration // duration of the longest chain of bundles that wait for each action
	waits   map[int]waiting
}

// A waiting describes why a bundle cannot run yet.
type waiting struct {
	question dependency.Dependency
	left     int // number of unsettled actions that the bundle waits for
}

func newSchedule(took []time.Duration, bundles bool) schedule {
	s := schedule{took: took}
	if bundles {
		s.settled, s.takers, s.after = make([]atomic.Bool, len(took)), make([][]int, len(took)), make([]time.Duration, len(took))
		s.waits = map[int]waiting{}
	}
	return s
}

// makeReady makes actions ready to run. Their numbers must be in ascending order.
func (s *schedule) makeReady(actions []int) {
	s.ready = actions
	slices.SortFunc(s.ready, s.compareUrgency)
}

// compareUrgency compares ready actions: the most urgent action comes first.
func (s *schedule) compareUrgency(i, j int) int {
	return cmp.Or(cmp.Compare(s.durationClass(j), s.durationClass(i)), cmp.Compare(i, j))
}

// durationClass returns the class of a duration. Two durations in one class differ by less than a
// factor of two.
func (s *schedule) durationClass(i int) int {
	way := s.took[i]
	if s.after != nil {
		way += s.after[i]
	}
	return bits.Len64(uint64(way))
}

// takeReady removes and returns the next action to begin, if one is ready.
func (s *schedule) takeReady() (i int, ok bool) {
	if len(s.ready) == 0 {
		return 0, false
	}
	i, s.ready = s.ready[0], s.ready[1:]
	return i, true
}

// waitForOthers makes a bundle wait for other actions, unless all of them are already settled.
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

// isSettled reports whether an action has ended. In a plan without bundles, it always returns true.
func (s *schedule) isSettled(i int) bool { return s.settled == nil || s.settled[i].Load() }

// markSettled records that an action has ended, and makes bundles ready that waited only for this
// action.
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

// giveUpWaiting ends the waiting of all bundles. It returns the reasons why they waited.
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

// waitersTime returns the time of the longest chain of bundles that wait for an action. known
// caches this time for each bundle, including the bundle itself.
func (s *schedule) waitersTime(i int, known map[int]time.Duration) (most time.Duration) {
	for _, b := range s.takers[i] {
		way, ok := known[b]
		if !ok {
			known[b] = 0 // ends the recursion if bundles wait for each other in a cycle
			way = s.took[b] + s.waitersTime(b, known)
			known[b] = way
		}
		most = max(most, way)
	}
	return most
}
