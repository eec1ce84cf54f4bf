package counters

import (
	"iter"
	"math"
	"math/bits"
	"time"

	"github.com/assetcook/assetcook/internal/fastclock"
)

const notWatched = -1

// A history keeps the last frames of what is watched, frame by frame: closing a frame
// writes one stretch of memory, where a ring for each counter would write as many as
// there are counters. A row has the lines in which something is watched, in columns,
// and a bit for each that was touched; the others are 0 without being written.
type history struct {
	frames  int             // rows kept
	pushed  int64           // frames closed since the beginning
	began   int64           // the first frame that has a row
	all     bool            // watch whatever comes
	wanted  map[string]bool // watch these when they come
	columns []int32         // column of each line, or -1; lines beyond its end have none
	width   int             // columns given
	stride  int             // columns that a row has room for
	lines   []line          // frames * stride
	touched []uint64        // frames * words()
	at      []time.Time     // when each row was closed
}

// Watch keeps the history of these names from now on. Names that the set does not have
// yet are watched as soon as it has them. Memory is taken here or when such a name
// comes, not in PushFrame: for each frame 64 bytes for a timer, and 64 for every eight
// others that were registered one after the other, even if only one of them is watched;
// up to twice that where rows have room to grow.
func (s *Set) Watch(names ...string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h := &s.history
	for _, name := range names {
		if c := s.find(name); c != nil {
			h.watch(c)
			continue
		}
		if h.wanted == nil {
			h.wanted = map[string]bool{}
		}
		h.wanted[name] = true
	}
}

// WatchAll keeps the history of all names, those to come too.
func (s *Set) WatchAll() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.history.all = true
	for _, c := range s.cells {
		if c != nil {
			s.history.watch(c)
		}
	}
}

// admit watches a new cell if its name is to be watched.
func (h *history) admit(c *cell) {
	if h.all || h.wanted[c.name] {
		h.watch(c)
		delete(h.wanted, c.name)
	}
}

func (h *history) watch(c *cell) {
	if c.since != notWatched {
		return
	}
	c.since = h.pushed
	for len(h.columns) <= c.line {
		h.columns = append(h.columns, -1)
	}
	if h.columns[c.line] >= 0 {
		return
	}
	if h.width == h.stride {
		h.grow()
	}
	h.columns[c.line] = int32(h.width)
	h.width++
}

// words returns how many words a row's bits take.
func (h *history) words() int { return (h.stride + 63) / 64 }

// grow makes rows twice as wide and keeps what they have.
func (h *history) grow() {
	if h.at == nil {
		h.at, h.began = make([]time.Time, h.frames), h.pushed
	}
	old := *h
	h.stride = max(4, 2*old.stride)
	h.lines = make([]line, h.frames*h.stride)
	h.touched = make([]uint64, h.frames*h.words())
	for row := range h.frames {
		lines, touched := old.row(row)
		toLines, toTouched := h.row(row)
		copy(toLines, lines)
		copy(toTouched, touched)
	}
}

func (h *history) row(row int) (lines []line, touched []uint64) {
	words := h.words()
	return h.lines[row*h.stride : (row+1)*h.stride], h.touched[row*words : (row+1)*words]
}

// PushFrame ends a frame. Call it at moments that are meaningful in the history. What was
// added by any goroutine or flushed by workers since the last frame goes into the history of
// watched counters, and the next frame starts at zero.
func (s *Set) PushFrame(at time.Time) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.collect()
	s.history.push(&s.frame, at)
	s.frame.moveTo(&s.total, s.kinds)
}

func (h *history) push(frame *sheet, at time.Time) {
	row := int(h.pushed % int64(h.frames))
	h.pushed++
	if h.width == 0 {
		return
	}
	h.at[row] = at
	lines, touched := h.row(row)
	clear(touched)
	for word, used := range frame.used {
		columns := h.columns[min(word*64, len(h.columns)):]
		for ; used != 0; used &= used - 1 {
			i := bits.TrailingZeros64(used) % 64
			if i >= len(columns) {
				break // none of these is watched
			}
			if column := columns[i]; column >= 0 {
				lines[column] = frame.pages[word][i]
				touched[column/64] |= 1 << (column % 64)
			}
		}
	}
}

