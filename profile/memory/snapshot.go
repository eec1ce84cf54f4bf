package memory

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// A Snapshot is the state of a tracker at one time, or the difference between two states. It
// belongs to the caller, and has a JSON form.
//
// Each number is exact. The numbers are read one after the other, so in a running program a sum may
// be off by concurrent changes.
type Snapshot struct {
	Groups []GroupRow `json:"groups"` // sorted by name
	Rows   []Row      `json:"rows"`   // sorted by the fields of Key; includes empty rows

	Held      int64 `json:"held"`      // bytes that the pools have obtained from the system
	Warm      int64 `json:"warm"`      // bytes in Held that are kept for reuse
	Untracked int64 `json:"untracked"` // number of allocations that are in no row, because Options.Live was too small
	Coarse    int64 `json:"coarse"`    // number of pushed scopes that were ignored, because Options.Scopes was too small

	Unprotected int64 `json:"unprotected,omitempty"` // number of slices without the protected pages of Options.Stomp
}

// A GroupRow holds the totals of a group, including its enclosed groups.
type GroupRow struct {
	Name     string `json:"name"`
	Bytes    int64  `json:"bytes"`    // bytes held now
	Count    int64  `json:"count"`    // number of slices and accounts
	Peak     int64  `json:"peak"`     // most bytes held at the same time
	Budget   int64  `json:"budget"`   // 0 without a budget
	Exceeded int64  `json:"exceeded"` // number of times that the bytes rose above the budget

	PeakCount int64 `json:"peak_count,omitempty"` // most slices and accounts at the same time, with Options.Totals

	Parents string `json:"parents,omitempty"` // names of the enclosing groups, innermost first, separated by " < "
	Refused int64  `json:"refused,omitempty"` // number of times that an enforced budget had no room
	Waited  int64  `json:"waited,omitempty"`  // number of times that an allocation waited for the budget
}

// A Key identifies a row.
type Key struct {
	Worker string `json:"worker"` // name of the worker; "" without a worker
	Group  string `json:"group"`
	Name   string `json:"name"`  // name of the pool; "" for Grow
	Scope  string `json:"scope"` // scopes, outermost first, separated by semicolons
}

// A Row is the memory of one worker from one pool under one stack of scopes.
type Row struct {
	Key
	Bytes int64 `json:"bytes"`
	Count int64 `json:"count"` // number of slices and accounts
	Peak  int64 `json:"peak"`  // most bytes held at the same time

	// Freed and Frees are the bytes and the number of slices and accounts that have left the row so
	// far: they were freed, moved to another row by Retag, or cut by Resize.
	Freed int64 `json:"freed,omitempty"`
	Frees int64 `json:"frees,omitempty"`
}

// Snapshot returns the current state. The snapshot of a nil tracker is empty.
func (t *Tracker) Snapshot() *Snapshot {
	if t == nil {
		return &Snapshot{}
	}
	// Both slices are append-only, so copying the headers suffices.
	t.mu.Lock()
	sites, groups := t.sites, t.groups
	t.mu.Unlock()

	s := &Snapshot{
		Rows:      make([]Row, 0, len(sites)),
		Held:      t.stock.held.Load(),
		Warm:      t.stock.warm.Load(),
		Untracked: t.stock.untracked.Load(),
		Coarse:    t.coarse.Load(),

		Unprotected: t.stock.source.unprotected.Load(),
	}
	for _, site := range sites {
		peak := site.held.peak.Load()
		row := Row{Bytes: site.held.bytes.Load(), Count: site.heldCount(), Peak: peak, Freed: site.freed.Load(), Frees: site.frees.Load()}
		if peak == unused {
			continue
		}
		row.Key = site.key()
		s.Rows = append(s.Rows, row)
	}
	s.Groups = groupRows(groups, sites)
	slices.SortFunc(s.Rows, func(a, b Row) int { return a.compare(b.Key) })
	return s
}

// Groups returns only the groups of a snapshot. It is faster than Snapshot, so it suits periodic
// sampling.
func (t *Tracker) Groups() []GroupRow {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	sites, groups := t.sites, t.groups
	t.mu.Unlock()
	return groupRows(groups, sites)
}

