package timeline

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/assetcook/assetcook/profile/events"
)

// Found is the result of a search for scopes and instants whose name or detail contains a text.
type Found struct {
	Count int64   `json:"count"`
	Names []Count `json:"names"` // names with the most hits, most first
	Hit   *Hit    `json:"hit"`   // the next hit; nil (null in JSON) if there is none
}

// A Count is the number of hits with one name.
type Count struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

// A Hit is a scope or an instant that a search has found.
type Hit struct {
	Row    int    `json:"row"`
	Start  int64  `json:"start"`
	Dur    int64  `json:"dur"`
	Name   string `json:"name"`
	Detail string `json:"detail"`
	Depth  int    `json:"depth"`
}

const (
	mostText   = 1 << 10
	mostCounts = 100
)

// A search caches the hits of the latest search, so that stepping from hit to hit is fast.
type search struct {
	text    string
	upTo    int64 // number of the block that follows the last searched block
	from    int64 // number of the first searched block
	matches []bool
	counts  map[int64]int // number of hits in each block that has hits
	total   int64
	names   []Count
}

// Find searches for a text, ignoring case. It returns the first hit that begins after the given
// time. With backwards, it returns the last hit that begins before that time.
func (r *Recording) Find(ctx context.Context, text string, at int64, backwards bool) (*Found, error) {
	release, err := r.use(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	text = strings.ToLower(text[:min(len(text), mostText)])
	if text == "" {
		return &Found{Names: []Count{}}, nil
	}
	s, err := r.searched(ctx, text)
	if err != nil {
		return nil, err
	}
	found := &Found{Count: s.total, Names: s.names}
	var hit *events.Record
	for i := range r.rows {
		if h := r.nextOn(ctx, i, s, at, backwards); h != nil &&
			(hit == nil || !backwards && h.Start < hit.Start || backwards && h.Start > hit.Start) {
			hit = h
		}
	}
	if hit != nil && ctx.Err() == nil {
		names := r.tape.State().Names
		found.Hit = &Hit{int(hit.Row), hit.Start, hit.Dur, shown(names[hit.Name]), shown(names[hit.Detail]), r.depthOf(ctx, hit)}
	}
	return found, ctx.Err()
}

// searched counts the hits, or returns the cached search.
func (r *Recording) searched(ctx context.Context, text string) (*search, error) {
	from := int64(0)
	if blocks := r.tape.State().Blocks; len(blocks) > 0 {
		from = blocks[0].Number
	}
	if s := r.latest.search.Load(); s != nil && s.text == text && s.upTo == r.next && s.from == from {
		return s, nil
	}
	table := r.tape.State().Names
	s := &search{text: text, upTo: r.next, from: from, matches: make([]bool, len(table)), counts: map[int64]int{}}
	for i, name := range table {
		s.matches[i] = strings.Contains(strings.ToLower(name), text)
	}
	var tasks []*block
	for _, row := range r.rows {
		for i := range row.blocks {
			tasks = append(tasks, &row.blocks[i])
		}
	}
	var mu sync.Mutex
	byName := map[events.Symbol]int64{}
	err := cores().Each(ctx, len(tasks), func(i int) error {
		sc := scratches.Get().(*scratch)
		defer scratches.Put(sc)
		sc.records, _ = r.tape.Read(&tasks[i].Block, sc.records[:0])
		n, here := 0, map[events.Symbol]int64{}
		for k := range sc.records {
			if rec := &sc.records[k]; s.hits(rec) {
				n++
				here[rec.Name]++
			}
		}
		if n == 0 {
			return ctx.Err()
		}
		mu.Lock()
		defer mu.Unlock()
		s.counts[tasks[i].Number] = n
		s.total += int64(n)
		for name, count := range here {
			byName[name] += count
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	s.names = []Count{}
	for name, count := range byName {
		s.names = append(s.names, Count{shown(table[name]), count})
	}
	slices.SortFunc(s.names, func(a, b Count) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name)) })
	s.names = slices.Clip(s.names[:min(len(s.names), mostCounts)])
	r.latest.search.Store(s)
	return s, nil
}

func (s *search) hits(r *events.Record) bool {
	return (r.Kind == events.Scope || r.Kind == events.Instant) && (s.matches[r.Name] || s.matches[r.Detail])
}

// nextOn returns the next hit on a row. It checks all long scopes one by one. Among short scopes,
// the next hit is in the first block with a hit.
func (r *Recording) nextOn(ctx context.Context, row int, s *search, at int64, backwards bool) (hit *events.Record) {
	better := func(start int64) bool {
		if backwards {
			return start < at && (hit == nil || start > hit.Start)
		}
		return start > at && (hit == nil || start < hit.Start)
	}
	blocks := r.rows[row].blocks
	for k := range blocks {
		for _, l := range blocks[k].longs {
			if better(l.start) && (s.matches[l.name] || s.matches[l.detail]) {
				hit = &events.Record{Kind: events.Scope, Row: int32(row), Name: events.Symbol(l.name), Detail: events.Symbol(l.detail),
					Start: l.start, Dur: l.dur}
			}
		}
	}
	sc := scratches.Get().(*scratch)
	defer scratches.Put(sc)
	for i := range blocks {
		b := &blocks[i]
		if backwards {
			b = &blocks[len(blocks)-1-i]
		}
		if s.counts[b.Number] == 0 || !backwards && b.end <= at || backwards && b.before >= at {
			continue
		}
		if hit != nil && (!backwards && b.before > hit.Start || backwards && b.end < hit.Start) || ctx.Err() != nil {
			break // The hit precedes all scopes of this block.
		}
		sc.records, _ = r.tape.Read(&b.Block, sc.records[:0])
		for k := range sc.records {
			if rec := &sc.records[k]; s.hits(rec) && better(rec.Start) {
				found := *rec
				hit = &found
			}
		}
	}
	return hit
}

// depthOf returns the number of scopes that enclose a scope or an instant.
func (r *Recording) depthOf(ctx context.Context, hit *events.Record) int {
	sc := scratches.Get().(*scratch)
	defer scratches.Put(sc)
	around := 0
	for _, c := range r.window(ctx, sc, int(hit.Row), hit.Start, hit.Start, 1, openOn(r.open, int(hit.Row))) {
		switch {
		case c.level == 0:
		case hit.Kind == events.Instant:
			around = max(around, int(c.level))
		case c.start == hit.Start && c.end == hit.Start+hit.Dur && c.name == uint32(hit.Name) && c.detail == uint32(hit.Detail):
			return int(c.level) - 1
		}
	}
	return around
}
