package distancefield

import (
	"context"
	"math"
)

// Edges are taken for neighbors along a contour where their ends are this close, in pixels, and
// left out where they are so short: crossings are found but nearly.
const (
	joinDistance = 1.0 / (1 << 11)
	tinyEdge     = 1.0 / (1 << 13)
)

// An outline is the edges of a Shape in order: along each, inside is to the left.
type outline struct {
	edges []curve
	// starts are the numbers of the first edges of contours, and of one behind the last.
	starts []int
	// open says of each contour that its ends do not meet.
	open []bool
}

// outline puts the edges in order. Of edges that lie on each other one is left.
func (s *Shape) outline(ctx context.Context) (*outline, error) {
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
			c = c.reversed()
		}
		if !at.hasTwin(loose, &c) {
			at.add(c.p[0], len(loose))
			loose = append(loose, c)
		}
	}
	used := make([]bool, len(loose))
	for first := range loose {
		if first%looksEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !used[first] {
			o.follow(loose, used, at, first)
		}
	}
	o.starts = append(o.starts, len(o.edges))
	return o, nil
}

// follow adds the contour that an edge is the first of. Each edge begins right where the one
// before ends.
func (o *outline) follow(loose []curve, used []bool, at places, first int) {
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
		if len(o.edges)-from > 1 && apart(end, loose[first].p[0]) <= joinDistance {
			last := &o.edges[len(o.edges)-1]
			last.p[last.n] = o.edges[from].p[0]
			*last = last.boxed()
			o.open = append(o.open, false)
			return
		}
		next = at.nearest(loose, used, end)
	}
	o.open = append(o.open, true)
}

func (c curve) reversed() curve {
	r := c
	for i := range c.n + 1 {
		r.p[i] = c.p[c.n-i]
	}
	return r
}

// apart is how far apart two points are, by the larger of their coordinates.
func apart(a, b Point) float64 { return max(math.Abs(a.X-b.X), math.Abs(a.Y-b.Y)) }

// places are edges by where they start, in cells of joinDistance.
type places map[[2]int64][]int32

func cellOf(p Point) [2]int64 {
	return [2]int64{int64(math.Floor(p.X / joinDistance)), int64(math.Floor(p.Y / joinDistance))}
}

func (l places) add(p Point, i int) { l[cellOf(p)] = append(l[cellOf(p)], int32(i)) }

// near calls see for the edges that may start within joinDistance of p.
func (l places) near(p Point, see func(i int)) {
	c := cellOf(p)
	for x := c[0] - 1; x <= c[0]+1; x++ {
		for y := c[1] - 1; y <= c[1]+1; y++ {
			for _, i := range l[[2]int64{x, y}] {
				see(int(i))
			}
		}
	}
}

// hasTwin reports whether one of the edges lies where c does.
func (l places) hasTwin(loose []curve, c *curve) (found bool) {
	l.near(c.p[0], func(i int) {
		d := &loose[i]
		found = found || apart(c.p[0], d.p[0]) <= tinyEdge && apart(c.p[c.n], d.p[d.n]) <= tinyEdge && apart(c.at(0.5), d.at(0.5)) <= tinyEdge
	})
	return found
}

// nearest returns the unused edge that starts nearest to p, the first of several, or -1.
func (l places) nearest(loose []curve, used []bool, p Point) int {
	best, distance := -1, joinDistance
	l.near(p, func(i int) {
		if d := apart(p, loose[i].p[0]); !used[i] && (d < distance || d == distance && (best < 0 || i < best)) {
			best, distance = i, d
		}
	})
	return best
}
