package distancefield

import "math"

// A curve is a Bézier curve of degree 1, 2 or 3. The curves of a Shape are monotone in x and in y,
// so that their endpoints are corners of their bounding box.
type curve struct {
	p                      [4]Point
	n                      int // n is the degree; the last control point is p[n]
	minX, maxX, minY, maxY float64
}

// boxed returns c with its bounding box, computed from its endpoints.
func (c curve) boxed() curve {
	a, b := c.p[0], c.p[c.n]
	c.minX, c.maxX = min(a.X, b.X), max(a.X, b.X)
	c.minY, c.maxY = min(a.Y, b.Y), max(a.Y, b.Y)
	return c
}

// isPoint reports whether all points of c are equal.
func (c *curve) isPoint() bool {
	for i := 1; i <= c.n; i++ {
		if c.p[i] != c.p[0] {
			return false
		}
	}
	return true
}

// cutAt divides c at ascending parameters between 0 and 1. It omits pieces whose points are all
// equal.
func (c curve) cutAt(at []float64) []curve {
	pieces := make([]curve, 0, len(at)+1)
	keep := func(piece curve) {
		if !piece.isPoint() {
			pieces = append(pieces, piece.boxed())
		}
	}
	done := 0.0
	for _, t := range at {
		if t <= done || t >= 1 {
			continue
		}
		var piece curve
		piece, c = c.splitAt((t - done) / (1 - done))
		keep(piece)
		done = t
	}
	keep(c)
	return pieces
}

// splitAt divides c at parameter t by de Casteljau's algorithm.
func (c *curve) splitAt(t float64) (before, after curve) {
	before.n, after.n = c.n, c.n
	w := c.p
	for k := 0; k <= c.n; k++ {
		before.p[k] = w[0]
		after.p[c.n-k] = w[c.n-k]
		for i := 0; i < c.n-k; i++ {
			w[i] = betweenPoints(w[i], w[i+1], t)
		}
	}
	return before, after
}

// pointAt returns the point at parameter t.
func (c *curve) pointAt(t float64) Point {
	w := c.p
	for k := c.n; k > 0; k-- {
		for i := 0; i < k; i++ {
			w[i] = betweenPoints(w[i], w[i+1], t)
		}
	}
	return w[0]
}

func betweenPoints(a, b Point, t float64) Point {
	return Point{mixPoints(a.X, b.X, t), mixPoints(a.Y, b.Y, t)}
}

func mixPoints(a, b, t float64) float64 { return float64(a*(1-t)) + float64(b*t) }

// crossingSign returns +1 if c crosses height y downward, -1 if it crosses upward, and 0 if it does
// not cross. An endpoint at y counts for only one of the two curves that meet there.
func (c *curve) crossingSign(y float64) int {
	from, to := c.p[0].Y, c.p[c.n].Y
	switch {
	case from <= y && y < to:
		return 1
	case to <= y && y < from:
		return -1
	}
	return 0
}

// atY returns the x where c crosses height y, which must be between its endpoints.
func (c *curve) atY(y float64) float64 {
	a, b := c.p[0], c.p[c.n]
	if c.n == 1 {
		return mixPoints(a.X, b.X, (y-a.Y)/(b.Y-a.Y))
	}
	low, high := 0.0, 1.0
	down := a.Y < b.Y
	for range 50 { // 50 halvings reach the precision of float64
		t := (low + high) / 2
		if (c.pointAt(t).Y <= y) == down {
			low = t
		} else {
			high = t
		}
	}
	return c.pointAt((low + high) / 2).X
}

// winding returns how often the contours wind around a point.
func winding(pieces []curve, at Point) int {
	sum := 0
	for i := range pieces {
		sum += pieces[i].windingShare(at)
	}
	return sum
}

// windingShare returns c's contribution to the winding number of a point: its crossingSign if c is
// to the left of the point, otherwise 0.
func (c *curve) windingShare(at Point) int {
	if at.Y < c.minY || at.Y >= c.maxY || at.X < c.minX {
		return 0
	}
	if turn := c.crossingSign(at.Y); at.X > c.maxX || c.atY(at.Y) < at.X {
		return turn
	}
	return 0
}

// distance2 returns the squared distance from q to the curve, or best if best is less.
func (c *curve) distance2(q Point, best float64) float64 {
	if c.n == 1 {
		return min(best, lineDistance2(c.p[0], c.p[1], q))
	}
	best, _ = c.nearestPlace(q, best)
	return best
}

// nearestPlace is like distance2, for curves other than lines. It also returns the parameter of the
// nearest point on the curve, or -1 if no point is closer than best.
func (c *curve) nearestPlace(q Point, best float64) (distance2, t float64) {
	s := search{c: c, q: q, best: best, at: -1}
	s.tryPlace(0)
	s.tryPlace(1)
	s.descendBetween(c.distanceSlope(q), 0, 1, maxHalvings)
	return s.best, s.at
}