func groupRows(groups []*Group, sites []*site) []GroupRow {
	counts := map[*Group]int64{}
	for _, site := range sites {
		if count := site.heldCount(); count != 0 {
			counts[site.pool.group] += count
		}
	}
	all := map[*Group]int64{}
	for own, count := range counts {
		for g := own; g != nil; g = g.parent {
			all[g] += count
		}
	}
	rows := make([]GroupRow, 0, len(groups))
	for _, g := range groups {
		row := GroupRow{
			Name: g.name, Parents: g.chain(), Bytes: g.held.bytes.Load(), Count: all[g], Peak: g.held.peak.Load(),
			Exceeded: g.exceeded.Load(), Refused: g.refused.Load(), Waited: g.waited.Load(), PeakCount: g.counts.peak.Load(),
		}
		if g.budget != math.MaxInt64 {
			row.Budget = g.budget
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b GroupRow) int { return cmp.Compare(a.Name, b.Name) })
	return rows
}

func (k Key) compare(other Key) int {
	return cmp.Or(cmp.Compare(k.Worker, other.Worker), cmp.Compare(k.Group, other.Group),
		cmp.Compare(k.Name, other.Name), cmp.Compare(k.Scope, other.Scope))
}

// Sub returns the changes since an earlier snapshot. These are the rows and groups whose bytes or
// count differ, with the differences, which are negative if more was freed than allocated. Rows
// that only the earlier snapshot has, perhaps of another run, count as freed. Peaks and budgets
// come from s, because peaks cannot be subtracted.
func (s *Snapshot) Sub(earlier *Snapshot) *Snapshot {
	d := &Snapshot{
		Held:      s.Held - earlier.Held,
		Warm:      s.Warm - earlier.Warm,
		Untracked: s.Untracked - earlier.Untracked,
		Coarse:    s.Coarse - earlier.Coarse,

		Unprotected: s.Unprotected - earlier.Unprotected,
	}
	for _, pair := range s.GroupPairs(earlier) {
		g, was := pair[0], pair[1]
		g.Bytes, g.Count, g.Exceeded = g.Bytes-was.Bytes, g.Count-was.Count, g.Exceeded-was.Exceeded
		g.Refused, g.Waited = g.Refused-was.Refused, g.Waited-was.Waited
		if g.Bytes != 0 || g.Count != 0 || g.Exceeded != 0 || g.Refused != 0 || g.Waited != 0 {
			d.Groups = append(d.Groups, g)
		}
	}
	for _, p := range s.pairs(earlier) {
		r := p.Row
		r.Bytes, r.Count = r.Bytes-p.was.Bytes, r.Count-p.was.Count
		r.Freed, r.Frees = p.freed, p.frees
		if r.Bytes != 0 || r.Count != 0 {
			d.Rows = append(d.Rows, r)
		}
	}
	return d
}

// GroupPairs returns the groups of both snapshots, sorted by name. Each pair is the group's row in
// s, and its row in the earlier snapshot. A missing row is zero except for the name.
func (s *Snapshot) GroupPairs(earlier *Snapshot) [][2]GroupRow {
	pairs := map[string][2]GroupRow{}
	for _, g := range s.Groups {
		pairs[g.Name] = [2]GroupRow{g, {Name: g.Name, Parents: g.Parents}}
	}
	for _, was := range earlier.Groups {
		p, known := pairs[was.Name]
		if !known {
			p[0] = GroupRow{Name: was.Name, Parents: was.Parents}
		}
		p[1] = was
		pairs[was.Name] = p
	}
	return slices.SortedFunc(maps.Values(pairs), func(a, b [2]GroupRow) int { return cmp.Compare(a[0].Name, b[0].Name) })
}

// A pair holds a row, the bytes and count of the same row in an earlier snapshot, and the bytes and
// count that left the row since then.
type pair struct {
	Row
	was          Total
	freed, frees int64
}

// pairs returns the rows of both snapshots, sorted by key.
func (s *Snapshot) pairs(earlier *Snapshot) []pair {
	list := make([]pair, 0, len(s.Rows))
	was := earlier.Rows
	for _, r := range s.Rows {
		for len(was) > 0 && was[0].compare(r.Key) < 0 {
			list, was = append(list, was[0].gone()), was[1:]
		}
		p := pair{Row: r, freed: r.Freed, frees: r.Frees}
		if len(was) > 0 && was[0].Key == r.Key {
			p.was = Total{Bytes: was[0].Bytes, Count: was[0].Count}
			p.freed, p.frees = r.Freed-was[0].Freed, r.Frees-was[0].Frees
			was = was[1:]
		}
		list = append(list, p)
	}
	for _, r := range was {
		list = append(list, r.gone())
	}
	return list
}

// gone returns the pair of a row that exists only in the earlier snapshot.
func (r Row) gone() pair {
	return pair{Row: Row{Key: r.Key, Peak: r.Peak}, was: Total{Bytes: r.Bytes, Count: r.Count}}
}
