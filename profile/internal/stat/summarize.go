package stat

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/assetcook/assetcook/profile/events"
)

// FrameMark is the name of the scopes and instants that mark frames.
const FrameMark = "frame"

// Options limits the size of a report. The zero value suits most recordings.
type Options struct {
	Slowest int    // number of slowest scopes; 0 means 10, a negative value none
	Names   int    // maximum number of names for each of scopes, quantities and memory; 0 means 1024
	Bins    int    // number of intervals in a graph, 2 to 1000; 0 means 60
	Frame   string // name of the event that ends a frame; "" means FrameMark
}

func (o Options) orDefault() Options {
	o.Slowest = max(cmp.Or(o.Slowest, 10), 0)
	o.Names = max(cmp.Or(o.Names, 1024), 1)
	o.Bins = min(max(cmp.Or(o.Bins, 60), 2), 1000) &^ 1
	o.Frame = cmp.Or(o.Frame, FrameMark)
	return o
}

// others is the name that collects the sums of all further names when a table is full.
const others = "(others)"

// Summarize reads a stream to its end and returns the report. After an error, the report covers the
// events before the error. For [events.ErrDamaged] these are the events of all whole blocks.
func Summarize(s *events.Stream, opt Options) (*Report, error) {
	opt = opt.orDefault()
	g := gatherer{
		opt: opt, busy: newBins(opt.Bins),
		scopes: map[string]*scopeSum{}, quantities: map[string]*quantity{}, memory: map[string]*Memory{},
	}
	var failed error
	for e, err := range s.All() {
		if err != nil {
			failed = fmt.Errorf("stat: the recording ends early: %w", err)
			break
		}
		g.gatherEvent(&e)
	}
	return g.report(s), failed
}

// A gatherer sums the events of a recording.
type gatherer struct {
	opt        Options
	events     int64
	frames     int64
	last       int64
	scopes     map[string]*scopeSum
	quantities map[string]*quantity
	memory     map[string]*Memory
	slowest    []Slow // slowest scopes, longest first
	rows       []rowSum
	busy       bins
}

type scopeSum struct {
	Scope
	times Histogram
}

// A rowSum sums the work of one worker. The spans are the scopes whose parent has not ended yet, in
// order.
type rowSum struct {
	busy   int64
	scopes int64
	spans  []span
}

type span struct{ begin, end, took int64 }

// maxSpans is the maximum number of spans of a row, and allSpans the maximum for all rows together.
// With very many rows, each row gets fewer spans. Times are limited to farthest nanoseconds (36
// years), so that their sums do not overflow.
const (
	maxSpans = 1 << 15
	allSpans = 1 << 20
	farthest = 1 << 60
	largest  = 1e290 // limit of values, so that their sums do not overflow
)

// room returns the table entry of a name. If the table is full, it returns the entry for the name
// others.
func room[T any](table map[string]*T, name string, most int) *T {
	v := table[name]
	if v == nil && len(table) >= most {
		name = others
		v = table[name]
	}
	if v == nil {
		v = new(T)
		table[name] = v
	}
	return v
}

func (g *gatherer) gatherEvent(e *events.Event) {
	if e.Kind == events.Open {
		return // The open scopes are taken from the stream at the end.
	}
	e.Time, e.Dur = min(max(e.Time, -farthest), farthest), min(max(e.Dur, 0), farthest)
	g.events++
	g.last = max(g.last, e.Time+e.Dur)
	for len(g.rows) <= e.Worker {
		g.rows = append(g.rows, rowSum{})
	}
	switch e.Kind {
	case events.Scope:
		g.scope(e)
	case events.Value:
		g.quantity(e.Name, e, e.Values[0])
	case events.Vector:
		for i, v := range e.Values[:min(len(e.Values), g.opt.Names)] {
			g.quantity(fmt.Sprintf("%s[%d]", e.Name, i), e, v)
		}
	case events.Alloc, events.Free:
		m := room(g.memory, e.Name, g.opt.Names)
		if e.Kind == events.Alloc {
			m.Allocs++
			m.Taken += e.Values[0]
		} else {
			m.Frees++
			m.GivenBack += e.Values[0]
		}
	}
	if e.Name == g.opt.Frame && (e.Kind == events.Scope || e.Kind == events.Instant) {
		g.frames++
		for _, q := range g.quantities {
			q.endFrame(e.Worker)
		}
	}
}

