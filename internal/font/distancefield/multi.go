package distancefield

import (
	"context"
	"math"
)

// RenderMulti writes four bytes for each pixel of g to dst, with rows stride bytes apart, scaled as
// in Render. The median of the first three bytes is the distance to the outline; it keeps corners
// sharp under linear filtering. The fourth byte is the distance itself. RenderMulti checks the
// context in every row.
//
// Each of the first three channels holds the distance to the edges of its color. Beyond the
// endpoints of the nearest edge, the distance is to the edge's straight continuation. Where
// interpolation between pixels would be wrong, the three channels are set to the distance; see
// mendPixels.
func (s *Shape) RenderMulti(ctx context.Context, dst []byte, stride int, g Grid, span float64) error {
	o, err := s.orderEdges(ctx)
	if err != nil {
		return err
	}
	colors := o.colorEdges()
	row := make([]nearest3, g.W)
	var crossings []crossing
	for y := range g.H {
		if err := ctx.Err(); err != nil {
			return err
		}
		py := float64(g.Top+y) + 0.5
		if err := o.measureEdges(ctx, row, colors, float64(g.Left)+0.5, py, float64(farther*span)); err != nil {
			return err
		}
		crossings = s.crossRow(crossings[:0], py)
		out, winding, next := dst[y*stride:][:4*g.W], 0, 0
		for x := range row {
			px := float64(g.Left+x) + 0.5
			for next < len(crossings) && crossings[next].x < px {
				winding += crossings[next].turn
				next++
			}
			row[x].writeLevels(out[4*x:][:4], winding != 0, span)
		}
	}
	return s.mendPixels(ctx, dst, stride, g, span)
}

// farther is the search radius for edges, as a multiple of span. If a channel has no edge within
// this radius, the other channels determine the median.
const farther = 2

// A nearest holds the distance between a pixel and the closest edge of one channel.
type nearest struct {
	distance2 float64
	along     float64 // cosine between the edge and the direction to the pixel, 0 to 1
	signed    float64 // distance to the straight continuation of the edge, positive inside
}

type nearest3 [3]nearest

// writeLevels writes the bytes of a pixel.
func (n *nearest3) writeLevels(out []byte, inside bool, span float64) {
	d := math.Sqrt(min(n[0].distance2, n[1].distance2, n[2].distance2))
	if !inside {
		d = -d
	}
	out[3] = distanceLevel(d, span)
	for i := range n {
		v := n[i].signed
		if math.IsNaN(v) {
			v = math.Copysign(span, d) // the channel has no edge within reach
		}
		out[i] = distanceLevel(v, span)
	}
	// If the median is on the wrong side of the outline, all channels are set to the distance. This
	// happens where outlines touch.
	if middle := medianLevel(out[0], out[1], out[2]); (middle >= 128) != (out[3] >= 128) {
		out[0], out[1], out[2] = out[3], out[3], out[3]
	}
}

func medianLevel(a, b, c byte) byte { return max(min(a, b), min(max(a, b), c)) }

// measureEdges sets row[j] to the edges nearest to the point (x+j, y) that are within reach.
func (o *outline) measureEdges(ctx context.Context, row []nearest3, colors []color, x, y, reach float64) error {
	none := nearest{reach * reach, 2, math.NaN()}
	for i := range row {
		row[i] = nearest3{none, none, none}
	}
	return sweep(ctx, o.edges, len(row), x, y, reach, func(i, j int, p Point, box float64) bool {
		farthest := row[j].farthest(colors[i])
		if box > farthest {
			return false
		}
		row[j].offerEdge(o.edges[i].continuedDistance(p, farthest), colors[i])
		return true
	})
}

// farthest returns the largest distance2 among the channels of a color.
func (n *nearest3) farthest(c color) (far float64) {
	for i := range n {
		if c&(1<<i) != 0 {
			far = max(far, n[i].distance2)
		}
	}
	return far
}

// offerEdge stores e in each channel of the color c whose nearest edge is farther away. Of two
// equally near edges, it keeps the one that is more perpendicular to the direction of the pixel.
func (n *nearest3) offerEdge(e nearest, c color) {
	for i := range n {
		old := &n[i]
		if c&(1<<i) != 0 && (e.distance2 < old.distance2 || e.distance2 == old.distance2 && e.along < old.along) {
			*old = e
		}
	}
}

