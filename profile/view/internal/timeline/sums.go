package timeline

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/internal/stat"
)

// A Query selects all scopes that overlap the time from From to To.
type Query struct {
	From, To     int64
	Row          int    // number of the row; -1 for all rows
	Name, Detail string // name and detail of the scopes; "" for any
	Within       bool   // true to select only scopes entirely inside the time window
}

// Sums summarizes scopes. Each scope counts entirely, even if it extends beyond the window.
type Sums struct {
	Names     []stat.Scope `json:"names"`   // names sorted by own time, longest first
	Slowest   []Slow       `json:"slowest"` // the slowest scopes, longest first
	Histogram []stat.Bar   `json:"histogram"`
}

// A Slow describes one scope.
type Slow struct {
	Name   string `json:"name"`
	Detail string `json:"detail"`
	Row    int    `json:"row"`
	Start  int64  `json:"start"`
	Dur    int64  `json:"dur"`
}

const (
	mostNames   = 1 << 11 // maximum number of names that are summed separately
	mostSlowest = 20
	others      = "(others)"
)

// Sums returns the summary of the selected scopes.
func (r *Recording) Sums(ctx context.Context, q Query) (*Sums, error) {
	release, err := r.use(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	q.From, q.To = clampWindow(q.From, q.To)
	names := r.tape.State().Names
	var mu sync.Mutex
	all := &adder{names: map[uint32]*sum{}}
	err = cores().Each(ctx, len(r.rows), func(i int) error {
		if q.Row >= 0 && q.Row != i {
			return nil
		}
		a := &adder{query: q, row: i, table: names, names: map[uint32]*sum{}}
		a.addRowBlocks(ctx, r.tape, r.rows[i].blocks)
		mu.Lock()
		defer mu.Unlock()
		all.merge(a)
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	return all.sums(names), nil
}

type sum struct {
	stat.Scope
	times stat.Histogram
}

// An adder sums the scopes of a row.
type adder struct {
	query   Query
	row     int
	table   []string
	names   map[uint32]*sum
	more    *sum // sum over the names that do not fit
	slowest []slow
	times   stat.Histogram
	around  []frame // scopes that may enclose the next record, outermost first
}

type slow struct {
	start, dur   int64
	name, detail uint32
	row          int
}

// A frame is a scope whose inner scopes have not all been visited.
type frame struct {
	start, dur, inner int64
	name, detail      uint32
}

// addRowBlocks sums the scopes of the blocks of a row.
func (a *adder) addRowBlocks(ctx context.Context, tape *events.Tape, blocks []block) {
	visitBackward(ctx, tape, blocks, a.query.From, a.query.To, blockVisitor{a.sumRecords, a.sumLong, a.sumCell})
	a.leave(-1 << 63)
}

// A blockVisitor gets the scopes of a row in reverse order of their ends.
type blockVisitor struct {
	records func([]events.Record) // gets the records of a block in the window, in order
	long    func(*long)           // gets the long scopes of other blocks
	cell    func(*cell)           // gets the cells of other blocks; nil to skip them
}

// visitBackward visits the blocks of a row from the last to the first. It reads only the blocks in
// the window.
func visitBackward(ctx context.Context, tape *events.Tape, blocks []block, from, to int64, v blockVisitor) {
	var records []events.Record
	for k := len(blocks) - 1; k >= 0 && ctx.Err() == nil; k-- {
		b := &blocks[k]
		if b.before <= to && b.end >= from {
			records, _ = tape.Read(&b.Block, records[:0])
			v.records(records)
			continue
		}
		next := len(b.longs) - 1
		visitLongs := func(after int64) {
			for ; next >= 0 && int64(b.longs[next].pos) > after; next-- {
				v.long(&b.longs[next])
			}
		}
		if v.cell != nil {
			for i := range b.cells {
				visitLongs(int64(b.cells[i].pos))
				v.cell(&b.cells[i])
			}
		}
		visitLongs(-1)
	}
}

func (a *adder) sumRecords(records []events.Record) {
	for i := len(records) - 1; i >= 0; i-- {
		if r := &records[i]; r.Kind == events.Scope {
			a.enter(frame{start: r.Start, dur: r.Dur, name: uint32(r.Name), detail: uint32(r.Detail)})
		}
	}
}

func (a *adder) sumLong(l *long) {
	a.enter(frame{start: l.start, dur: l.dur, name: l.name, detail: l.detail})
}

func (a *adder) sumCell(c *cell) {
	if c.level == 1 {
		a.leave(c.start)
		if n := len(a.around); n > 0 {
			a.around[n-1].inner += c.took
		}
	}
}

// leave sums and removes the current scopes that begin after start, because they cannot enclose a
// scope that begins at start.
func (a *adder) leave(start int64) {
	for n := len(a.around); n > 0 && a.around[n-1].start > start; n-- {
		a.sum(&a.around[n-1])
		a.around = a.around[:n-1]
	}
}

// enter adds a scope. Scopes come in reverse order of their ends.
func (a *adder) enter(f frame) {
	a.leave(f.start)
	if n := len(a.around); n > 0 {
		a.around[n-1].inner += f.dur
	}
	a.around = append(a.around, f)
}

func (a *adder) sum(f *frame) {
	q := &a.query
	end := f.start + f.dur
	if f.start > q.To || end < q.From || q.Within && (f.start < q.From || end > q.To) || q.Name != "" && q.Name != a.table[f.name] ||
		q.Detail != "" && q.Detail != a.table[f.detail] {
		return
	}
	a.times.Add(f.dur)
	a.slow(slow{f.start, f.dur, f.name, f.detail, a.row})
	s := a.room(f.name)
	self := max(f.dur-f.inner, 0)
	if s.Count == 0 || f.dur < s.Min {
		s.Min = f.dur
	}
	s.Count, s.Total, s.Self, s.Max = s.Count+1, s.Total+f.dur, s.Self+self, max(s.Max, f.dur)
	s.times.Add(f.dur)
}

func (a *adder) room(name uint32) *sum {
	s := a.names[name]
	if s == nil && len(a.names) >= mostNames {
		if a.more == nil {
			a.more = new(sum)
		}
		return a.more
	}
	if s == nil {
		s = new(sum)
		a.names[name] = s
	}
	return s
}

// slow keeps a scope in the list of the slowest if it is one of them so far.
func (a *adder) slow(s slow) {
	n := len(a.slowest)
	if n == mostSlowest && a.slowest[n-1].dur >= s.dur {
		return
	}
	at, _ := slices.BinarySearchFunc(a.slowest, s, func(a, b slow) int {
		return cmp.Or(cmp.Compare(b.dur, a.dur), cmp.Compare(a.start, b.start), cmp.Compare(a.row, b.row))
	})
	a.slowest = slices.Insert(a.slowest, at, s)
	a.slowest = a.slowest[:min(len(a.slowest), mostSlowest)]
}

func (a *adder) merge(other *adder) {
	for name, s := range other.names {
		a.room(name).merge(s)
	}
	if other.more != nil {
		if a.more == nil {
			a.more = new(sum)
		}
		a.more.merge(other.more)
	}
	for _, s := range other.slowest {
		a.slow(s)
	}
	a.times.Merge(&other.times)
}

func (s *sum) merge(other *sum) {
	if s.Count == 0 || other.Min < s.Min {
		s.Min = other.Min
	}
	s.Count, s.Total, s.Self = s.Count+other.Count, s.Total+other.Total, s.Self+other.Self
	s.Max = max(s.Max, other.Max)
	s.times.Merge(&other.times)
}

func (a *adder) sums(names []string) *Sums {
	answer := &Sums{Names: []stat.Scope{}, Slowest: []Slow{}, Histogram: a.times.Bars()}
	finish := func(name string, s *sum) {
		s.Name, s.Mean = shown(name), s.Total/max(s.Count, 1)
		quantile := func(part float64) int64 {
			return min(max(s.times.Quantile(part, s.Count), s.Min), s.Max)
		}
		s.P50, s.P95, s.P99 = quantile(0.5), quantile(0.95), quantile(0.99)
		answer.Names = append(answer.Names, s.Scope)
	}
	for name, s := range a.names {
		finish(names[name], s)
	}
	if a.more != nil {
		finish(others, a.more)
	}
	slices.SortFunc(answer.Names, func(a, b stat.Scope) int {
		return cmp.Or(cmp.Compare(b.Self, a.Self), cmp.Compare(a.Name, b.Name))
	})
	for _, s := range a.slowest {
		answer.Slowest = append(answer.Slowest, Slow{shown(names[s.name]), shown(names[s.detail]), s.row, s.start, s.dur})
	}
	return answer
}
