package main

import (
	"slices"
	"time"
)

// A world replays a history, either simulated or with a real cook and server.
type world interface {
	// sync lets a developer's machine look up the versions of a branch that it lacks.
	sync(who, branch int, versions []int32, what occasion) error
	// build lets CI cook the given versions and upload the results.
	build(branch int, versions []int32) error
}

// An occasion is the reason why a machine looks up results.
type occasion uint8

const (
	morning  occasion = iota // getting other developers' changes of the previous day
	visit                    // switching to another branch, or back
	edit                     // cooking the developer's own changes
	fromNone                 // setting up an empty machine
)

func (o occasion) String() string {
	return [...]string{"morning", "other branch and back", "own edits", "empty machine"}[o]
}

// replay replays the given number of days of a history.
func replay(h *history, days int, w world) error {
	ci := developer{has: map[int32]bool{}}
	built := make([]int, len(h.heads))
	fresh := 0.0
	for day := range days {
		for d := range h.workers {
			dev := &h.workers[d]
			if err := w.sync(d, dev.branch, h.goTo(dev, dev.branch), morning); err != nil {
				return err
			}
		}
		for fresh += h.fresh; fresh >= 1; fresh-- {
			if err := w.sync(-1, 0, h.all(0), fromNone); err != nil {
				return err
			}
		}
		for d := range h.workers {
			dev := &h.workers[d]
			if h.r.Float64() < h.switches {
				for _, branch := range []int{h.other(dev.branch), dev.branch} {
					if err := w.sync(d, branch, h.goTo(dev, branch), visit); err != nil {
						return err
					}
				}
			}
			made := h.work(dev)
			latest := slices.DeleteFunc(slices.Clone(made), func(v int32) bool { return h.version(dev.at, h.asset(v)) != v })
			if err := w.sync(d, dev.at, latest, edit); err != nil {
				return err
			}
		}
		for b := range h.heads {
			if err := w.build(b, h.build(&ci, b, built[b])); err != nil {
				return err
			}
			built[b] = len(h.heads[b].log)
			if b > 0 && (day+b)%h.life == h.life-1 {
				h.merge(b)
				built[b] = 0
			}
		}
	}
	return nil
}

// all returns all versions of a branch that an empty machine needs.
func (h *history) all(branch int) []int32 {
	all := make([]int32, h.parted())
	for a := range all {
		all[a] = h.version(branch, int32(a))
	}
	return all
}

// A simulation is a world that only counts requests and bytes.
type simulation struct {
	h       *history
	caches  []*cache // caches of different sizes; only the first serves machines
	machine machine
	days    [][]transfer // the transfers of each morning
	sums    map[occasion]*sum
	given   transfer
	found   []found // number of hits in each cache
	asked   found
}

// found counts successful look-ups.
type found struct {
	shared int // hits for results of other developers
	empty  int // hits by empty machines
}

// A sum holds the totals of all runs that have the same occasion.
type sum struct {
	runs, looked, hits, cooked, requests int
	bytes                                int64
	longest                              time.Duration
}

func newSimulation(h *history, m machine, rooms []int64) *simulation {
	s := &simulation{h: h, machine: m, sums: map[occasion]*sum{}, found: make([]found, len(rooms))}
	for _, room := range rooms {
		c := newCache(room, h.versionSize)
		for a := h.assets - 1; a >= 0; a-- { // Add the most edited asset last, so that it is evicted last.
			c.putVersion(int32(a))
		}
		c.evicted = 0
		s.caches = append(s.caches, c)
	}
	return s
}

func (s *simulation) sync(who, _ int, versions []int32, what occasion) error {
	items := make([]item, len(versions))
	for i, v := range versions {
		items[i] = item{size: s.h.versionSize(v)}
		for n, c := range s.caches {
			hit := what != edit && c.use(v)
			if n == 0 {
				items[i].hit = hit
			}
			if hit {
				s.found[n].count(what, 1)
			}
		}
	}
	s.asked.count(what, len(items))
	t := s.machine.sync(items)
	if what == morning {
		if who == 0 {
			s.days = append(s.days, nil)
		}
		today := &s.days[len(s.days)-1]
		*today = append(*today, t)
	}
	if s.sums[what] == nil {
		s.sums[what] = &sum{}
	}
	s.sums[what].addTransfer(t)
	return nil
}

func (f *found) count(what occasion, n int) {
	switch what {
	case morning, visit:
		f.shared += n
	case fromNone:
		f.empty += n
	}
}

func (u *sum) addTransfer(t transfer) {
	u.runs++
	u.looked += t.looked
	u.hits += t.hits
	u.cooked += t.cooked
	u.requests += t.requests
	u.bytes += t.bytes
	u.longest = max(u.longest, t.took)
}

func (s *simulation) build(_ int, versions []int32) error {
	sizes := make([]int64, len(versions))
	for i, v := range versions {
		sizes[i] = s.h.versionSize(v)
		for _, c := range s.caches {
			c.putVersion(v)
		}
	}
	t := s.machine.upload(sizes)
	s.given.looked += len(versions)
	s.given.requests += len(versions) + t.requests
	s.given.bytes += t.bytes
	return nil
}
