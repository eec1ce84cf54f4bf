package counters

import (
	"math"
	"slices"
	"sync"
	"time"
)

// notWatched means that no history is kept.
const notWatched = -1

// wholeFrom is the minimum number of watched values for copying a whole line. That is faster than
// copying single values, but takes up to twice the memory.
const wholeFrom = 4

// A place is the position of a cell in the rows of a history.
type place struct {
	column int32 // column of the value
	group  int32 // group of the whole line
}

// A watch holds the numbers of open Watch and WatchDetail calls.
type watch struct{ plain, detailed int }

// Watch keeps the history of these names, starting with the next frame. Names that the set does not
// have yet are watched from their creation. At most [Options.Max] such names are remembered;
// further names are ignored.
//
// A watched name takes 8 bytes per frame, including room to grow, and up to 20 if only a few of
// many names are watched. Watch or the creation of the name allocates the memory, but PushFrame
// never does. If the rows must become longer, their contents are copied.
//
// Watches are counted: if two viewers watch a name, its history is kept until both have called
// stop. Then the history is dropped. Its memory is freed when enough memory is unused to justify
// copying the remaining rows, or when no name is watched. To watch for the life of the set, never
// call stop. Calls of stop after the first do nothing.
func (s *Set) Watch(names ...string) (stop func()) { return s.watchBy(names, watch{1, 0}) }

// WatchDetail is like Watch but also keeps the [Set.TimerHistory] of timers: calls, own time, and
// the shortest and longest call. That takes 64 more bytes per frame.
func (s *Set) WatchDetail(names ...string) (stop func()) { return s.watchBy(names, watch{1, 1}) }

// valueBytes is the memory for a value of a watched name, including room to grow.
const valueBytes = 10

// WatchAll watches all present and future names until stop is called, in the order of their
// creation, as long as their history takes about the given number of bytes. Calls of stop after the
// first do nothing.
func (s *Set) WatchAll(bytes int) (stop func()) {
	if s == nil {
		return func() {}
	}
	most := bytes / (valueBytes * s.history.frames)
	s.changeAll(func(limits []int) []int { return append(limits, most) })
	return sync.OnceFunc(func() {
		s.changeAll(func(limits []int) []int {
			i := slices.Index(limits, most)
			return slices.Delete(limits, i, i+1)
		})
	})
}

// watchBy adds a watch to each name. The returned function stop removes the watches.
func (s *Set) watchBy(names []string, by watch) (stop func()) {
	if s == nil {
		return func() {}
	}
	s.changeWatch(names, by)
	kept := slices.Clone(names)
	return sync.OnceFunc(func() { s.changeWatch(kept, watch{-by.plain, -by.detailed}) })
}

func (s *Set) changeWatch(names []string, by watch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := &s.history
	changed := make([]*cell, 0, len(names))
	for _, name := range names {
		if c := s.find(name); c != nil {
			c.watch = c.watch.add(by)
			changed = append(changed, c)
			continue
		}
		now, ok := h.wanted[name]
		if !ok && len(h.wanted) >= h.most {
			continue
		}
		if now = now.add(by); now == (watch{}) {
			delete(h.wanted, name)
			continue
		}
		if h.wanted == nil {
			h.wanted = map[string]watch{}
		}
		h.wanted[name] = now
	}
	h.update(changed)
}

func (w watch) add(by watch) watch {
	return watch{max(w.plain+by.plain, 0), max(w.detailed+by.detailed, 0)}
}

// changeAll changes the limits of the open WatchAll calls.
func (s *Set) changeAll(change func(limits []int) []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.history.limits = change(s.history.limits)
	s.history.update(s.cells)
}

// wants reports whether a cell has a history.
func (h *history) wants(c *cell) bool {
	return c.watch != (watch{}) || slices.ContainsFunc(h.limits, func(most int) bool { return int(c.order) <= most })
}

// meet starts to watch a new cell if its name is in wanted.
func (h *history) meet(c *cell) {
	if w, ok := h.wanted[c.name]; ok {
		c.watch = w
		delete(h.wanted, c.name)
	}
	if h.wants(c) {
		h.update([]*cell{c})
	}
}

