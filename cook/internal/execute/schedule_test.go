package execute

import (
	"cmp"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/lookup"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/internal/dependency"
)

// A simulation is a plan whose actions take a given time.
type simulation struct {
	took  []time.Duration
	takes [][]int // actions whose artifacts each bundle reads; nil for assets
}

// run returns the total time of the simulation with the given number of workers.
func (m *simulation) run(t failer, workers int) (now time.Duration) {
	s := newSchedule(m.took, true)
	s.makeReady(numbers(len(m.took)))
	var running []end
	for {
		for len(running) < workers {
			i, ok := s.takeReady()
			if !ok {
				break
			}
			open := slices.Clone(m.takes[i])
			open = slices.DeleteFunc(open, func(k int) bool { return s.settled[k].Load() })
			if len(open) > 0 {
				s.waitForOthers(i, dependency.Dependency{}, open)
			} else {
				running = append(running, end{now + m.took[i], i})
			}
		}
		if len(running) == 0 {
			break
		}
		now, running = settleFirst(running, s.markSettled)
	}
	for i := range s.settled {
		if !s.settled[i].Load() {
			t.Fatalf("action %d of %+v was not begun", i, m)
		}
	}
	return now
}

type failer interface{ Fatalf(string, ...any) }

// An end is the time when an action ends.
type end struct {
	at     time.Duration
	action int
}

func settleFirst(running []end, settle func(int)) (time.Duration, []end) {
	slices.SortStableFunc(running, func(a, b end) int { return cmp.Compare(a.at, b.at) })
	settle(running[0].action)
	return running[0].at, running[1:]
}

// inWaves returns the time that a simpler method takes. Its bundles wait until all earlier actions
// are done, and its longest actions start first.
func (m *simulation) inWaves(workers int) (now time.Duration) {
	done := make([]bool, len(m.took))
	ready := func(i int) bool {
		return !done[i] && !slices.ContainsFunc(m.takes[i], func(k int) bool { return !done[k] })
	}
	wave := slices.DeleteFunc(numbers(len(m.took)), func(i int) bool { return m.takes[i] != nil })
	for len(wave) > 0 {
		class := func(i int) int { return bits.Len64(uint64(m.took[i])) }
		slices.SortStableFunc(wave, func(i, j int) int { return cmp.Compare(class(j), class(i)) })
		var running []end
		for len(wave)+len(running) > 0 {
			for len(running) < workers && len(wave) > 0 {
				running, wave = append(running, end{now + m.took[wave[0]], wave[0]}), wave[1:]
			}
			now, running = settleFirst(running, func(i int) { done[i] = true })
		}
		wave = slices.DeleteFunc(numbers(len(m.took)), func(i int) bool { return !ready(i) })
	}
	return now
}

// critical returns the length of the longest path through the graph, and the total time of all
// actions.
func (m *simulation) critical() (longest, all time.Duration) {
	ends := make([]time.Duration, len(m.took))
	for i := range m.took {
		for _, k := range m.takes[i] {
			ends[i] = max(ends[i], ends[k])
		}
		ends[i] += m.took[i]
		longest = max(longest, ends[i])
		all += m.took[i]
	}
	return longest, all
}

func numbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// TestScheduleFollowsGraph checks that a run with enough workers takes as long as the longest path,
// and never longer than inWaves returns. With fewer workers, it must stay within the bound for list
// scheduling.
func TestScheduleFollowsGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &simulation{}
		assets, bundles := rapid.IntRange(1, 20).Draw(t, "assets"), rapid.IntRange(0, 8).Draw(t, "bundles")
		for i := range assets + bundles {
			m.took = append(m.took, time.Duration(rapid.IntRange(0, 1000).Draw(t, "took")))
			var takes []int
			if i >= assets {
				takes = rapid.SliceOfNDistinct(rapid.IntRange(0, i-1), 0, i, rapid.ID).Draw(t, "takes")
				takes = append(make([]int, 0), takes...)
			}
			m.takes = append(m.takes, takes)
		}
		longest, all := m.critical()
		if got, waves := m.run(t, len(m.took)), m.inWaves(len(m.took)); got != longest || got > waves {
			t.Fatalf("%+v takes %d, want %d; %d in waves", m, got, longest, waves)
		}
		workers := rapid.IntRange(1, 8).Draw(t, "workers")
		n := time.Duration(workers)
		if got := m.run(t, workers); got < max(longest, all/n) || got > longest+(all-longest)/n {
			t.Fatalf("%+v takes %d with %d workers; the longest way is %d, all is %d", m, got, workers, longest, all)
		}
	})
}

