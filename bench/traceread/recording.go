package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/events/export"
)

// A made recording is a synthetic recording of a cook, with the sums expected from it.
type made struct {
	events  []events.Event
	workers []string
	sums    sums
}

func (m *made) recording() export.Recording {
	return export.Recording{
		Process: "cook",
		Start:   time.Date(2026, 3, 14, 9, 26, 53, 589793238, time.UTC),
		Workers: func() []string { return m.workers },
		Events: func(yield func(events.Event, error) bool) {
			for _, e := range m.events {
				if !yield(e, nil) {
					return
				}
			}
		},
	}
}

// makeRecording makes a recording of assets cooked on 8 workers: three stages each, of 1 ns to
// 100 ms, with marks, counters, and an arrow from each 20th asset to its worker's next one.
func makeRecording(assets int) *made {
	m := &made{sums: newSums()}
	random := rand.New(rand.NewPCG(1, 2))
	byWorker := make([][]events.Event, 8)
	for worker := range byWorker {
		m.workers = append(m.workers, fmt.Sprintf("worker %d", worker))
	}
	clocks := make([]int64, len(byWorker))
	sources := make([]string, len(byWorker)) // by worker: the start of an arrow
	for i := range assets {
		worker := i % len(byWorker)
		row, now := m.workers[worker], &clocks[worker]
		tell := func(e events.Event) {
			e.Worker = worker
			byWorker[worker] = append(byWorker[worker], e)
		}
		scope := func(name, detail string, begin int64) {
			tell(events.Event{Kind: events.Scope, Name: name, Detail: detail, Time: begin, Dur: *now - begin})
			m.sums.addSlice(slice{row, name, cmp.Or(detail, name)}, 1, *now-begin)
		}
		value := func(kind events.Kind, name, shown string, v, after float64) {
			tell(events.Event{Kind: kind, Name: name, Time: *now, Values: []float64{v}})
			l := m.sums.levels[shown]
			m.sums.levels[shown] = level{l.count + 1, l.sum + after}
		}
		*now += random.Int64N(1000)
		begin, asset := *now, fmt.Sprintf("textures/größe %q %d.png", "x\\", i)
		if from := sources[worker]; from != "" {
			tell(events.Event{Kind: events.FlowIn, Name: "needs", Flow: uint64(i - len(byWorker)), Time: *now})
			m.sums.arrows[arrow{from, asset}]++
			sources[worker] = ""
			*now++ // at equal times it would belong to the first stage
		}
		for _, stage := range []string{"cook/read", "cook/encode", "cook/write"} {
			from := *now
			*now += random.Int64N(100_000_000) >> random.IntN(27)
			scope(stage, "", from)
		}
		if i%7 == 0 {
			tell(events.Event{Kind: events.Instant, Name: "cook/unchanged", Time: *now})
			m.sums.addSlice(slice{row, "cook/unchanged", "cook/cutoff"}, 1, 0)
		}
		if i%20 == 0 && i+len(byWorker) < assets {
			tell(events.Event{Kind: events.FlowOut, Name: "needs", Flow: uint64(i), Time: *now})
			sources[worker] = asset
		}
		value(events.Value, "queue", "queue", float64(assets-i), float64(assets-i))
		if worker == 0 { // a sum over workers would depend on the order
			value(events.Alloc, "pixels", "pixels bytes", 4096, 4096)
			*now++
			value(events.Free, "pixels", "pixels bytes", 4096, 0)
		}
		scope("cook/asset", asset, begin)
		*now++
	}
	for _, list := range byWorker {
		m.events = slices.Concat(m.events, list)
	}
	return m
}
