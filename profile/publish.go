package profile

import (
	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/memory"
)

// PublishMemory publishes the groups of the memory tracker as gauges. It adds a source to the
// probe's counters, which sets these gauges for each group:
//
//	memory/GROUP/bytes memory/GROUP/count memory/GROUP/peak memory/GROUP/budget
//
// The values come from [memory.GroupRow]. Groups without a budget have no budget gauge. The
// gauges memory/held and memory/warm describe the whole tracker. New groups are published from
// their first poll on. Close the source to stop. PublishMemory returns nil and publishes nothing
// unless the probe has both counters and a tracker.
//
// Polling takes a snapshot of the tracker, whose time grows with the number of rows. See
// [counters.Set.Source] for slow sources. A smoke run polls at every frame.
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

// groupGauges holds the gauges of one group. The gauge budget is nil for a group without a budget.
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
