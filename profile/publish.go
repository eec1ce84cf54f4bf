package profile

import (
	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/memory"
)

// PublishMemory makes a source of the probe's counters that sets, for each group of its
// memory tracker, the gauges
//
//	memory/GROUP/bytes memory/GROUP/count memory/GROUP/peak memory/GROUP/budget
//
// as [memory.GroupRow] has them, the last only for a group that has a budget, and for the
// whole tracker memory/held and memory/warm. Groups that come later are published as soon
// as they are there. Close the source to end this. It is nil, and nothing is published,
// unless the probe has both.
//
// Polling takes a snapshot of the tracker, whose time grows with the number of its rows;
// see [counters.Set.Source] for what happens if that is long. A smoke run polls always.
func (p Probe) PublishMemory() *counters.Source {
	if p.Counters == nil || p.Memory == nil {
		return nil
	}
	held, warm := p.Counters.Gauge("memory/held"), p.Counters.Gauge("memory/warm")
	groups := map[string]*groupGauges{}
	return p.Counters.Source(func() {
		snap := p.Memory.Snapshot()
		held.Set(float64(snap.Held))
		warm.Set(float64(snap.Warm))
		for _, row := range snap.Groups {
			g := groups[row.Name]
			if g == nil {
				g = newGroupGauges(p.Counters, row)
				groups[row.Name] = g
			}
			g.set(row)
		}
	})
}

// groupGauges are those of one group; budget is nil if it has none.
type groupGauges struct{ bytes, count, peak, budget *counters.Gauge }

func newGroupGauges(set *counters.Set, row memory.GroupRow) *groupGauges {
	stem := "memory/" + row.Name
	g := &groupGauges{bytes: set.Gauge(stem + "/bytes"), count: set.Gauge(stem + "/count"), peak: set.Gauge(stem + "/peak")}
	if row.Budget != 0 {
		g.budget = set.Gauge(stem + "/budget")
	}
	return g
}

func (g *groupGauges) set(row memory.GroupRow) {
	g.bytes.Set(float64(row.Bytes))
	g.count.Set(float64(row.Count))
	g.peak.Set(float64(row.Peak))
	g.budget.Set(float64(row.Budget))
}
