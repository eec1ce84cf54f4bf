package export

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/assetcook/assetcook/profile/events"
)

// A timeline is a recording in memory, in the order in which it is written. Names
// are places in a list, where 0 is the empty one.
type timeline struct {
	process string
	start   time.Time // wall clock of time 0, if known
	names   []string
	rows    []*row
	tracks  []track
	levels  []level // in order of time
	dropped int64
}

// A row is what one worker did. Its spans nest, and stand in order of their begin,
// outer ones first.
type row struct {
	name  string
	spans []span
	out   map[int][]arrow // by the span that they leave
	in    map[int][]arrow // by the span in which they arrive
}

// A span is a scope, or a mark of no duration: every other kind.
type span struct {
	begin, end   int64  // nanoseconds
	what         uint64 // User: how many bytes; flows: which one
	name, detail uint32
	order        uint32 // place among the events of its worker
	kind         events.Kind
}

// title is what the span is called.
func (s *span) title() uint32 {
	if s.detail != 0 {
		return s.detail
	}
	return s.name
}

// An arrow is one end of a flow from one span to another.
type arrow struct {
	id   uint64 // from 1, another one for each pair of spans
	name uint32
	time int64 // when it is at this end: not before it left, and within the span
}

// A track is the quantity that a counter shows.
type track struct {
	name  string
	bytes bool
}

// A level is what a track was at from some time on.
type level struct {
	time  int64
	value float64
	track uint32
}

// farthest keeps sums and differences of times far from overflow: 36 years.
const farthest = 1 << 60

// gather reads a whole recording. The error is that of its events: the timeline then
// holds those before it.
func gather(rec Recording) (*timeline, error) {
	g := gatherer{
		timeline: timeline{start: rec.Start, names: []string{""}},
		known:    map[string]uint32{"": 0},
		byWorker: map[int]*row{},
		tracked:  map[quantity]uint32{},
		flows:    map[uint64]flowSides{},
	}
	var failed error
	for e, err := range rec.Events {
		if err != nil {
			failed = fmt.Errorf("export: the recording ends early: %w", err)
			break
		}
		g.gatherEvent(&e)
	}
	var workers []string
	if rec.Workers != nil {
		workers = rec.Workers()
	}
	if rec.Dropped != nil {
		g.dropped = rec.Dropped()
	}
	if rec.Open != nil {
		g.addOpen(rec.Open())
	}
	if rec.Started != nil && g.start.IsZero() {
		g.start = rec.Started()
	}
	g.process = legible(cmp.Or(rec.Process, "recording"))
	g.sortGathered(workers)
	return &g.timeline, failed
}

// A gatherer builds a timeline.
type gatherer struct {
	timeline
	known    map[string]uint32 // raw names and their places
	byWorker map[int]*row
	tracked  map[quantity]uint32
	flows    map[uint64]flowSides
}

// A quantity is what makes a counter another one.
type quantity struct {
	kind events.Kind // Value, Vector or Alloc
	name uint32
	part int // Vector: which number
}

// flowSides says which sides of a flow were seen.
type flowSides struct{ out, in bool }

func (g *gatherer) gatherEvent(e *events.Event) {
	at := min(max(e.Time, -farthest), farthest)
	name := g.name(e.Name)
	switch {
	case name != 0:
	case e.Kind == events.FlowOut, e.Kind == events.FlowIn:
		name = g.name("flow")
	default:
		name = g.name("(unnamed)")
	}
	s := span{begin: at, end: at, name: name, detail: g.name(e.Detail), kind: e.Kind}
	switch e.Kind {
	case events.Scope:
		s.end += min(max(e.Dur, 0), farthest)
	case events.Instant:
	case events.User:
		s.what = uint64(len(e.Data))
	case events.FlowOut, events.FlowIn:
		s.what = e.Flow
		sides := g.flows[e.Flow]
		sides.out = sides.out || e.Kind == events.FlowOut
		sides.in = sides.in || e.Kind == events.FlowIn
		g.flows[e.Flow] = sides
	default:
		g.measure(e, at, name)
		return
	}
	r := g.byWorker[e.Worker]
	if r == nil {
		r = &row{}
		g.byWorker[e.Worker] = r
	}
	s.order = uint32(len(r.spans))
	r.spans = append(r.spans, s)
}

