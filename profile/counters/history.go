package counters

import (
	"math"
	"math/bits"
	"time"

	"github.com/assetcook/assetcook/internal/fastclock"
)

// A history keeps the last frames of watched names. Closing a frame writes one contiguous row of
// memory. A ring buffer for each counter would write to one location per counter instead.
type history struct {
	frames int   // number of rows
	pushed int64 // number of frames closed so far
	began  int64 // number of the first frame with a row

	limits []int            // number of names that each open WatchAll call watches
	wanted map[string]watch // watched names that are not in the set yet
	most   int              // maximum number of entries in wanted
	cells  []*cell          // cells that have a history

	layout
	at []time.Time // time when the frame of each row was closed
}

// A layout maps cells to positions in the rows. A row consists of groups of eight values, and has a
// bit for each touched group. Untouched groups are not written, and read as 0.
//
// If at least half of a line's values are watched, the whole line is copied into its own group. All
// other values, and the totals of timers, share mixed groups with values from several lines. A
// timer watched in detail also has a group for its line.
type layout struct {
	routes  []int32  // group of each line; noRoute if unwatched; -2-i if spread[i] maps the line
	spread  []spread // column maps of the lines that are not copied as a whole
	given   int      // number of groups in use
	mixed   int32    // next free column in the mixed groups; a multiple of 8 if all mixed groups are full
	stride  int      // capacity of a row in groups
	rows    []line   // length is frames * stride
	touched []uint64 // length is frames * words()
}

// A spread maps the values of a line to columns of the mixed groups.
type spread struct {
	timer bool
	to    [8]int32 // columns of the line's values, or noRoute; a timer uses the indexes totalTo and detailTo
}

const noRoute = -1

// These are the indexes into spread.to for a timer.
const (
	totalTo  = iota // column of the total in nanoseconds
	detailTo        // group that holds the whole line
)

// A row holds the values of one frame.
type row struct {
	groups  []line
	touched []uint64
}

// words returns the number of words for the touched bits of a row.
func (l *layout) words() int { return (l.stride + 63) / 64 }

func (l *layout) row(n int) row {
	words := l.words()
	return row{l.rows[n*l.stride : (n+1)*l.stride], l.touched[n*words : (n+1)*words]}
}

func (r row) has(group int32) bool { return r.touched[group/64]&(1<<(group%64)) != 0 }

func (r row) copy(group int32, l *line) {
	r.groups[group] = *l
	r.touched[group/64] |= 1 << (group % 64)
}

func (r row) put(column int32, value int64) {
	group := column / 8
	if !r.has(group) {
		if value == 0 {
			return
		}
		r.copy(group, &line{})
	}
	r.groups[group][column%8] = value
}

func (r row) value(column int32) int64 {
	if group := column / 8; r.has(group) {
		return r.groups[group][column%8]
	}
	return 0
}

func (r row) line(group int32) line {
	if r.has(group) {
		return r.groups[group]
	}
	return line{}
}

// PushFrame ends a frame. Call it at points that are meaningful boundaries in the history. It polls
// the sources. The values added since the last frame go into the history of watched names, and the
// next frame starts at zero. Worker additions count after they are flushed. Gauges keep their
// levels.
func (s *Set) PushFrame(at time.Time) {
	if s == nil {
		return
	}
	s.poll()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.collect()
	for _, c := range s.gauges {
		c.level = c.shared.Load()
	}
	h := &s.history
	if len(h.cells) > 0 {
		n := int(h.pushed % int64(h.frames))
		h.at[n] = at
		s.writeFrame(h.row(n))
	}
	h.pushed++
	s.closedAt = at
	s.closed.moveTo(&s.total, s.kinds)
	s.closed, s.frame = s.frame, s.closed
}

// writeFrame fills the row of the frame that ends.
func (s *Set) writeFrame(to row) {
	frame, h := &s.frame, &s.history
	var rate fastclock.Scale
	rated := false // The rate is computed only for timers, because that may read the clock.
	clear(to.touched)
	for word, used := range frame.used {
		routes := h.routes[min(word*64, len(h.routes)):]
		for ; used != 0; used &= used - 1 {
			i := bits.TrailingZeros64(used) % 64
			if i >= len(routes) {
				break // The remaining lines are not watched.
			}
			switch route := routes[i]; {
			case route >= 0:
				to.groups[route] = frame.pages[word][i]
				to.touched[route/64] |= 1 << (route % 64)
			case route != noRoute:
				there := &h.spread[-2-route]
				if there.timer && !rated {
					rate, rated = s.rate(), true
				}
				there.writeSpread(to, &frame.pages[word][i], rate)
			}
		}
	}
	for _, c := range s.gauges {
		if c.since != notWatched {
			to.put(c.column, c.level)
		}
	}
}

func (s *spread) writeSpread(to row, l *line, rate fastclock.Scale) {
	if !s.timer {
		for slot, column := range s.to {
			if column != noRoute {
				to.put(column, l[slot])
			}
		}
		return
	}
	if column := s.to[totalTo]; column != noRoute {
		to.put(column, rate.Duration(l[timerTicks])+l[timerNanos])
	}
	if group := s.to[detailTo]; group != noRoute {
		to.copy(group, l)
	}
}

// first returns the number of the oldest frame in the history.
func (h *history) first() int64 {
	if len(h.cells) == 0 {
		return h.pushed
	}
	return max(h.began, h.pushed-int64(h.frames))
}

// frame returns the row of a frame in the history.
func (h *history) frame(n int64) row { return h.row(int(n % int64(h.frames))) }

// number returns the value of a watched cell in a row. For a timer, it is the total in nanoseconds.
func (c *cell) number(r row) float64 {
	if n := r.value(c.column); c.kind == KindFloat || c.kind == KindGauge {
		return math.Float64frombits(uint64(n))
	} else {
		return float64(n)
	}
}

// History returns a name's value in each frame since it was watched, oldest first, for at most
// Options.Frames frames. A timer's value is the total nanoseconds of its calls; a gauge's is its
// level at the end of the frame. History returns nil for an unwatched name. Use [Set.Table] to read
// several names, or only new frames.
func (s *Set) History(name string) []float64 {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.find(name)
	if c == nil || c.since == notWatched {
		return nil
	}
	h := &s.history
	values := []float64{}
	for n := max(h.first(), c.since); n < h.pushed; n++ {
		values = append(values, c.number(h.frame(n)))
	}
	return values
}

// TimerHistory returns a timer's statistics for each frame since it was watched in detail, oldest
// first, and the number of the first frame returned. It omits frames before the frame with the
// number from. It returns nil unless the name is a timer watched by [Set.WatchDetail].
func (s *Set) TimerHistory(name string, from int64) (first int64, stats []Stat) {
	if s == nil {
		return 0, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.find(name)
	if c == nil || c.detailSince == notWatched {
		return 0, nil
	}
	h, rate := &s.history, s.rate()
	stats = []Stat{}
	first = max(h.first(), c.detailSince, from)
	for n := first; n < h.pushed; n++ {
		l := h.frame(n).line(c.group)
		stats = append(stats, l.stat(rate))
	}
	return first, stats
}
