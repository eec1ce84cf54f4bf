package pixmap

import "context"

// A stage makes the rows of one level while the rows of the level above it arrive.
//
// Rows arrive in order. With WrapY == Repeat the order is circular: the first rows of
// a level also depend on the last rows of the level above, so they are made last, and
// the next stage starts at a later row. Row numbers then run past the lower edge: row
// h+i is row i again.
type stage struct {
	c    *scaler
	from int // the row that arrives first
	fed  int // rows that have arrived
	next int // the row to make next
	end  int // where to stop
	// first holds the first lines, which the last rows need again. Repeat only.
	first [][]float64
	// all keeps every line and makes nothing until the last one is there: the level
	// is not much higher than the filter. Repeat only.
	all  bool
	row  []float32
	emit func(y int, row []float32) error
}

func newStage(c *scaler) *stage {
	s := &stage{c: c, end: len(c.down.spans), row: make([]float32, 4*len(c.across.spans))}
	if s.repeats() && c.h <= 2*c.down.most {
		s.all = true
		for len(c.lines) < c.h {
			c.lines = append(c.lines, make([]float64, len(c.sum)))
		}
	}
	s.begin(0)
	return s
}

func (s *stage) repeats() bool { return s.c.s.Filter != Box && s.c.s.WrapY == Repeat }

// follow starts the stage in the order of rows of the stage before.
func (s *stage) follow(before *stage) { s.begin(before.next) }

// begin sets the row that arrives first, and starts with the first output row that needs no earlier
// row.
func (s *stage) begin(from int) {
	s.from, s.next, s.end = from, 0, len(s.c.down.spans)
	if s.all || !s.repeats() {
		return
	}
	for s.window(s.next).first < from {
		s.next++
	}
	s.end += s.next
	s.first = make([][]float64, s.c.down.most)
	for i := range s.first {
		s.first[i] = make([]float64, len(s.c.sum))
	}
}

// window returns the span of row y, which may be beyond the lower edge.
func (s *stage) window(y int) span {
	n := len(s.c.down.spans)
	w := s.c.down.spans[y%n]
	w.first += y / n * s.c.h
	return w
}

// feed takes the next row of the level above and makes every row that is now complete.
func (s *stage) feed(ctx context.Context, row []float32) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	at := s.from + s.fed
	line := s.stageLine(at)
	s.c.filterAcross(line, row)
	if s.fed < len(s.first) {
		copy(s.first[s.fed], line)
	}
	s.fed++
	for ; s.next < s.end; s.next++ {
		w := s.window(s.next)
		last := w.first + len(w.weights) - 1
		if !s.repeats() {
			last = min(last, s.c.h-1)
		}
		if s.fed < s.c.h && (s.all || last > at) {
			return nil
		}
		s.c.combine(w, s.row, s.stageLine)
		if err := s.emit(s.next%len(s.c.down.spans), s.row); err != nil {
			return err
		}
	}
	return nil
}

// stageLine returns the line of row i, which may be beyond the edges.
func (s *stage) stageLine(i int) []float64 {
	switch {
	case s.all || !s.repeats():
		i = s.c.s.WrapY.index(i, s.c.h)
	case s.fed >= s.c.h && i >= s.from+s.c.h: // around the edge
		return s.first[i-s.from-s.c.h]
	}
	return s.c.lines[i%len(s.c.lines)]
}
