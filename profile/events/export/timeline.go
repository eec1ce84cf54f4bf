package export

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/assetcook/assetcook/profile/events"
)

// A timeline is a recording in memory, in the order of the output. Names are indexes into a list,
// whose entry 0 is the empty name.
type timeline struct {
	process string
	start   time.Time // wall clock at time 0, or zero if unknown
	names   []string
	rows    []*row
	tracks  []track
	levels  []level
	dropped int64
}

// A row is the work of one worker. Its spans nest, and are sorted by start time with outer spans
// first.
type row struct {
	name  string
	spans []span
	out   map[int][]arrow // departing arrows by the index of their span
	in    map[int][]arrow // arriving arrows by the index of their span
}

// A span is a scope, or a mark without duration for an event of another kind.
type span struct {
	begin, end   int64  // times in nanoseconds
	what         uint64 // number of bytes of a User event, or id of a flow
	name, detail uint32
	order        uint32 // index among the events of its worker
	kind         events.Kind
}

// title returns the name that viewers show for the span.
func (s *span) title() uint32 {
	if s.detail != 0 {
		return s.detail
	}
	return s.name
}

// An arrow is one end of a line that viewers draw from one span to another.
type arrow struct {
	id   uint64 // number of the arrow, from 1; both ends have the same
	name uint32
	time int64 // time within the span; an arrival is not before the departure
}

// A track is the quantity that a counter shows.
type track struct {
	name  string
	bytes bool
}

// A level is the value of a track from a given time on.
type level struct {
	time  int64
	value float64
	track uint32
}

// farthest is 36 years. Times are clamped to it, so that their sums and differences cannot
// overflow.
const farthest = 1 << 60

// gather reads a whole recording. If the events end with an error, it returns the error and the
// timeline of the events before it.
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
	known    map[string]uint32 // index of each name as recorded
	byWorker map[int]*row
	tracked  map[quantity]uint32
	flows    map[uint64]flowSides
}

// A quantity identifies a counter.
type quantity struct {
	kind events.Kind // one of Value, Vector and Alloc
	name uint32
	part int // index of the number in a Vector
}

// flowSides records which ends of a flow have occurred.
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

// addOpen adds unended scopes as if they ended with the recording. Inner scopes come first, because
// events are ordered by their ends.
func (g *gatherer) addOpen(open []events.Event) {
	last := g.last()
	for _, e := range open {
		last = max(last, min(e.Time, farthest)+min(max(e.Dur, 0), farthest))
	}
	for _, e := range slices.Backward(open) {
		e.Kind, e.Dur = events.Scope, last-max(min(e.Time, farthest), -farthest)
		e.Detail = cmp.Or(e.Detail, e.Name) + stillOpen
		g.gatherEvent(&e)
	}
}

// stillOpen is appended to the detail of an unended scope.
const stillOpen = " (still open)"

// measure adds the counter values of an event. Alloc and Free are stored as differences, which
// sortGathered sums later.
func (g *gatherer) measure(e *events.Event, at int64, name uint32) {
	values := e.Values
	switch e.Kind {
	case events.Value, events.Alloc, events.Free:
		values = values[:min(len(values), 1)]
	case events.Vector:
	default:
		return // The event is not a counter.
	}
	for i, v := range values {
		q := quantity{e.Kind, name, i}
		if e.Kind == events.Free {
			q.kind, v = events.Alloc, -v
		}
		g.levels = append(g.levels, level{at, v, g.track(q)})
	}
}

// track returns the index of the counter for a quantity.
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

// name returns the index of a name, and adds the name if needed.
func (g *gatherer) name(raw string) uint32 {
	place, ok := g.known[raw]
	if !ok {
		place = uint32(len(g.names))
		g.names = append(g.names, legible(raw))
		g.known[raw] = place
	}
	return place
}

// sortGathered sorts the gathered events into the order of the output.
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

// last returns the time of the last event added.
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

// beginAtZero shifts all times up if any is negative, because some formats cannot express negative
// times.
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

// legible returns a name that every viewer can show. It is valid UTF-8, with unprintable characters
// escaped as in a Go string.
func legible(name string) string {
	hidden := func(r rune) bool { return !unicode.IsPrint(r) }
	if utf8.ValidString(name) && strings.IndexFunc(name, hidden) < 0 {
		return name
	}
	var b strings.Builder
	for len(name) > 0 {
		r, size := utf8.DecodeRuneInString(name)
		if broken := r == utf8.RuneError && size == 1; broken || hidden(r) {
			quoted := strconv.Quote(name[:size])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(name[:size])
		}
		name = name[size:]
	}
	return b.String()
}
