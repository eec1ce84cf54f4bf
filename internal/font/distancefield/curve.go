package distancefield

// A curve is a Bézier curve of degree 1, 2 or 3. The curves of a Shape are monotone in x and in y,
// so that their ends are the corners of their box.
type curve struct {
	p                      [4]Point
	n                      int // degree; the last point is p[n]
	minX, maxX, minY, maxY float64
}

// boxed returns c with its box, computed from its ends.
func (c curve) boxed() curve {
	a, b := c.p[0], c.p[c.n]
	c.minX, c.maxX = min(a.X, b.X), max(a.X, b.X)
	c.minY, c.maxY = min(a.Y, b.Y), max(a.Y, b.Y)
	return c
}

// still reports whether c is a point.
func (c *curve) still() bool {
	for i := 1; i <= c.n; i++ {
		if c.p[i] != c.p[0] {
			return false
		}
	}
	return true
}

// cut divides c at ascending places between 0 and 1. It leaves out pieces that are points.
func (c curve) cut(at []float64) []curve {
	pieces := make([]curve, 0, len(at)+1)
	keep := func(piece curve) {
		if !piece.still() {
			pieces = append(pieces, piece.boxed())
		}
	}
	done := 0.0
	for _, t := range at {
		if t <= done || t >= 1 {
			continue
		}
		var piece curve
		piece, c = c.split((t - done) / (1 - done))
		keep(piece)
		done = t
	}
	keep(c)
	return pieces
}

// split divides c in two at t, by de Casteljau's algorithm.
func (c *curve) split(t float64) (before, after curve) {
	before.n, after.n = c.n, c.n
	w := c.p
	for k := 0; k <= c.n; k++ {
		before.p[k] = w[0]
		after.p[c.n-k] = w[c.n-k]
		for i := 0; i < c.n-k; i++ {
			w[i] = between(w[i], w[i+1], t)
		}
	}
	return before, after
}

// at returns the point at t.
func (c *curve) at(t float64) Point {
	w := c.p
	for k := c.n; k > 0; k-- {
		for i := 0; i < k; i++ {
			w[i] = between(w[i], w[i+1], t)
		}
	}
	return w[0]
}

func between(a, b Point, t float64) Point {
	return Point{mix(a.X, b.X, t), mix(a.Y, b.Y, t)}
}

func mix(a, b, t float64) float64 { return float64(a*(1-t)) + float64(b*t) }

// turn returns +1 if c passes height y downward, -1 upward, 0 if it does not. An end at y counts
// for only one of two curves that meet there.
func (c *curve) turn(y float64) int {
	from, to := c.p[0].Y, c.p[c.n].Y
	switch {
	case from <= y && y < to:
		return 1
	case to <= y && y < from:
		return -1
	}
	return 0
}

// atY returns the x where c passes height y, which must be between its ends.
func (c *curve) atY(y float64) float64 {
	a, b := c.p[0], c.p[c.n]
	if c.n == 1 {
		return mix(a.X, b.X, (y-a.Y)/(b.Y-a.Y))
	}
	low, high := 0.0, 1.0
	down := a.Y < b.Y
	for range 50 { // to the precision of the numbers
		t := (low + high) / 2
		if (c.at(t).Y <= y) == down {
			low = t
		} else {
			high = t
		}
	}
	return c.at((low + high) / 2).X
}

// winding returns how many times the contours of the pieces go around a point.
func winding(pieces []curve, at Point) int {
	sum := 0
	for i := range pieces {
		sum += pieces[i].passed(at)
	}
	return sum
}

// passed returns c's share of the winding number of a point: its turn, if it is to the left.
func (c *curve) passed(at Point) int {
	if at.Y < c.minY || at.Y >= c.maxY || at.X < c.minX {
		return 0
	}
	if turn := c.turn(at.Y); at.X > c.maxX || c.atY(at.Y) < at.X {
		return turn
	}
	return 0
}
