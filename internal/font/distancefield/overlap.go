package distancefield

import (
	"context"
	"math"
	"slices"
)

// findBoundary cuts the pieces where they cross. It returns the parts that separate the inside from
// the outside, and whether the inside is to the right of each part.
func findBoundary(ctx context.Context, pieces []curve) (edges []curve, rightward []bool, err error) {
	m := meeting{cuts: make([][]float64, len(pieces))}
	for i := range pieces {
		if i%looksEvery == 0 {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
		}
		for j := i + 1; j < len(pieces); j++ {
			if pieces[i].hasApartBox(&pieces[j]) {
				continue
			}
			m.collectCrossings(pieces, i, j)
			if m.steps > maxSteps {
				return nil, nil, ErrTangled
			}
			if m.sinceLook > stepsPerLook {
				m.sinceLook = 0
				if err := ctx.Err(); err != nil {
					return nil, nil, err
				}
			}
		}
	}
	judged := 0
	for i := range pieces {
		slices.Sort(m.cuts[i])
		for _, part := range pieces[i].cutAt(m.cuts[i]) {
			if judged%looksEvery == 0 {
				if err := ctx.Err(); err != nil {
					return nil, nil, err
				}
			}
			if judged++; judged > 2*maxPieces {
				return nil, nil, ErrTangled
			}
			if left, right := insideSides(pieces, &part); left != right {
				edges, rightward = append(edges, part), append(rightward, right)
			}
		}
	}
	return edges, rightward, nil
}

const (
	// looksEvery is the number of pieces, or parts, that are compared with all others between two
	// checks of the context.
	looksEvery = 64
	// maxSteps limits the subdivisions in the search for crossings. stepsPerLook is the number of
	// subdivisions between two checks of the context. Two pieces that meet at an endpoint take
	// about 60.
	maxSteps     = 1 << 22
	stepsPerLook = 1 << 16
	// maxPairSteps limits the subdivisions for a pair of pieces. Pieces that coincide reach the
	// limit; they need no cut.
	maxPairSteps = 4096
	// crossingSize is the precision of crossings, in pixels.
	crossingSize = 1.0 / (1 << 24)
	// rounding is larger than the relative error of coordinates after all subdivisions.
	rounding = 1.0 / (1 << 46)
	// besideDistance is the distance in pixels from a part to the points that are tested for being
	// inside.
	besideDistance = 1.0 / (1 << 18)
	// shortest is the minimum length of parts that can be tested. Shorter parts, where several
	// pieces cross at one point, are invisible.
	shortest = 1.0 / (1 << 16)
)

// hasApartBox reports whether the bounding boxes of two pieces do not touch.
func (c *curve) hasApartBox(d *curve) bool {
	return c.minX > d.maxX || d.minX > c.maxX || c.minY > d.maxY || d.minY > c.maxY
}

// isAside reports whether d does not touch the smallest strip parallel to c's chord that contains
// c.
func (c *curve) isAside(d *curve) bool {
	from, to := c.p[0], c.p[c.n]
	chord := Point{to.X - from.X, to.Y - from.Y}
	// reach returns the lowest and the highest signed distance of points from the chord, multiplied
	// by the chord's length.
	reach := func(points []Point) (low, high float64) {
		low, high = math.Inf(1), math.Inf(-1)
		for _, p := range points {
			s := float64(chord.X*(p.Y-from.Y)) - float64(chord.Y*(p.X-from.X))
			low, high = min(low, s), max(high, s)
		}
		return low, high
	}
	low, high := reach(c.p[:c.n+1])
	otherLow, otherHigh := reach(d.p[:d.n+1])
	// size bounds the rounding errors of subdivision.
	size := c.maxX - c.minX + c.maxY - c.minY + d.maxX - d.minX + d.maxY - d.minY
	far := max(math.Abs(c.minX), math.Abs(c.maxX), math.Abs(c.minY), math.Abs(c.maxY))
	margin := float64(size * far * rounding)
	return otherLow > high+margin || otherHigh < low-margin
}

// insideSides reports whether the points just left and just right of a part are inside the outline.
// It returns false for both if the part is too short to be tested.
func insideSides(pieces []curve, part *curve) (left, right bool) {
	if part.maxX-part.minX < shortest && part.maxY-part.minY < shortest {
		return false, false
	}
	before, after := part.splitAt(0.5)
	at := after.p[0]
	// d is the direction of the part at its middle, or of its chord if the derivative is 0.
	a, b := before.p[part.n-1], after.p[1]
	if a == b {
		a, b = part.p[0], part.p[part.n]
	}
	d := Point{b.X - a.X, b.Y - a.Y}
	length := math.Sqrt(dot(d, d))
	if length == 0 {
		return false, false
	}
	x, y := float64(d.Y/length*besideDistance), float64(d.X/length*besideDistance)
	left = winding(pieces, Point{at.X + x, at.Y - y}) != 0
	right = winding(pieces, Point{at.X - x, at.Y + y}) != 0
	return left, right
}

