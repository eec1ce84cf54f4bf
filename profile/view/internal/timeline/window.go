package timeline

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/profile/events"
)

// A Window is a part of a recording to draw. Names and details in all lists are indexes into Names.
type Window struct {
	From  int64    `json:"from"`
	To    int64    `json:"to"`
	Names []string `json:"names"`
	Rows  []Row    `json:"rows"`

	Open     []int64 `json:"open"`     // row, start, name, detail and depth of each open scope
	Instants []int64 `json:"instants"` // row, time, name and detail of each instant
	Flows    []int64 `json:"flows"`    // start row, start time, end row and end time of each arrow
	Dropped  int64   `json:"dropped"`
}

// A Row holds the spans of one row. A span is start, duration, name, detail, depth and count. If
// the count is above 1, the span stands for several scopes narrower than a pixel, and has the name
// of the longest scope.
type Row struct {
	Row   int     `json:"row"`
	Name  string  `json:"name"`
	Depth int     `json:"depth"`
	Spans []int64 `json:"spans"`
}

const (
	mostWidth      = 1 << 13
	mostSpans      = 100_000
	mostInstants   = 20_000
	farthest       = math.MaxInt64 / 4
	spanFields     = 6
	mostNameBytes  = 1 << 10
	mostTableBytes = 8 << 20
)