// lineDistance2 returns the squared distance from q to the line segment from a to b.
func lineDistance2(a, b, q Point) float64 {
	d, v := Point{b.X - a.X, b.Y - a.Y}, Point{q.X - a.X, q.Y - a.Y}
	if along, length2 := dot(d, v), dot(d, d); along >= length2 {
		v = Point{q.X - b.X, q.Y - b.Y}
	} else if along > 0 {
		across := float64(d.X*v.Y) - float64(d.Y*v.X)
		return float64(across*across) / length2
	}
	return dot(v, v)
}

func dot(a, b Point) float64 { return float64(a.X*b.X) + float64(a.Y*b.Y) }

// A slope is a polynomial in Bernstein form: the dot product of a curve's derivative with the curve
// minus q. It is positive where the distance to q increases along the curve. Its degree is 3 for
// quadratic curves and 5 for cubic ones.
type slope struct {
	k      [6]float64
	degree int
}

// productWeights holds the factors for multiplying two polynomials in Bernstein form. The product
// of coefficients i and j adds to coefficient i+j with weight C(n,i) C(n-1,j) / C(2n-1,i+j).
var productWeights = [4][4][3]float64{
	2: {{1, 1. / 3}, {2. / 3, 2. / 3}, {1. / 3, 1}},
	3: {{1, 2. / 5, 1. / 10}, {3. / 5, 6. / 10, 3. / 10}, {3. / 10, 6. / 10, 3. / 5}, {1. / 10, 2. / 5, 1}},
}

func (c *curve) distanceSlope(q Point) slope {
	s := slope{degree: 2*c.n - 1}
	for i := 0; i <= c.n; i++ {
		from := Point{c.p[i].X - q.X, c.p[i].Y - q.Y}
		for j := 0; j < c.n; j++ {
			step := Point{c.p[j+1].X - c.p[j].X, c.p[j+1].Y - c.p[j].Y}
			s.k[i+j] += float64(productWeights[c.n][i][j] * dot(from, step))
		}
	}
	return s
}

// signChanges returns how often the coefficients change sign, ignoring zeros, and whether the first
// nonzero one is negative. The number of roots equals the number of sign changes or is less by an
// even number.
func (s *slope) signChanges() (n int, falling bool) {
	last := 0.0
	for _, k := range s.k[:s.degree+1] {
		switch {
		case k == 0:
		case last == 0:
			falling, last = k < 0, k
		case (k < 0) != (last < 0):
			n++
			last = k
		}
	}
	return n, falling
}

// splitSlope divides the polynomial at the middle of its interval.
func (s *slope) splitSlope() (before, after slope) {
	before.degree, after.degree = s.degree, s.degree
	w := s.k
	for k := 0; k <= s.degree; k++ {
		before.k[k] = w[0]
		after.k[s.degree-k] = w[s.degree-k]
		for i := 0; i < s.degree-k; i++ {
			w[i] = (w[i] + w[i+1]) / 2
		}
	}
	return before, after
}

// valueAt returns the polynomial's value and its derivative at u.
func (s *slope) valueAt(u float64) (value, derivative float64) {
	w := s.k
	for k := s.degree; k > 1; k-- {
		for i := 0; i < k; i++ {
			w[i] = mixPoints(w[i], w[i+1], u)
		}
	}
	return mixPoints(w[0], w[1], u), float64(s.degree) * (w[1] - w[0])
}

// findRoot returns the root between 0 and 1 of a polynomial that is first negative and then
// positive. It uses Newton's method, and bisection where a Newton step leaves the interval. An
// error of 1e-9 does not change the distance to first order.
func (s *slope) findRoot() float64 {
	low, high, u := 0.0, 1.0, 0.5
	for range 60 {
		value, derivative := s.valueAt(u)
		if value < 0 {
			low = u
		} else {
			high = u
		}
		next := u - value/derivative
		if !(next > low && next < high) {
			next = (low + high) / 2
		}
		if math.Abs(next-u) < 1e-9 {
			return next
		}
		u = next
	}
	return u
}

// maxHalvings limits the search for roots. Two roots closer than 2^-20 of the curve's parameter
// range may not be separated.
const maxHalvings = 20

// A search looks for the point of a curve that is closest to q.
type search struct {
	c    *curve
	q    Point
	best float64
	at   float64 // parameter of the nearest point on the curve
}

func (s *search) tryPlace(t float64) {
	p := s.c.pointAt(t)
	v := Point{p.X - s.q.X, p.Y - s.q.Y}
	if d := dot(v, v); d <= s.best {
		s.best, s.at = d, t
	}
}

// descendBetween searches for minima of the distance between the parameters low and high. f is the
// slope. A single root of f is a minimum if the distance decreases before it, otherwise a maximum.
func (s *search) descendBetween(f slope, low, high float64, halvings int) {
	n, falling := f.signChanges()
	switch {
	case n == 0 || n == 1 && !falling:
	case n == 1:
		s.tryPlace(mixPoints(low, high, f.findRoot()))
	default:
		middle := (low + high) / 2
		s.tryPlace(middle) // a root exactly at the middle is not counted in either half
		if halvings > 0 {
			before, after := f.splitSlope()
			s.descendBetween(before, low, middle, halvings-1)
			s.descendBetween(after, middle, high, halvings-1)
		}
	}
}