// addOpen adds scopes that have not ended as if they did where the recording ends.
// Their order is that in which they would: those further in first.
func (g *gatherer) addOpen(open []events.Event) {
	last := g.last()
	for _, e := range open {
		last = max(last, min(e.Time, farthest)+min(max(e.Dur, 0), farthest))
	}
	for _, e := range slices.Backward(open) {
		e.Kind, e.Dur = events.Scope, last-max(min(e.Time, farthest), -farthest)
		e.Detail = cmp.Or(e.Detail, e.Name) + StillOpen
		g.gatherEvent(&e)
	}
}

// StillOpen is what is added to the detail of a scope that has not ended.
const StillOpen = " (still open)"

// measure adds what an event says of counters. Alloc and Free stand as differences
// until finish sums them.
func (g *gatherer) measure(e *events.Event, at int64, name uint32) {
	values := e.Values
	switch e.Kind {
	case events.Value, events.Alloc, events.Free:
		values = values[:min(len(values), 1)]
	case events.Vector:
	default:
		return // of a kind that is not known here
	}
	for i, v := range values {
		q := quantity{e.Kind, name, i}
		if e.Kind == events.Free {
			q.kind, v = events.Alloc, -v
		}
		g.levels = append(g.levels, level{at, v, g.track(q)})
	}
}

// track returns the place of the counter for a quantity.
func (g *gatherer) track(q quantity) uint32 {
	place, ok := g.tracked[q]
	if !ok {
		tr := track{name: g.names[q.name]}
		switch q.kind {
		case events.Vector:
			tr.name = fmt.Sprintf("%s[%d]", tr.name, q.part)
		case events.Alloc:
			tr = track{name: tr.name + " bytes", bytes: true}
		}
		place = uint32(len(g.tracks))
		g.tracks = append(g.tracks, tr)
		g.tracked[q] = place
	}
	return place
}

// name returns the place of a name.
func (g *gatherer) name(raw string) uint32 {
	place, ok := g.known[raw]
	if !ok {
		place = uint32(len(g.names))
		g.names = append(g.names, legible(raw))
		g.known[raw] = place
	}
	return place
}

// sortGathered sorts the gathered events.
func (g *gatherer) sortGathered(workers []string) {
	for i := range workers {
		if g.byWorker[i] == nil {
			g.byWorker[i] = &row{}
		}
	}
	for _, worker := range slices.Sorted(maps.Keys(g.byWorker)) {
		r := g.byWorker[worker]
		if worker >= 0 && worker < len(workers) {
			r.name = legible(workers[worker])
		}
		if r.name == "" {
			r.name = fmt.Sprintf("worker %d", worker)
		}
		g.rows = append(g.rows, r)
	}
	g.beginAtZero()
	slices.SortStableFunc(g.levels, func(a, b level) int { return cmp.Compare(a.time, b.time) })
	sums := make([]float64, len(g.tracks))
	for i, l := range g.levels {
		if g.tracks[l.track].bytes {
			sums[l.track] += l.value
			g.levels[i].value = sums[l.track]
		}
	}
	if g.dropped > 0 {
		lost := uint32(len(g.tracks))
		g.tracks = append(g.tracks, track{name: "dropped events"})
		g.levels = slices.Insert(g.levels, 0, level{0, float64(g.dropped), lost})
	}
	var ends []flowEnd
	for _, r := range g.rows {
		ends = append(ends, r.nest(g.flows)...)
	}
	connect(ends)
}

// last is the time of the last thing that has been added.
func (g *gatherer) last() int64 {
	last := int64(0)
	for _, r := range g.byWorker {
		for _, s := range r.spans {
			last = max(last, s.end)
		}
	}
	for _, l := range g.levels {
		last = max(last, l.time)
	}
	return last
}

// beginAtZero moves all times if some are negative, which not every format can say.
func (g *gatherer) beginAtZero() {
	var first int64
	for _, r := range g.rows {
		for _, s := range r.spans {
			first = min(first, s.begin)
		}
	}
	for _, l := range g.levels {
		first = min(first, l.time)
	}
	if first == 0 {
		return
	}
	for _, r := range g.rows {
		for i := range r.spans {
			r.spans[i].begin -= first
			r.spans[i].end -= first
		}
	}
	for i := range g.levels {
		g.levels[i].time -= first
	}
	if !g.start.IsZero() {
		g.start = g.start.Add(time.Duration(first))
	}
}
