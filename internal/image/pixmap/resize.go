package pixmap

import (
	"context"
	"fmt"
	"math/bits"
)

// Resize returns m scaled to w by h pixels, at the same depth. It returns m itself if it already
// has that size.
func Resize(ctx context.Context, m *Map, w, h int, s Sampling) (*Map, error) {
	if w < 1 || h < 1 {
		return nil, fmt.Errorf("resize to %d x %d pixels: a side must have at least one pixel", w, h)
	}
	if w == m.W && h == m.H {
		return m, ctx.Err()
	}
	opaque, err := Opaque(ctx, m)
	if err != nil {
		return nil, err
	}
	l := newLight(m, s)
	buf := make([]float32, 4*m.W)
	c := newScaler(l, s, s.weighs() && !opaque, m.W, m.H, w, h, func(y int) []float32 {
		l.widenRow(buf, y)
		return buf
	})
	made, row, spare := New(w, h, m.Depth()), make([]float32, 4*w), make([]float32, 4*w)
	for y := range h {
		if err := c.makeRow(ctx, y, row); err != nil {
			return nil, err
		}
		l.narrowRow(made, y, row, spare)
	}
	return made, nil
}

// ResizeMemory returns an upper bound on the bytes that Resize holds at once when it scales from w
// by h to tw by th pixels, including the returned map but not the given one.
func ResizeMemory(w, h, tw, th int, d Depth, f Filter) int64 {
	if w == tw && h == th {
		return 0
	}
	return int64(tw)*int64(th)*bytesPerPixel(d) + scalerMemory(f, w, h, tw, th) + 32*int64(tw) + curveMemory
}

// Fit returns the size of an image of w by h pixels after it is scaled down so that neither side
// exceeds longest. The proportions stay the same, up to rounding.
func Fit(w, h, longest int) (int, int) {
	if w <= longest && h <= longest {
		return w, h
	}
	scaled := func(a, b int) int { // the result is a * longest / b, rounded
		return max(1, int((2*int64(a)*int64(longest)+int64(b))/(2*int64(b))))
	}
	if w >= h {
		return longest, scaled(h, w)
	}
	return scaled(w, h), longest
}

// A Rounding is a way to round an integer to a power of two.
type Rounding uint8

// These are the values of Rounding.
const (
	Down    Rounding = iota // the largest power of two that is at most the value
	Up                      // the smallest power of two that is at least the value
	Nearest                 // the nearest power of two; the larger one in case of a tie
)

// PowerOfTwo rounds n to a power of two. n must be at least 1 and at most 1<<30.
func (r Rounding) PowerOfTwo(n int) int {
	down := 1 << (bits.Len(uint(n)) - 1)
	if r == Down || down == n || r == Nearest && n-down < 2*down-n {
		return down
	}
	return 2 * down
}

// An image is scaled horizontally first, then vertically. Horizontally filtered rows are kept as
// long as output rows need them. Weights are integers. Sums have more bits than the stored values,
// so that an area of one color keeps its color.

// Lanes of a sum are red, green, blue and alpha. If colors are weighted, there are also red, green
// and blue times alpha.
const (
	plainLanes = 4
	seenLanes  = 7
)

// A scaler computes the rows of a resized image.
type scaler struct {
	across, down axis
	s            Sampling
	weigh        bool
	lanes        int
	w, h         int                   // size of the source
	source       func(y int) []float32 // returns a row of the source; nil in a stage, which gets its rows from feed
	lines        [][]float64           // horizontally filtered rows; row i is lines[i%len(lines)]
	held         []int                 // number of the row that each line holds
	sum          []float64             // weighted sums of the current row
	alphaTop     float64
	colorTop     float64
	// faint is the alpha below which weighted colors are unusable, because positive and negative
	// weights may cancel each other out.
	faint float64
}

// newScaler returns a scaler from w by h to tw by th pixels. A row returned by source must stay
// valid until the next call.
func newScaler(l light, s Sampling, weigh bool, w, h, tw, th int, source func(y int) []float32) *scaler {
	c := &scaler{
		across: newAxis(s.Filter, w, tw), down: newAxis(s.Filter, h, th),
		s: s, weigh: weigh, lanes: plainLanes, w: w, h: h, source: source,
		alphaTop: l.alphaTop(), colorTop: l.colorTop(),
	}
	if weigh {
		c.lanes = seenLanes
	}
	if s.Filter != Box {
		c.faint = l.alphaTop() / 1024
	}
	c.lines, c.held = make([][]float64, c.down.most), make([]int, c.down.most)
	for i := range c.lines {
		c.lines[i], c.held[i] = make([]float64, c.lanes*tw), -1<<31
	}
	c.sum = make([]float64, c.lanes*tw)
	return c
}

// makeRow computes output row y from the source's rows.
func (c *scaler) makeRow(ctx context.Context, y int, out []float32) error {
	span := c.down.spans[y]
	for i := span.first; i < span.first+len(span.weights); i++ {
		slot := (i%len(c.lines) + len(c.lines)) % len(c.lines)
		if c.held[slot] != i {
			if err := ctx.Err(); err != nil {
				return err
			}
			c.filterAcross(c.lines[slot], c.source(c.s.WrapY.wrapIndex(i, c.h)))
			c.held[slot] = i
		}
	}
	c.combineLines(span, out, func(i int) []float64 { return c.lines[(i%len(c.lines)+len(c.lines))%len(c.lines)] })
	return nil
}