// continuedDistance computes the distance of q from the curve and from its straight continuation.
// It computes nothing if the squared distance exceeds best.
func (c *curve) continuedDistance(q Point, best float64) nearest {
	t := -1.0
	if c.n > 1 {
		best, t = c.nearestPlace(q, best)
	} else if distance2 := lineDistance2(c.p[0], c.p[1], q); distance2 <= best {
		d, v := Point{c.p[1].X - c.p[0].X, c.p[1].Y - c.p[0].Y}, Point{q.X - c.p[0].X, q.Y - c.p[0].Y}
		best, t = distance2, min(max(dot(d, v)/dot(d, d), 0), 1)
	}
	if t < 0 {
		return nearest{distance2: math.Inf(1)}
	}
	n := nearest{distance2: best}
	if t > 0 && t < 1 {
		p, d := c.pointAt(t), c.tangent(t)
		n.signed = math.Copysign(math.Sqrt(best), leftOf(Point{q.X - p.X, q.Y - p.Y}, d))
		return n
	}
	end := c.p[0]
	if t == 1 {
		end = c.p[c.n]
	}
	d, v := c.endDirection(t), Point{q.X - end.X, q.Y - end.Y}
	n.along, n.signed = math.Abs(dot(d, unit(v))), leftOf(v, d)
	if beyond := dot(d, v); (t == 0) != (beyond < 0) {
		n.signed = math.Copysign(math.Sqrt(best), n.signed) // the curve bends away from its continuation
	}
	return n
}

// leftOf returns how far v is to the left of the direction d.
func leftOf(v, d Point) float64 { return float64(v.X*d.Y) - float64(v.Y*d.X) }

// tangent returns the direction at parameter t, or the direction of the chord if the derivative is
// 0.
func (c *curve) tangent(t float64) Point {
	before, after := c.splitAt(t)
	a, b := before.p[c.n-1], after.p[1]
	if a == b {
		a, b = c.p[0], c.p[c.n]
	}
	return Point{b.X - a.X, b.Y - a.Y}
}

// A color is the set of channels of an edge.
type color uint8

const (
	red color = 1 << iota
	green
	blue
	white = red | green | blue
)

// twoChannels are the colors of edges on contours with corners. Any two of these colors share one
// channel. The corner is not sharp in this channel.
var twoChannels = [3]color{green | blue, red | blue, red | green}

// sharpTurn is the sine of the smallest angle treated as a corner: 8 degrees, as in msdfgen.
const sharpTurn = 0.14

// colorEdges returns a color for each edge. Edges that meet at a corner have different colors.
// Edges that meet smoothly have the same color, but a contour with a single corner is divided into
// three colors. Its edges are halved if there are fewer than three. The edges of a contour without
// corners have all channels.
//
// Source: V. Chlumský, "Shape Decomposition for Multi-channel Distance Fields", master's thesis,
// Czech Technical University in Prague, 2015.
func (o *outline) colorEdges() []color {
	painted := outline{open: o.open}
	var colors []color
	for i := range o.open {
		edges := o.edges[o.starts[i]:o.starts[i+1]]
		painted.starts = append(painted.starts, len(painted.edges))
		corners := cornersOf(edges, o.open[i])
		if len(corners) == 1 && len(edges) < 3 {
			edges = halved(edges)
			corners = cornersOf(edges, o.open[i])
		}
		painted.edges = append(painted.edges, edges...)
		colors = append(colors, colorsOf(len(edges), corners)...)
	}
	painted.starts = append(painted.starts, len(painted.edges))
	*o = painted
	return colors
}

// cornersOf returns the indices of the edges that start at a corner.
func cornersOf(edges []curve, open bool) (list []int) {
	for i := range edges {
		before := &edges[(i+len(edges)-1)%len(edges)]
		a, b := before.endDirection(1), edges[i].endDirection(0)
		across := float64(a.X*b.Y) - float64(a.Y*b.X)
		if open && i == 0 || dot(a, b) <= 0 || math.Abs(across) > sharpTurn {
			list = append(list, i)
		}
	}
	return list
}

func halved(edges []curve) (list []curve) {
	for i := range edges {
		a, b := edges[i].splitAt(0.5)
		list = append(list, a.boxed(), b.boxed())
	}
	return list
}

// colorsOf returns colors for the n edges of a contour.
func colorsOf(n int, corners []int) []color {
	colors := make([]color, n)
	for i := range colors {
		if len(corners) == 0 {
			colors[i] = white
			continue
		}
		if len(corners) == 1 {
			after := (i - corners[0] + n) % n
			colors[i] = [3]color{twoChannels[1], white, twoChannels[2]}[3*after/n]
			continue
		}
		part := 0
		for part+1 < len(corners) && corners[part+1] <= i {
			part++
		}
		if i < corners[0] {
			part = len(corners) - 1
		}
		if part == len(corners)-1 && part%3 == 0 {
			part = 1 // the first and the last part meet at a corner, so their colors must differ
		}
		colors[i] = twoChannels[part%3]
	}
	return colors
}

// endDirection returns the unit direction at an endpoint of the curve, where t is 0 or 1. It
// returns a zero vector if the curve is a point.
func (c *curve) endDirection(t float64) Point {
	d := Point{}
	for i := 1; i <= c.n && d == (Point{}); i++ {
		if t == 0 {
			d = Point{c.p[i].X - c.p[0].X, c.p[i].Y - c.p[0].Y}
		} else {
			d = Point{c.p[c.n].X - c.p[c.n-i].X, c.p[c.n].Y - c.p[c.n-i].Y}
		}
	}
	return unit(d)
}

func unit(d Point) Point {
	length := math.Sqrt(dot(d, d))
	if length == 0 {
		return Point{}
	}
	return Point{d.X / length, d.Y / length}
}