// A meeting collects the crossings of pieces: cuts[i] are parameters on piece i.
type meeting struct {
	cuts      [][]float64
	steps     int
	sinceLook int
}

func (m *meeting) collectCrossings(pieces []curve, i, j int) {
	a, b := &pieces[i], &pieces[j]
	if a.n == 1 && b.n == 1 {
		m.steps++
		m.sinceLook++
		t, u := crossLines(a, b)
		m.cuts[i] = append(m.cuts[i], t...)
		m.cuts[j] = append(m.cuts[j], u...)
		return
	}
	pair := pairing{m: m, i: i, j: j, left: maxPairSteps}
	pair.narrowCrossing(*a, *b, 0, 1, 0, 1)
	m.steps += maxPairSteps - pair.left
	m.sinceLook += maxPairSteps - pair.left
}

// A pairing searches for the crossings of two pieces.
type pairing struct {
	m    *meeting
	i, j int
	left int // number of subdivisions until the search gives up
}

// narrowCrossing subdivides two pieces until they are clearly separate, or almost points. If they
// cross at a small angle, their bounding boxes overlap for many steps. Then strips along their
// chords separate them, because the width of a strip shrinks with the square of its length. a is
// piece i from parameter t0 to t1, b is piece j from u0 to u1.
func (p *pairing) narrowCrossing(a, b curve, t0, t1, u0, u1 float64) {
	if p.left <= 0 || a.hasApartBox(&b) {
		return
	}
	p.left--
	if a.isAside(&b) || b.isAside(&a) {
		return
	}
	smallA := a.maxX-a.minX < crossingSize && a.maxY-a.minY < crossingSize
	smallB := b.maxX-b.minX < crossingSize && b.maxY-b.minY < crossingSize
	switch {
	case smallA && smallB:
		p.m.cuts[p.i] = addCut(p.m.cuts[p.i], float64((t0+t1)/2))
		p.m.cuts[p.j] = addCut(p.m.cuts[p.j], float64((u0+u1)/2))
		// If adjacent boxes find the same crossing, addCut keeps only one cut.
	case smallB || !smallA && a.maxX-a.minX+a.maxY-a.minY >= b.maxX-b.minX+b.maxY-b.minY:
		before, after := a.splitAt(0.5)
		t := float64((t0 + t1) / 2)
		p.narrowCrossing(before.boxed(), b, t0, t, u0, u1)
		p.narrowCrossing(after.boxed(), b, t, t1, u0, u1)
	default:
		before, after := b.splitAt(0.5)
		u := float64((u0 + u1) / 2)
		p.narrowCrossing(a, before.boxed(), t0, t1, u0, u)
		p.narrowCrossing(a, after.boxed(), t0, t1, u, u1)
	}
}

// sameCut is the smallest difference of the parameters of two cuts, or of a cut and an endpoint.
// Closer cuts are omitted.
const sameCut = 1e-6

func addCut(cuts []float64, t float64) []float64 {
	if t < sameCut || t > 1-sameCut {
		return cuts
	}
	for _, other := range cuts {
		if math.Abs(other-t) < sameCut {
			return cuts
		}
	}
	return append(cuts, t)
}

// crossLines returns the parameters where the lines a and b cross. It finds no crossing of parallel
// lines.
func crossLines(a, b *curve) (onA, onB []float64) {
	d, e := Point{a.p[1].X - a.p[0].X, a.p[1].Y - a.p[0].Y}, Point{b.p[1].X - b.p[0].X, b.p[1].Y - b.p[0].Y}
	w := Point{b.p[0].X - a.p[0].X, b.p[0].Y - a.p[0].Y}
	across := float64(d.X*e.Y) - float64(d.Y*e.X)
	if across*across <= 1e-20*dot(d, d)*dot(e, e) {
		return nil, nil
	}
	t := (float64(w.X*e.Y) - float64(w.Y*e.X)) / across
	u := (float64(w.X*d.Y) - float64(w.Y*d.X)) / across
	if t < 0 || t > 1 || u < 0 || u > 1 {
		return nil, nil
	}
	return addCut(nil, t), addCut(nil, u)
}