// update starts and ends histories so that they match the cells' watches. It ignores nil cells.
func (h *history) update(cells []*cell) {
	var more []*cell // cells that need a position in the rows
	ended := false
	for _, c := range cells {
		if c == nil {
			continue
		}
		was, had := c.since != notWatched, c.detailSince != notWatched
		is, has := h.wants(c), c.detailed > 0 && c.kind == KindTimer
		if is && !was {
			c.since = h.pushed
			h.cells = append(h.cells, c)
		}
		if has && !had {
			c.detailSince = h.pushed
		}
		if is && !was || has && !had {
			more = append(more, c)
		}
		// The columns of an ended history stay allocated until the next rebuild.
		if had && !has {
			c.detailSince, ended = notWatched, true
		}
		if was && !is {
			c.since, ended = notWatched, true
		}
	}
	switch {
	case ended:
		h.cells = slices.DeleteFunc(h.cells, func(c *cell) bool { return c.since == notWatched })
	case len(more) == 0:
		return
	}
	if len(h.cells) == 0 {
		h.cells, h.layout, h.at = nil, layout{}, nil
		return
	}
	if h.at == nil {
		h.at, h.began = make([]time.Time, h.frames), h.pushed
	}
	// If many cells are new, lay out all cells again, which uses the rows better.
	if len(more) > len(h.cells)/8+1 || ended && h.sparse() || slices.ContainsFunc(more, func(c *cell) bool { return !h.settle(c) }) {
		h.rebuild()
	}
}

// sparse reports whether rows are much longer than needed.
func (h *history) sparse() bool {
	columns := 0
	for _, c := range h.cells {
		columns += c.columns()
	}
	return h.stride > 2 && columns*4 < h.stride*len(line{})
}

// columns returns the number of columns that a watched cell takes.
func (c *cell) columns() int {
	if c.detailSince != notWatched {
		return 1 + len(line{})
	}
	return 1
}

// settle assigns columns to a watched cell. It returns false if the rows have too few free columns.
func (h *history) settle(c *cell) bool {
	if c.kind == KindGauge {
		if h.given == h.stride && h.mixed%8 == 0 {
			return false
		}
		c.column = h.next()
		return true
	}
	for len(h.routes) <= c.line {
		h.routes = append(h.routes, noRoute)
	}
	route := h.routes[c.line]
	if route >= 0 { // The line already has a group.
		c.column = route*8 + int32(c.slot)
		return true
	}
	groups := h.stride - h.given
	if len(h.limits) > 0 && groups > 0 && route == noRoute && c.kind != KindTimer { // Reserve a group for the whole line, because the line's other cells will be watched too.
		h.routes[c.line] = h.group()
		return h.settle(c)
	}
	if groups*8+int(-h.mixed&7) < c.columns() {
		return false
	}
	if route == noRoute {
		route = int32(-2 - len(h.spread))
		none := spread{timer: c.kind == KindTimer}
		for i := range none.to {
			none.to[i] = noRoute
		}
		h.spread = append(h.spread, none)
		h.routes[c.line] = route
	}
	s := &h.spread[-2-route]
	slot := c.slot
	if s.timer {
		slot = totalTo
	}
	if s.to[slot] == noRoute {
		c.column = h.next()
		s.to[slot] = c.column
	}
	if c.detailSince != notWatched && s.to[detailTo] == noRoute {
		c.group = h.group()
		s.to[detailTo] = c.group
	}
	return true
}

// next allocates a column in the mixed groups.
func (l *layout) next() int32 {
	if l.mixed%8 == 0 {
		l.mixed = l.group() * 8
	}
	l.mixed++
	return l.mixed - 1
}

// group allocates a group.
func (l *layout) group() int32 {
	l.given++
	return int32(l.given - 1)
}

// rebuild makes a new layout for all watched cells, and copies the rows into it.
func (h *history) rebuild() {
	old := h.layout
	from := make([]place, len(h.cells))
	watched := make([]uint8, len(old.routes)) // number of watched cells for each line
	for i, c := range h.cells {
		from[i] = c.place
		if c.kind == KindGauge {
			continue // A gauge has no line.
		}
		for len(watched) <= c.line {
			watched = append(watched, 0)
		}
		watched[c.line]++
	}
	h.layout = layout{stride: math.MaxInt32 / 8, routes: make([]int32, len(watched))}
	for i := range h.routes {
		h.routes[i] = noRoute
		if watched[i] >= wholeFrom {
			h.routes[i] = h.group()
		}
	}
	for _, c := range h.cells {
		h.settle(c)
	}
	h.stride = h.given + h.given/4 + 1
	h.rows = make([]line, h.frames*h.stride)
	h.touched = make([]uint64, h.frames*h.words())
	for n := h.first(); n < h.pushed; n++ {
		at := int(n % int64(h.frames))
		was, is := old.row(at), h.row(at)
		for i, c := range h.cells {
			if c.since <= n {
				is.put(c.column, was.value(from[i].column))
			}
			if c.detailSince != notWatched && c.detailSince <= n && was.has(from[i].group) {
				l := was.line(from[i].group)
				is.copy(c.group, &l)
			}
		}
	}
}