// Window returns the part of a recording between two times, for a page of width pixels.
func (r *Recording) Window(ctx context.Context, from, to int64, width int) (*Window, error) {
	release, err := r.use(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	from, to = clampWindow(from, to)
	pixel := max((to-from)/int64(min(max(width, 1), mostWidth)), 1)
	open := r.open
	cells := make([][]cell, len(r.rows))
	err = cores().Each(ctx, len(r.rows), func(i int) error {
		s := scratches.Get().(*scratch)
		defer scratches.Put(s)
		cells[i] = r.window(ctx, s, i, from, to, pixel, openOn(open, i))
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	for p := pixel; !fewEnough(cells) && p < farthest; {
		p *= 2
		var j joiner
		for i := range cells {
			j.reset(from, p)
			for k := range cells[i] {
				j.joinCell(&cells[i][k])
			}
			j.flush()
			cells[i] = append(cells[i][:0], j.out...)
		}
	}
	w := &Window{From: from, To: to, Rows: []Row{}, Open: []int64{}, Instants: []int64{}, Dropped: r.tape.State().Dropped + r.tape.State().Forgotten}
	names := table{all: r.tape.State().Names, local: map[uint32]int64{}}
	workers := r.tape.State().Workers
	room := 2 * (mostSpans + mostInstants)
	for i, list := range cells {
		w.addRow(i, workers[i], list, &names)
		if room -= len(list); room <= 0 {
			break // The answer has reached its size limit. Real programs have fewer and shallower rows.
		}
	}
	for _, o := range open {
		if int(o.Row) < len(r.rows) && o.Start <= to {
			depth := int64(0)
			for n := len(w.Open) - 5; n >= 0 && w.Open[n] == int64(o.Row); n -= 5 {
				depth++
			}
			w.Open = append(w.Open, int64(o.Row), o.Start, names.index(uint32(o.Name)), names.index(uint32(o.Detail)), depth)
		}
	}
	w.Flows, w.Names = r.flows.within(from, to, pixel), names.list
	return w, nil
}

func clampWindow(from, to int64) (int64, int64) {
	from = min(max(from, -farthest), farthest)
	return from, min(max(to, from), farthest)
}

// openOn returns the start times of the scopes that are open on a row.
func openOn(open []events.Record, row int) (starts []int64) {
	for _, o := range open {
		if int(o.Row) == row {
			starts = append(starts, o.Start)
		}
	}
	return starts
}

func fewEnough(cells [][]cell) bool {
	spans, instants := 0, 0
	for _, list := range cells {
		for i := range list {
			if list[i].level > 0 {
				spans++
			} else {
				instants++
			}
		}
	}
	return spans <= mostSpans && instants <= mostInstants
}

// window returns the cells of a row in a window. The level of a cell also counts the long scopes
// around it.
func (r *Recording) window(ctx context.Context, s *scratch, row int, from, to, pixel int64, open []int64) []cell {
	j := &joiner{}
	j.reset(from, pixel)
	around := outer{starts: slices.Clone(open)}
	blocks := r.rows[row].blocks
	for k := len(blocks) - 1; k >= 0 && blocks[k].end >= from && ctx.Err() == nil; k-- {
		b := &blocks[k]
		next := len(b.longs) - 1
		if b.before <= to {
			cells := b.cells
			if pixel < r.bins.width {
				again := *b
				s.decode(r.tape, &again, around.starts, from, pixel)
				cells = s.joiner.out
			}
			for i := range cells {
				c := &cells[i]
				for ; next >= 0 && b.longs[next].pos > c.pos; next-- {
					around.enterLongScope(&b.longs[next], j, from, to)
				}
				if c.start > to || c.end < from {
					continue
				}
				if c.level > 0 {
					inRow := *c
					inRow.level += int32(around.depth(c.start))
					j.joinCell(&inRow)
				} else {
					j.joinCell(c)
				}
			}
		}
		for ; next >= 0; next-- {
			around.enterLongScope(&b.longs[next], j, from, to)
		}
	}
	j.flush()
	return j.out
}

// outer holds the start times of the scopes that may enclose the next record, outermost first.
type outer struct{ starts []int64 }

// enterLongScope adds a long scope, and draws it if it is in the window. Scopes come in reverse
// order of their ends.
func (o *outer) enterLongScope(l *long, j *joiner, from, to int64) {
	depth := o.enterAt(l.start)
	if l.start <= to && l.end() >= from {
		j.joinCell(&cell{start: l.start, end: l.end(), took: l.dur, most: uint32(min(l.dur, math.MaxUint32)),
			name: l.name, detail: l.detail, count: 1, level: int32(min(depth, maxDepth)) + 1})
	}
}

// enterAt adds a scope that encloses later records, and returns the number of scopes around it.
func (o *outer) enterAt(start int64) int {
	depth := o.depth(start)
	o.starts = append(o.starts[:depth], start)
	return depth
}

// depth returns the number of long scopes that enclose a scope with the given start time.
func (o *outer) depth(start int64) int {
	n := len(o.starts)
	for n > 0 && o.starts[n-1] > start {
		n--
	}
	return n
}

// A table maps names of a recording to indexes into the list of names in an answer.
type table struct {
	all   []string
	local map[uint32]int64
	list  []string
	bytes int
}

func (t *table) index(name uint32) int64 {
	i, ok := t.local[name]
	if !ok {
		i = int64(len(t.list))
		t.local[name] = i
		text := shown(t.all[name])
		if t.bytes += len(text); t.bytes > mostTableBytes {
			text = "…"
		}
		t.list = append(t.list, text)
	}
	return i
}

// shown shortens a name that is too long for a page.
func shown(name string) string {
	if len(name) <= mostNameBytes {
		return name
	}
	return strings.ToValidUTF8(name[:mostNameBytes], "") + "…"
}

func (w *Window) addRow(i int, name string, list []cell, names *table) {
	row := Row{Row: i, Name: name, Spans: make([]int64, 0, len(list)*spanFields)}
	for k := len(list) - 1; k >= 0; k-- {
		c := &list[k]
		name, detail := names.index(c.name), names.index(c.detail)
		if c.level == 0 {
			w.Instants = append(w.Instants, int64(i), c.start, name, detail)
			continue
		}
		row.Depth = max(row.Depth, int(c.level))
		row.Spans = append(row.Spans, c.start, c.end-c.start, name, detail, int64(c.level-1), int64(c.count))
	}
	w.Rows = append(w.Rows, row)
}
