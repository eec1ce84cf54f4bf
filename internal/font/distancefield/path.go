package distancefield

import (
	"context"
	"math"
	"slices"
)

// A Point is a position in pixels, with y growing downward.
type Point struct{ X, Y float64 }

// A Path collects contours. Each starts with MoveTo; a contour that does not end at its start is
// closed by a line. The zero value is empty. If drawing starts without MoveTo, it starts at 0, 0.
type Path struct {
	pieces     []curve
	start, end Point
	err        error
}

// MoveTo starts a contour.
func (p *Path) MoveTo(to Point) {
	p.closeContour()
	p.start, p.end = to, to
}

// LineTo adds a line.
func (p *Path) LineTo(to Point) {
	p.addCurve(curve{p: [4]Point{p.end, to}, n: 1})
}

// QuadTo adds a quadratic Bézier curve.
func (p *Path) QuadTo(control, to Point) {
	p.addCurve(curve{p: [4]Point{p.end, control, to}, n: 2})
}

// CubeTo adds a cubic Bézier curve.
func (p *Path) CubeTo(control1, control2, to Point) {
	p.addCurve(curve{p: [4]Point{p.end, control1, control2, to}, n: 3})
}

func (p *Path) closeContour() {
	if p.end != p.start {
		p.LineTo(p.start)
	}
}

// addCurve cuts a curve at its extremes in x and y, and adds the pieces. Adjacent pieces share
// exactly equal endpoints, as winding numbers require.
func (p *Path) addCurve(c curve) {
	for _, q := range c.p[:c.n+1] {
		if !(math.Abs(q.X) <= maxCoordinate && math.Abs(q.Y) <= maxCoordinate) {
			p.err = ErrFar
			return
		}
	}
	p.end = c.p[c.n]
	var cuts [4]float64
	list := cuts[:0]
	if c.n > 1 {
		list = appendExtremes(list, c.n, c.p[0].X, c.p[1].X, c.p[2].X, c.p[3].X)
		list = appendExtremes(list, c.n, c.p[0].Y, c.p[1].Y, c.p[2].Y, c.p[3].Y)
		slices.Sort(list)
	}
	for _, piece := range c.cutAt(list) {
		if len(p.pieces) >= maxPieces {
			p.err = ErrTangled
			return
		}
		p.pieces = append(p.pieces, piece)
	}
}

// appendExtremes appends the parameters between 0 and 1 where one coordinate of a curve has an
// extreme.
func appendExtremes(list []float64, degree int, a, b, c, d float64) []float64 {
	keep := func(t float64) {
		if t > 0 && t < 1 { // false for NaN
			list = append(list, t)
		}
	}
	if degree == 2 {
		keep((a - b) / (a - float64(2*b) + c))
		return list
	}
	// A third of the derivative is q2 t^2 + q1 t + q0.
	q0, q1 := b-a, 2*(a-float64(2*b)+c)
	q2 := d - a + float64(3*(b-c))
	root := math.Sqrt(float64(q1*q1) - float64(4*q2*q0))
	// This form of the quadratic formula avoids subtracting almost equal numbers.
	h := -(q1 + math.Copysign(root, q1)) / 2
	keep(h / q2)
	keep(q0 / h)
	return list
}

// Two edges are neighbors in a contour if their endpoints are at most joinDistance pixels apart.
// Edges shorter than tinyEdge are omitted, because crossings are inexact.
const (
	joinDistance = 1.0 / (1 << 11)
	tinyEdge     = 1.0 / (1 << 13)
)

// An outline holds the edges of a Shape in order, with the inside to their left.
type outline struct {
	edges []curve
	// starts holds the index of the first edge of each contour, followed by the number of edges.
	starts []int
	// open reports, for each contour, whether its two ends do not meet.
	open []bool
}

// orderEdges sorts the edges along contours. It keeps only one of several coinciding edges.
func (s *Shape) orderEdges(ctx context.Context) (*outline, error) {
	o := &outline{}
	var loose []curve
	at := places{}
	for i, c := range s.edges {
		if i%looksEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if max(c.maxX-c.minX, c.maxY-c.minY) < tinyEdge {
			continue
		}
		if s.rightward[i] {
			c = c.reverseCurve()
		}
		if !at.hasTwin(loose, &c) {
			at.addEdge(c.p[0], len(loose))
			loose = append(loose, c)
		}
	}
	used := make([]bool, len(loose))
	for first := range loose {
		if first%looksEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !used[first] {
			o.followContour(loose, used, at, first)
		}
	}
	o.starts = append(o.starts, len(o.edges))
	return o, nil
}

// followContour adds the contour that starts with the given edge. It moves the start of each edge
// to the end of the previous edge.
func (o *outline) followContour(loose []curve, used []bool, at places, first int) {
	from := len(o.edges)
	o.starts = append(o.starts, from)
	for next := first; next >= 0; {
		c := loose[next]
		used[next] = true
		if n := len(o.edges); n > from {
			c.p[0] = o.edges[n-1].p[o.edges[n-1].n]
			c = c.boxed()
		}
		o.edges = append(o.edges, c)
		end := c.p[c.n]
		if len(o.edges)-from > 1 && pointDistance(end, loose[first].p[0]) <= joinDistance {
			last := &o.edges[len(o.edges)-1]
			last.p[last.n] = o.edges[from].p[0]
			*last = last.boxed()
			o.open = append(o.open, false)
			return
		}
		next = at.nearestUnused(loose, used, end)
	}
	o.open = append(o.open, true)
}

func (c curve) reverseCurve() curve {
	r := c
	for i := range c.n + 1 {
		r.p[i] = c.p[c.n-i]
	}
	return r
}

// pointDistance returns the larger of the differences between two points' coordinates.
func pointDistance(a, b Point) float64 { return max(math.Abs(a.X-b.X), math.Abs(a.Y-b.Y)) }

// places maps cells of size joinDistance to the edges that start in them.
type places map[[2]int64][]int32

func cellOf(p Point) [2]int64 {
	return [2]int64{int64(math.Floor(p.X / joinDistance)), int64(math.Floor(p.Y / joinDistance))}
}

func (l places) addEdge(p Point, i int) { l[cellOf(p)] = append(l[cellOf(p)], int32(i)) }

// edgesNear passes each edge that may start within joinDistance of p to the function see.
func (l places) edgesNear(p Point, see func(i int)) {
	c := cellOf(p)
	for x := c[0] - 1; x <= c[0]+1; x++ {
		for y := c[1] - 1; y <= c[1]+1; y++ {
			for _, i := range l[[2]int64{x, y}] {
				see(int(i))
			}
		}
	}
}

// hasTwin reports whether one of the edges coincides with c.
func (l places) hasTwin(loose []curve, c *curve) (found bool) {
	l.edgesNear(c.p[0], func(i int) {
		d := &loose[i]
		found = found || pointDistance(c.p[0], d.p[0]) <= tinyEdge && pointDistance(c.p[c.n], d.p[d.n]) <= tinyEdge && pointDistance(c.pointAt(0.5), d.pointAt(0.5)) <= tinyEdge
	})
	return found
}

// nearestUnused returns the unused edge that starts closest to p, or -1. In case of a tie, it
// returns the first.
func (l places) nearestUnused(loose []curve, used []bool, p Point) int {
	best, distance := -1, joinDistance
	l.edgesNear(p, func(i int) {
		if d := pointDistance(p, loose[i].p[0]); !used[i] && (d < distance || d == distance && (best < 0 || i < best)) {
			best, distance = i, d
		}
	})
	return best
}
