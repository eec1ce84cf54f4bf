package memory

import (
	"cmp"
	"slices"
)

// Usage describes the use of a tracker's memory, and the cost of tracking it. It has a JSON form.
type Usage struct {
	Total
	Held     int64 `json:"held"`     // bytes obtained from the system: slices, Rounding and Warm
	Rounding int64 `json:"rounding"` // bytes in Held that exceed the requests (internal fragmentation)
	Warm     int64 `json:"warm"`     // bytes in Held that are kept for reuse (external fragmentation)
	Tables   int64 `json:"tables"`   // approximate number of bytes that the tracker itself takes

	Pools []PoolRow `json:"pools"` // pools that have been used, sorted by bytes, most first, then by group and name
	Sizes []SizeRow `json:"sizes"` // capacities of slices, smallest first
}

// Total is an amount of memory in slices and accounts. Without Options.Totals the peaks are 0.
type Total struct {
	Bytes     int64 `json:"bytes"`
	Count     int64 `json:"count"`
	Peak      int64 `json:"peak,omitempty"`       // most bytes held at the same time
	PeakCount int64 `json:"peak_count,omitempty"` // most slices and accounts held at the same time
}

// A PoolRow holds the totals of a pool.
type PoolRow struct {
	Group    string   `json:"group"`
	Name     string   `json:"name"` // name of the pool; "" for Grow
	Type     string   `json:"type,omitempty"`
	Lifetime Lifetime `json:"lifetime,omitempty"`
	Total
	Rounding int64 `json:"rounding"` // bytes of the pool's slices beyond the requests
}

// A SizeRow counts the slices of one capacity. If many are kept and few are in use, and the program
// no longer requests this size, call Trim.
type SizeRow struct {
	Capacity int64 `json:"capacity"`
	Live     int64 `json:"live"` // number of slices in use
	Kept     int64 `json:"kept"` // number of slices kept for reuse
}

// A tally holds the current bytes and count, and the peaks of both.
type tally struct{ bytes, count meter }

func (t *tally) add(n, count int64) {
	t.bytes.addHeld(n)
	t.count.addHeld(count)
}

func (t *tally) total() Total {
	return Total{t.bytes.bytes.Load(), t.count.bytes.Load(), t.bytes.peak.Load(), t.count.peak.Load()}
}

// tallyUp adds bytes and a count to the totals of the pool and the tracker. It also adds the count
// to the pool's group and the enclosing groups.
func (p *Pool) tallyUp(n, count int64) {
	p.tally.add(n, count)
	p.group.tallyCount(count, nil)
	p.group.tracker.tally.add(n, count)
}

// tallyCount adds a count to the group and its enclosing groups, stopping before end.
func (g *Group) tallyCount(count int64, end *Group) {
	for a := g; a != end; a = a.parent {
		a.counts.addHeld(count)
	}
}

// Usage returns the current use, as accurate as [Snapshot] describes. The usage of a nil tracker is
// zero.
func (t *Tracker) Usage() *Usage {
	if t == nil {
		return &Usage{}
	}
	t.mu.Lock()
	sites := t.sites
	t.mu.Unlock()

	u := &Usage{Held: t.stock.held.Load(), Warm: t.stock.warm.Load()}
	const perSite = 64 + 64 // includes the site's entry in the pool's map
	u.Tables = t.stock.footprint() + int64(t.stacks.Footprint()) + t.callers.footprint() + int64(len(sites))*perSite

	rows := map[*Pool]*PoolRow{}
	for _, s := range sites {
		if s.held.peak.Load() == unused {
			continue
		}
		p := s.pool
		row := rows[p]
		if row == nil {
			row = &PoolRow{Group: p.group.name, Name: p.name, Type: p.options.Type, Lifetime: p.options.Lifetime}
			rows[p] = row
		}
		row.Bytes += s.held.bytes.Load()
		row.Count += s.heldCount()
	}
	u.Sizes = t.addRounding(rows)
	for p, row := range rows {
		if p.tally != nil {
			row.Total = p.tally.total()
		}
		u.Bytes += row.Bytes
		u.Count += row.Count
		u.Rounding += row.Rounding
		u.Pools = append(u.Pools, *row)
	}
	if t.tally != nil {
		u.Total = t.tally.total()
	}
	slices.SortFunc(u.Pools, func(a, b PoolRow) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Name, b.Name))
	})
	return u
}

// addRounding sums the rounding of all slices by pool. It returns the number of slices of each
// capacity.
func (t *Tracker) addRounding(rows map[*Pool]*PoolRow) []SizeRow {
	sizes := map[int]*SizeRow{}
	for b := range t.stock.all() {
		size := sizes[b.capacity]
		if size == nil {
			size = &SizeRow{Capacity: int64(b.capacity)}
			sizes[b.capacity] = size
		}
		if !b.state.CompareAndSwap(live, listed) {
			size.Kept++
			continue
		}
		size.Live++
		if row := rows[b.owner.Load().pool]; row != nil {
			row.Rounding += int64(b.capacity - b.size)
		}
		b.state.Store(live)
	}
	list := make([]SizeRow, 0, len(sizes))
	for _, s := range sizes {
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b SizeRow) int { return cmp.Compare(a.Capacity, b.Capacity) })
	return list
}
