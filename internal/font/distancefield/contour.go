package distancefield

import (
	"context"
	"math"
)

// Edges are neighbors along a contour if their ends are joinDistance apart or less, in pixels.
// Edges shorter than tinyEdge are left out, because crossings are inexact.
const (
	joinDistance = 1.0 / (1 << 11)
	tinyEdge     = 1.0 / (1 << 13)
)

// An outline holds the edges of a Shape in order, with the inside to their left.
type outline struct {
	edges []curve
	// starts are the first edges of contours, and the number of edges.
	starts []int
	// open says for each contour whether its ends do not meet.
	open []bool
}

// outline puts the edges in order. It keeps one of several coinciding edges.
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

// follow adds the contour that starts with an edge. Each edge begins exactly at the end of the edge
// before.
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

// apart returns the distance of two points, by the larger of their coordinates.
func apart(a, b Point) float64 { return max(math.Abs(a.X-b.X), math.Abs(a.Y-b.Y)) }

// places maps cells of joinDistance to the edges that start in them.
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

// hasTwin reports whether one of the edges coincides with c.
func (l places) hasTwin(loose []curve, c *curve) (found bool) {
	l.near(c.p[0], func(i int) {
		d := &loose[i]
		found = found || apart(c.p[0], d.p[0]) <= tinyEdge && apart(c.p[c.n], d.p[d.n]) <= tinyEdge && apart(c.at(0.5), d.at(0.5)) <= tinyEdge
	})
	return found
}

// nearest returns the unused edge that starts closest to p, the first of several, or -1.
func (l places) nearest(loose []curve, used []bool, p Point) int {
	best, distance := -1, joinDistance
	l.near(p, func(i int) {
		if d := apart(p, loose[i].p[0]); !used[i] && (d < distance || d == distance && (best < 0 || i < best)) {
			best, distance = i, d
		}
	})
	return best
}