// game returns a game with textures, sounds and levels in a directory per chapter, a pak per
// chapter, and a list of the paks. Packing takes long. A level outside of the paks takes longest.
func game(seed uint64) *simulation {
	r := rand.New(rand.NewPCG(seed, 0))
	m := &simulation{}
	add := func(took time.Duration, takes []int) int {
		m.took, m.takes = append(m.took, took), append(m.takes, takes)
		return len(m.took) - 1
	}
	add(90*time.Second, nil)
	var paks []int
	for range 12 {
		var chapter []int
		for range 100 {
			chapter = append(chapter, add(time.Duration((0.1+2*r.ExpFloat64())*float64(time.Second)), nil))
		}
		paks = append(paks, add(time.Duration(10+r.IntN(50))*time.Second, chapter))
	}
	add(time.Second, paks)
	return m
}

// TestScheduleAgainstWaves checks that a schedule is faster than inWaves, and at most slightly
// slower if there are few workers. See bench/results/schedule.md.
func TestScheduleAgainstWaves(t *testing.T) {
	for _, workers := range []int{4, 16, 64, 2000} {
		var now, before time.Duration
		for seed := range uint64(5) {
			m := game(seed)
			a, b := m.run(t, workers), m.inWaves(workers)
			if a > b+b/100 || workers >= 16 && a >= b {
				t.Errorf("seed %d, %d workers: %v, in waves %v", seed, workers, a, b)
			}
			now, before = now+a, before+b
		}
		t.Logf("%4d workers: %6.1fs, in waves %6.1fs: %.2f times as long", workers, now.Seconds()/5, before.Seconds()/5, float64(before)/float64(now))
	}
}

// TestScheduleOrder checks that actions whose artifacts end up in a bundle begin early, even if the
// bundle needs them only through another bundle. It also checks that a bundle does not wait for
// actions that have ended.
func TestScheduleOrder(t *testing.T) {
	const second = time.Second
	// Actions 0 to 3 are assets. Action 4 uses the artifacts of action 3, and action 5 uses the
	// artifacts of action 4.
	s := newSchedule([]time.Duration{4 * second, 4 * second, 9 * second, second, second, 60 * second}, true)
	s.makeReady(numbers(6))
	takes := map[int][]int{4: {3}, 5: {4}}
	var order []int
	for {
		i, ok := s.takeReady()
		if !ok {
			break
		}
		if on := takes[i]; on != nil {
			delete(takes, i)
			s.waitForOthers(i, dependency.Dependency{}, on)
			continue
		}
		order = append(order, i)
		s.markSettled(i)
	}
	if want := []int{3, 4, 5, 2, 0, 1}; !slices.Equal(order, want) {
		t.Errorf("begun in the order %v, want %v", order, want)
	}
	if s.waitForOthers(4, dependency.Dependency{}, []int{3}); len(s.waits) > 0 || !slices.Equal(s.ready, []int{4}) {
		t.Errorf("%v wait, %v are ready", s.waits, s.ready)
	}
}

// TestScheduleOfCircle checks that the search for the longest path ends if bundles wait for each
// other.
func TestScheduleOfCircle(t *testing.T) {
	s := newSchedule([]time.Duration{1, 2, 4}, true)
	s.makeReady(numbers(3))
	for range 2 {
		i, _ := s.takeReady()
		s.waitForOthers(i, dependency.OfArtifacts(dependency.Artifacts, "q", nil), []int{(i + 1) % 3})
	}
	i, _ := s.takeReady()
	s.waitForOthers(i, dependency.OfArtifacts(dependency.Artifacts, "q", nil), []int{(i + 1) % 3})
	if _, ok := s.takeReady(); ok || len(s.waits) != 3 {
		t.Fatalf("%v wait", s.waits)
	}
	if waits := s.giveUpWaiting(); len(waits) != 3 || len(s.waits) != 0 {
		t.Errorf("%v waited, %v still do", waits, s.waits)
	}
}

// TestScheduleWithoutBundlesAllocatesNothing checks that a plan without bundles only sorts its
// actions.
func TestScheduleWithoutBundlesAllocatesNothing(t *testing.T) {
	took, todo := make([]time.Duration, 1000), numbers(1000)
	for i := range took {
		took[i] = time.Duration(i * i % 701)
	}
	if n := testing.AllocsPerRun(10, func() {
		s := newSchedule(took, false)
		s.makeReady(todo)
		for i, ok := s.takeReady(); ok; i, ok = s.takeReady() {
			s.markSettled(i)
		}
	}); n > 0 {
		t.Errorf("%.0f allocations", n)
	}
}

// TestRunWithoutServerHasNoRemote checks that without a server, every Remote is a nil interface and
// does not hold a nil *broker.Broker.
func TestRunWithoutServerHasNoRemote(t *testing.T) {
	r := &run{plan: &plan.Plan{}, env: cookone.Env{}, reports: newReporter(Options{}), finder: &lookup.Finder{}, queue: newQueue(false, nil)}
	r.openBroker(t.Context(), remote.Options{})
	if r.remote != nil || r.queue.remote != nil || r.finder.Server != nil {
		t.Errorf("remote %v, of the queue %v, of look-ups %v", r.remote, r.queue.remote, r.finder.Server)
	}
}
