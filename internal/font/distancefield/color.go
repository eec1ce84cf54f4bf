package distancefield

import "math"

// A color is the set of an edge's channels.
type color uint8

const (
	red color = 1 << iota
	green
	blue
	white = red | green | blue
)

// twoChannels are the colors of edges along contours with corners. Any two of them share one
// channel, where the corner is not sharp, and differ in the others.
var twoChannels = [3]color{green | blue, red | blue, red | green}

// sharpTurn is the sine of the smallest angle that counts as a corner: 8 degrees, as in msdfgen.
const sharpTurn = 0.14

// paint returns a color for each edge. Edges that meet at a corner have different colors, and edges
// that meet smoothly have the same. A contour with one corner changes its color once more on the
// way; paint may cut edges for that. A contour without corners needs no color.
//
// Source: V. Chlumský, "Shape Decomposition for Multi-channel Distance Fields", master's thesis,
// Czech Technical University in Prague, 2015.
func (o *outline) paint() []color {
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

// cornersOf returns the numbers of the edges that start at a corner.
func cornersOf(edges []curve, open bool) (list []int) {
	for i := range edges {
		before := &edges[(i+len(edges)-1)%len(edges)]
		a, b := before.direction(1), edges[i].direction(0)
		across := float64(a.X*b.Y) - float64(a.Y*b.X)
		if open && i == 0 || dot(a, b) <= 0 || math.Abs(across) > sharpTurn {
			list = append(list, i)
		}
	}
	return list
}

func halved(edges []curve) (list []curve) {
	for i := range edges {
		a, b := edges[i].split(0.5)
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
			part = 1 // the last part, unlike the first and the one before
		}
		colors[i] = twoChannels[part%3]
	}
	return colors
}

// direction returns the direction at an end of the curve, 0 or 1, as a vector of length 1, or 0 if
// the curve is a point.
func (c *curve) direction(t float64) Point {
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