// first returns the oldest frame that is kept.
func (h *history) first() int64 { return max(h.began, h.pushed-int64(h.frames)) }

// line returns what a watched cell had in a frame that is kept.
func (h *history) line(c *cell, frame int64) line {
	lines, touched := h.row(int(frame % int64(h.frames)))
	column := h.columns[c.line]
	if touched[column/64]&(1<<(column%64)) == 0 {
		return line{}
	}
	return lines[column]
}

// value returns the number that a cell shows: for a timer the nanoseconds of all calls.
func (l *line) value(c *cell, rate fastclock.Scale) float64 {
	switch c.kind {
	case KindCounter:
		return float64(l[c.slot])
	case KindFloat:
		return math.Float64frombits(uint64(l[c.slot]))
	}
	return float64(l.stat(rate).Total)
}

// History returns what a name had in each frame since it is watched, oldest first and
// at most Options.Frames of them; of a timer the nanoseconds of all its calls. It is
// nil for a name that is not watched.
func (s *Set) History(name string) []float64 {
	c, lines, rate := s.past(name)
	if c == nil {
		return nil
	}
	values := make([]float64, len(lines))
	for i := range lines {
		values[i] = lines[i].value(c, rate)
	}
	return values
}

// TimerHistory is [Set.History] with all that a timer measured in each frame. It is nil
// for a name that is not a timer.
func (s *Set) TimerHistory(name string) []Stat {
	c, lines, rate := s.past(name)
	if c == nil || c.kind != KindTimer {
		return nil
	}
	stats := make([]Stat, len(lines))
	for i := range lines {
		stats[i] = lines[i].stat(rate)
	}
	return stats
}

// past returns what is kept of a watched name; the cell is nil if there is none.
func (s *Set) past(name string) (c *cell, lines []line, rate fastclock.Scale) {
	if s == nil {
		return nil, nil, rate
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c = s.find(name)
	if c == nil || c.since == notWatched {
		return nil, nil, rate
	}
	h := &s.history
	for frame := max(h.first(), c.since); frame < h.pushed; frame++ {
		lines = append(lines, h.line(c, frame))
	}
	return c, lines, s.rate()
}

// Frame says which frame a row is.
type Frame struct {
	Number int64     // counted from 0, the first that was ever pushed
	At     time.Time // as given to PushFrame
}

// Rows returns the frames that are kept, oldest first, with the value of each of the
// names as [Set.History] has it; NaN where a name was not watched. The rows are those
// there are when the loop begins.
func (s *Set) Rows(names ...string) iter.Seq2[Frame, []float64] {
	return func(yield func(Frame, []float64) bool) {
		frames, values := s.rows(names)
		for i, f := range frames {
			if !yield(f, values[i*len(names):(i+1)*len(names):(i+1)*len(names)]) {
				return
			}
		}
	}
}

// rows copies what Rows yields, because the loop's body may want the set's lock.
func (s *Set) rows(names []string) (frames []Frame, values []float64) {
	if s == nil {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h, rate := &s.history, s.rate()
	if h.width == 0 {
		return nil, nil
	}
	cells := make([]*cell, len(names))
	for i, name := range names {
		cells[i] = s.find(name)
	}
	for frame := h.first(); frame < h.pushed; frame++ {
		frames = append(frames, Frame{frame, h.at[frame%int64(h.frames)]})
		for _, c := range cells {
			value := math.NaN()
			if c != nil && c.since != notWatched && c.since <= frame {
				l := h.line(c, frame)
				value = l.value(c, rate)
			}
			values = append(values, value)
		}
	}
	return frames, values
}
