package memory

import (
	"cmp"
	"math"
	"slices"
)

// A Snapshot is what a tracker knew at one time, or the difference of two such. It
// is the caller's own, and has a JSON form.
//
// Each number is exact. Those of a program that runs meanwhile are read one after
// the other, not at one instant, so a sum may be off by what came and went.
type Snapshot struct {
	Groups []GroupRow `json:"groups"` // by name
	Rows   []Row      `json:"rows"`   // by Key, whose fields count in their order; also what holds nothing any more

	Held      int64 `json:"held"`      // bytes that the pools have from the system
	Warm      int64 `json:"warm"`      // of these, what was given back and is kept for reuse
	Untracked int64 `json:"untracked"` // allocations that are in no row, as Options.Live was too small
	Coarse    int64 `json:"coarse"`    // pushes that stayed in the outer scope, as Options.Scopes was too small

	Unprotected int64 `json:"unprotected,omitempty"` // slices that Options.Stomp had no pages for
}

// A GroupRow is a group as a whole.
type GroupRow struct {
	Name     string `json:"name"`
	Bytes    int64  `json:"bytes"`    // with those of the groups below, as all that follows
	Count    int64  `json:"count"`    // of slices and accounts
	Peak     int64  `json:"peak"`     // the most bytes at once, ever
	Budget   int64  `json:"budget"`   // 0: none
	Exceeded int64  `json:"exceeded"` // how often the bytes rose above the budget

	PeakCount int64 `json:"peak_count,omitempty"` // the most slices and accounts at once, ever, with Options.Totals

	Parents string `json:"parents,omitempty"` // groups that hold this one, the nearest first, " < " between
	Refused int64  `json:"refused,omitempty"` // how often an enforced budget had no room
	Waited  int64  `json:"waited,omitempty"`  // how often an allocation waited for it
}

// A Key identifies a row.
type Key struct {
	Worker string `json:"worker"` // "" if none was given
	Group  string `json:"group"`
	Name   string `json:"name"`  // of the pool; "" for what Grow entered
	Scope  string `json:"scope"` // outermost first, semicolons between
}

// A Row is what one worker allocated from one pool under one stack of scopes.
type Row struct {
	Key
	Bytes int64 `json:"bytes"`
	Count int64 `json:"count"` // of slices and accounts
	Peak  int64 `json:"peak"`  // the most bytes at once, ever
}

// Snapshot returns what is held now. A nil tracker holds nothing.
func (t *Tracker) Snapshot() *Snapshot {
	if t == nil {
		return &Snapshot{}
	}
	// What is in these two only grows, so a copy of the headers will do.
	t.mu.Lock()
	sites, groups := t.sites, t.groups
	t.mu.Unlock()

	s := &Snapshot{
		Groups:    make([]GroupRow, 0, len(groups)),
		Rows:      make([]Row, 0, len(sites)),
		Held:      t.stock.held.Load(),
		Warm:      t.stock.warm.Load(),
		Untracked: t.stock.untracked.Load(),
		Coarse:    t.coarse.Load(),

		Unprotected: t.stock.source.unprotected.Load(),
	}
	counts := map[*Group]int64{}
	for _, site := range sites {
		peak := site.held.peak.Load()
		row := Row{Bytes: site.held.bytes.Load(), Count: site.count.Load(), Peak: peak}
		if peak == unused {
			continue
		}
		row.Key = site.key()
		s.Rows = append(s.Rows, row)
		for g := site.pool.group; g != nil; g = g.parent {
			counts[g] += row.Count
		}
	}
	for _, g := range groups {
		row := GroupRow{
			Name: g.name, Parents: g.chain(), Bytes: g.held.bytes.Load(), Count: counts[g], Peak: g.held.peak.Load(),
			Exceeded: g.exceeded.Load(), Refused: g.refused.Load(), Waited: g.waited.Load(), PeakCount: g.counts.peak.Load(),
		}
		if g.budget != math.MaxInt64 {
			row.Budget = g.budget
		}
		s.Groups = append(s.Groups, row)
	}
	slices.SortFunc(s.Groups, func(a, b GroupRow) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(s.Rows, func(a, b Row) int { return a.compare(b.Key) })
	return s
}

func (k Key) compare(other Key) int {
	return cmp.Or(cmp.Compare(k.Worker, other.Worker), cmp.Compare(k.Group, other.Group),
		cmp.Compare(k.Name, other.Name), cmp.Compare(k.Scope, other.Scope))
}

// Sub returns what has changed since an earlier snapshot of the same tracker: the
// rows and groups whose bytes or count differ, with the differences, which are
// negative where more was given back than allocated. Peaks and budgets are those of
// s, as a peak has no difference.
func (s *Snapshot) Sub(earlier *Snapshot) *Snapshot {
	d := &Snapshot{
		Held:      s.Held - earlier.Held,
		Warm:      s.Warm - earlier.Warm,
		Untracked: s.Untracked - earlier.Untracked,
		Coarse:    s.Coarse - earlier.Coarse,

		Unprotected: s.Unprotected - earlier.Unprotected,
	}
	groups := map[string]GroupRow{}
	for _, g := range earlier.Groups {
		groups[g.Name] = g
	}
	for _, g := range s.Groups {
		before := groups[g.Name]
		g.Bytes, g.Count, g.Exceeded = g.Bytes-before.Bytes, g.Count-before.Count, g.Exceeded-before.Exceeded
		g.Refused, g.Waited = g.Refused-before.Refused, g.Waited-before.Waited
		if g.Bytes != 0 || g.Count != 0 || g.Exceeded != 0 || g.Refused != 0 || g.Waited != 0 {
			d.Groups = append(d.Groups, g)
		}
	}
	rows := map[Key]Row{}
	for _, r := range earlier.Rows {
		rows[r.Key] = r
	}
	for _, r := range s.Rows {
		before := rows[r.Key]
		r.Bytes, r.Count = r.Bytes-before.Bytes, r.Count-before.Count
		if r.Bytes != 0 || r.Count != 0 {
			d.Rows = append(d.Rows, r)
		}
	}
	return d
}