func (g *gatherer) scope(e *events.Event) {
	row := &g.rows[e.Worker]
	begin, end := e.Time, e.Time+e.Dur
	inner := int64(0)
	g.busy.spread(begin, end, 1)
	for n := len(row.spans); n > 0 && row.spans[n-1].begin >= begin; n-- {
		s := row.spans[n-1]
		row.spans = row.spans[:n-1]
		inner += s.took
		g.busy.spread(s.begin, s.end, -float64(s.took)/float64(max(s.end-s.begin, 1)))
	}
	self := max(e.Dur-inner, 0)
	row.busy += self
	row.scopes++
	if len(row.spans) >= max(min(maxSpans, allSpans/len(g.rows)), 16) {
		row.thin()
	}
	row.spans = append(row.spans, span{begin, end, e.Dur})

	s := room(g.scopes, e.Name, g.opt.Names)
	if s.Count == 0 || e.Dur < s.Min {
		s.Min = e.Dur
	}
	s.Count, s.Total, s.Self, s.Max = s.Count+1, s.Total+e.Dur, s.Self+self, max(s.Max, e.Dur)
	s.times.Add(e.Dur)
	g.slow(e)
}

// thin halves the number of spans in the older half by merging pairs of neighbors.
func (r *rowSum) thin() {
	kept := r.spans[:0]
	half := len(r.spans) / 4 * 2
	for i := 0; i < half; i += 2 {
		a, b := r.spans[i], r.spans[i+1]
		kept = append(kept, span{a.begin, b.end, a.took + b.took})
	}
	r.spans = append(kept, r.spans[half:]...)
}

// slow keeps a scope if it is one of the slowest so far.
func (g *gatherer) slow(e *events.Event) {
	n := len(g.slowest)
	if g.opt.Slowest == 0 || n == g.opt.Slowest && g.slowest[n-1].Dur >= e.Dur {
		return
	}
	if n == g.opt.Slowest {
		g.slowest = g.slowest[:n-1]
	}
	at, _ := slices.BinarySearchFunc(g.slowest, e.Dur, func(s Slow, d int64) int {
		if s.Dur >= d {
			return -1 // This keeps the order of equal durations.
		}
		return 1
	})
	g.slowest = slices.Insert(g.slowest, at, Slow{Name: e.Name, Detail: e.Detail, row: e.Worker, Time: e.Time, Dur: e.Dur})
}

// A quantity sums the values of one name.
type quantity struct {
	all, frames Numbers
	bins        bins
	latest      float64 // latest value in the worker's current frame
	worker      int
	fresh       bool
}

func (g *gatherer) quantity(name string, e *events.Event, v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return
	}
	v = min(max(v, -largest), largest)
	q := room(g.quantities, name, g.opt.Names)
	if q.bins.sums == nil {
		q.bins = newBins(g.opt.Bins)
	}
	q.all.addNumber(v)
	q.bins.addAt(e.Time, v)
	q.latest, q.worker, q.fresh = v, e.Worker, true
}

// endFrame records the worker's latest value as the value of the frame.
func (q *quantity) endFrame(worker int) {
	if q.fresh && q.worker == worker {
		q.frames.addNumber(q.latest)
		q.fresh = false
	}
}

func (n *Numbers) addNumber(v float64) {
	if n.Count == 0 {
		n.Min, n.Max = v, v
	}
	n.Count++
	n.Min, n.Max = min(n.Min, v), max(n.Max, v)
	n.Mean += v/float64(n.Count) - n.Mean/float64(n.Count)
}
