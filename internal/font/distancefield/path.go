package distancefield

import (
	"math"
	"slices"
)

// A Point is a place in pixels, with y growing downward.
type Point struct{ X, Y float64 }

// A Path collects contours. Each starts with MoveTo; a contour that does not end at its start is
// closed by a line. The zero value is empty. Anything drawn before MoveTo starts at 0, 0.
type Path struct {
	pieces     []curve
	start, end Point
	err        error
}

// MoveTo starts a contour.
func (p *Path) MoveTo(to Point) {
	p.close()
	p.start, p.end = to, to
}

// LineTo draws a line.
func (p *Path) LineTo(to Point) {
	p.addCurve(curve{p: [4]Point{p.end, to}, n: 1})
}

// QuadTo draws a quadratic Bézier curve.
func (p *Path) QuadTo(control, to Point) {
	p.addCurve(curve{p: [4]Point{p.end, control, to}, n: 2})
}

// CubeTo draws a cubic Bézier curve.
func (p *Path) CubeTo(control1, control2, to Point) {
	p.addCurve(curve{p: [4]Point{p.end, control1, control2, to}, n: 3})
}

func (p *Path) close() {
	if p.end != p.start {
		p.LineTo(p.start)
	}
}

// addCurve cuts a curve where it turns around in x or y, and adds the pieces. Ends that meet stay
// exactly the same point, which winding numbers require.
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
		list = turns(list, c.n, c.p[0].X, c.p[1].X, c.p[2].X, c.p[3].X)
		list = turns(list, c.n, c.p[0].Y, c.p[1].Y, c.p[2].Y, c.p[3].Y)
		slices.Sort(list)
	}
	for _, piece := range c.cut(list) {
		if len(p.pieces) >= maxPieces {
			p.err = ErrTangled
			return
		}
		p.pieces = append(p.pieces, piece)
	}
}

// turns appends the places between 0 and 1 where one coordinate of a curve stops growing or
// shrinking.
func turns(list []float64, degree int, a, b, c, d float64) []float64 {
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
	// This form does not subtract almost equal numbers.
	h := -(q1 + math.Copysign(root, q1)) / 2
	keep(h / q2)
	keep(q0 / h)
	return list
}