// combineLines computes an output row from the lines of a span.
func (c *scaler) combineLines(span span, out []float32, line func(i int) []float64) {
	clear(c.sum)
	for k, weight := range span.weights {
		line := line(span.first + k)[:len(c.sum)]
		for j := range c.sum {
			c.sum[j] += float64(weight * line[j])
		}
	}
	c.divideSums(out)
}

// filterAcross filters a row horizontally and stores the result in line.
func (c *scaler) filterAcross(line []float64, row []float32) {
	for x, span := range c.across.spans {
		var sum [seenLanes]float64
		for k, weight := range span.weights {
			i := span.first + k
			if i < 0 || i >= c.w {
				i = c.s.WrapX.wrapIndex(i, c.w)
			}
			p := row[4*i : 4*i+4 : 4*i+4]
			red, green, blue := float64(p[0]), float64(p[1]), float64(p[2])
			alpha := float64(weight * float64(p[3]))
			sum[0] += float64(weight * red)
			sum[1] += float64(weight * green)
			sum[2] += float64(weight * blue)
			sum[3] += alpha
			if c.weigh {
				sum[4] += float64(alpha * red)
				sum[5] += float64(alpha * green)
				sum[6] += float64(alpha * blue)
			}
		}
		copy(line[c.lanes*x:c.lanes*(x+1)], sum[:])
	}
}

// divideSums computes the pixels of a row from its sums.
func (c *scaler) divideSums(out []float32) {
	total := c.across.total * c.down.total
	for x := range len(out) / 4 {
		sum, p := c.sum[c.lanes*x:c.lanes*(x+1)], out[4*x:4*x+4:4*x+4]
		alpha := sum[3]
		p[3] = float32(max(0, min(c.alphaTop, alpha/total)))
		if c.weigh && alpha > total*c.faint {
			p[0] = float32(max(0, min(c.colorTop, sum[4]/alpha)))
			p[1] = float32(max(0, min(c.colorTop, sum[5]/alpha)))
			p[2] = float32(max(0, min(c.colorTop, sum[6]/alpha)))
			continue
		}
		p[0] = float32(max(0, min(c.colorTop, sum[0]/total)))
		p[1] = float32(max(0, min(c.colorTop, sum[1]/total)))
		p[2] = float32(max(0, min(c.colorTop, sum[2]/total)))
	}
}

// A stage computes the rows of one level while the rows of the level above it arrive.
//
// Rows arrive in order. With WrapY == Repeat the order is circular, because the first rows of a
// level also depend on the last rows of the level above. A stage computes these first rows last,
// and the next stage starts at a later row. Row numbers then continue past the lower edge: row h+i
// is row i again.
type stage struct {
	c    *scaler
	from int // index of the row that arrives first
	fed  int // number of rows that have arrived
	next int // index of the row to compute next
	end  int // index after the last row to compute
	// first holds the first lines, which are needed again for the last rows. It is used only with
	// Repeat.
	first [][]float64
	// all is set if the stage keeps every line and starts to compute when the last line has
	// arrived, because the level is not much higher than the filter. It is used only with Repeat.
	all  bool
	row  []float32
	emit func(y int, row []float32) error
}

func newStage(c *scaler) *stage {
	s := &stage{c: c, end: len(c.down.spans), row: make([]float32, 4*len(c.across.spans))}
	if s.repeatsDown() && c.h <= 2*c.down.most {
		s.all = true
		for len(c.lines) < c.h {
			c.lines = append(c.lines, make([]float64, len(c.sum)))
		}
	}
	s.beginAt(0)
	return s
}

func (s *stage) repeatsDown() bool { return s.c.s.Filter != Box && s.c.s.WrapY == Repeat }

// followStage starts the stage at the row that the previous stage computes first.
func (s *stage) followStage(before *stage) { s.beginAt(before.next) }

// beginAt sets the first row to arrive. The first output row is the first one that needs no earlier
// rows.
func (s *stage) beginAt(from int) {
	s.from, s.next, s.end = from, 0, len(s.c.down.spans)
	if s.all || !s.repeatsDown() {
		return
	}
	for s.spanOfRow(s.next).first < from {
		s.next++
	}
	s.end += s.next
	s.first = make([][]float64, s.c.down.most)
	for i := range s.first {
		s.first[i] = make([]float64, len(s.c.sum))
	}
}

// spanOfRow returns the span of row y, which may be beyond the lower edge.
func (s *stage) spanOfRow(y int) span {
	n := len(s.c.down.spans)
	w := s.c.down.spans[y%n]
	w.first += y / n * s.c.h
	return w
}

// feed accepts the next row of the level above and computes every row that is now complete.
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
		w := s.spanOfRow(s.next)
		last := w.first + len(w.weights) - 1
		if !s.repeatsDown() {
			last = min(last, s.c.h-1)
		}
		if s.fed < s.c.h && (s.all || last > at) {
			return nil
		}
		s.c.combineLines(w, s.row, s.stageLine)
		if err := s.emit(s.next%len(s.c.down.spans), s.row); err != nil {
			return err
		}
	}
	return nil
}

// stageLine returns the line of row i, which may be beyond the edges.
func (s *stage) stageLine(i int) []float64 {
	switch {
	case s.all || !s.repeatsDown():
		i = s.c.s.WrapY.wrapIndex(i, s.c.h)
	case s.fed >= s.c.h && i >= s.from+s.c.h: // the lines of the first rows are used again
		return s.first[i-s.from-s.c.h]
	}
	return s.c.lines[i%len(s.c.lines)]
}
