package counters

import (
	"math"
	"math/bits"
	"time"

	"github.com/assetcook/assetcook/internal/fastclock"
)

// A history keeps the last frames of watched names, frame by frame: closing a frame
// writes one stretch of memory, where a ring for each counter would write as many as
// there are counters.
type history struct {
	frames int   // rows kept
	pushed int64 // frames closed since the beginning
	began  int64 // the first frame that has a row

	all    int              // calls of WatchAll that were not taken back
	wanted map[string]watch // names that the set does not have yet
	most   int              // how many of these there may be
	cells  []*cell          // those that have a history

	layout
	at []time.Time // when each row was closed
}

// A layout says where rows keep what. A row consists of groups of eight values and has
// a bit for each group that was touched; the others are 0 without being written. A
// line of the set that is watched at least by half goes into a group unchanged. Other
// values are scattered into groups of mixed lines, and so are the totals of timers; a
// timer that is watched in detail has its line in a group too.
type layout struct {
	routes  []int32  // of each line: its group, or noRoute, or -2-i for spread[i]
	spread  []spread // the lines that do not go into a group unchanged
	given   int      // groups in use
	mixed   int32    // the next column of the present mixed group; a multiple of 8: it is full
	stride  int      // groups that a row has room for
	rows    []line   // frames * stride
	touched []uint64 // frames * words()
}

// A spread says where the values of a line go.
type spread struct {
	timer bool
	to    [8]int32 // columns of the slots or noRoute; of a timer those of totalTo and detailTo
}

const noRoute = -1

// Where a timer goes.
const (
	totalTo  = iota // the column of the nanoseconds of all calls
	detailTo        // the group of its line
)

// A row is one frame's.
type row struct {
	groups  []line
	touched []uint64
}

// words returns how many words a row's bits take.
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

// PushFrame ends a frame. Call it at moments that are meaningful in the history. It polls
// the sources; then what was added by any goroutine or flushed by workers since the last
// frame goes into the history of watched names, and the next frame starts at zero. Gauges
// keep their levels.
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
	rated := false // the rate costs a look at the clock at first, and only timers need it
	clear(to.touched)
	for word, used := range frame.used {
		routes := h.routes[min(word*64, len(h.routes)):]
		for ; used != 0; used &= used - 1 {
			i := bits.TrailingZeros64(used) % 64
			if i >= len(routes) {
				break // none of these is watched
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

// first returns the oldest frame that is kept.
func (h *history) first() int64 {
	if len(h.cells) == 0 {
		return h.pushed
	}
	return max(h.began, h.pushed-int64(h.frames))
}

// frame returns the row of a frame that is kept.
func (h *history) frame(n int64) row { return h.row(int(n % int64(h.frames))) }

// number returns what a watched cell had in a row: for a timer the nanoseconds of all
// calls.
func (c *cell) number(r row) float64 {
	if n := r.value(c.column); c.kind == KindFloat || c.kind == KindGauge {
		return math.Float64frombits(uint64(n))
	} else {
		return float64(n)
	}
}

// History returns what a name had in each frame since it is watched, oldest first and
// at most Options.Frames of them: of a timer the nanoseconds of all its calls, of a
// gauge the level at the end of the frame. It is nil for a name that is not watched. [Set.Table] reads several names, and only what
// is new.
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

// TimerHistory returns all that a timer measured in each frame since it is watched in
// detail, oldest first, and the number of the first of them. Frames before number from
// are left out. It is nil for a name that is not a timer watched by [Set.WatchDetail].
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
