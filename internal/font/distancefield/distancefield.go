// Package distancefield computes the signed distance of points from an outline, exactly from its
// lines and curves instead of from a rendered image.
//
// An outline is drawn into a Path in pixels, with y growing downward. Winding numbers determine the
// inside: a point is inside if the contours wind around it a nonzero number of times, in either
// direction. Where contours overlap, the parts inside another contour are removed, so that no seam
// is visible.
//
// Curves are cut at their extremes in x and y. The nearest point of a piece is found from the sign
// changes of the derivative of the squared distance in Bernstein form. A polynomial has at most as
// many roots as sign changes of its coefficients, so no root is missed and few searches are needed.
//
// # Deterministic results
//
// The code uses only +, -, *, / and square roots. It rounds each product before adding it, so that
// no processor fuses the two operations. So the bytes are the same on all machines.
package distancefield

import (
	"context"
	"errors"
	"math"
	"slices"
)

// Shape returns ErrTangled for an outline that takes too long. It returns ErrFar for points farther
// than maxCoordinate from the origin, and for coordinates that are NaN.
var (
	ErrTangled = errors.New("the outline of a glyph has too many parts or crossings; simplify the glyph")
	ErrFar     = errors.New("the outline of a glyph has points far outside the glyph; export the font again")
)

// maxCoordinate limits coordinates, so that float64 has enough bits for fractions of a pixel.
const maxCoordinate = 1 << 24

// maxPieces is the maximum number of lines and curves of a Shape, after cutting at extremes. The
// most elaborate ornaments have a few thousand.
const maxPieces = 8192

// A Shape is an outline whose distances can be computed.
type Shape struct {
	pieces []curve // closed contours, which determine the winding numbers
	edges  []curve // parts of the contours that separate the inside from the outside
	// rightward reports, for each edge, whether the inside is to its right.
	rightward []bool
}

// Shape closes the contours of the path and finds the parts that bound the inside.
func (p *Path) Shape(ctx context.Context) (*Shape, error) {
	p.closeContour()
	if p.err != nil {
		return nil, p.err
	}
	s := &Shape{pieces: p.pieces}
	var err error
	s.edges, s.rightward, err = findBoundary(ctx, s.pieces)
	return s, err
}

// Bounds returns the bounding box of the outline: left, top, right, bottom. ok is false if the
// outline is empty.
func (s *Shape) Bounds() (left, top, right, bottom float64, ok bool) {
	if len(s.edges) == 0 {
		return 0, 0, 0, 0, false
	}
	left, top = math.Inf(1), math.Inf(1)
	right, bottom = math.Inf(-1), math.Inf(-1)
	for i := range s.edges {
		e := &s.edges[i]
		left, right = min(left, e.minX), max(right, e.maxX)
		top, bottom = min(top, e.minY), max(bottom, e.maxY)
	}
	return left, top, right, bottom, true
}

// A Grid is a rectangle of W by H pixels. Distances are measured at the centers of the pixels.
// Left, Top is the upper left corner of the first pixel.
type Grid struct {
	Left, Top, W, H int
}

// Render writes a byte for each pixel of g to dst, with rows stride bytes apart. The outline is at
// 127.5. Inside, values rise to 255 at a distance of half of span pixels; outside, they fall to 0.
// Render checks the context in every row.
func (s *Shape) Render(ctx context.Context, dst []byte, stride int, g Grid, span float64) error {
	reach := span / 2
	row := make([]float64, g.W)
	var crossings []crossing
	for y := range g.H {
		if err := ctx.Err(); err != nil {
			return err
		}
		py := float64(g.Top+y) + 0.5
		if err := s.measureRow(ctx, row, float64(g.Left)+0.5, py, reach); err != nil {
			return err
		}
		crossings = s.crossRow(crossings[:0], py)
		out, winding, next := dst[y*stride:][:g.W], 0, 0
		for x := range out {
			px := float64(g.Left+x) + 0.5
			for next < len(crossings) && crossings[next].x < px {
				winding += crossings[next].turn
				next++
			}
			d := math.Sqrt(row[x])
			if winding == 0 {
				d = -d
			}
			out[x] = distanceLevel(d, span)
		}
	}
	return nil
}

// distanceLevel converts a distance of at most half of span to a byte.
func distanceLevel(d, span float64) byte {
	v := math.Floor(float64(255*(0.5+d/span)) + 0.5)
	return byte(min(max(v, 0), 255))
}

// measuresPerLook is the number of distances computed between two checks of the context. They take
// some milliseconds.
const measuresPerLook = 1 << 14

// measureRow sets row[j] to the squared distance from the point (x+j, y) to the nearest edge,
// limited to the square of reach.
func (s *Shape) measureRow(ctx context.Context, row []float64, x, y, reach float64) error {
	far := reach * reach
	for i := range row {
		row[i] = far
	}
	return sweep(ctx, s.edges, len(row), x, y, reach, func(i, j int, p Point, box float64) bool {
		if box >= row[j] {
			return false
		}
		row[j] = s.edges[i].distance2(p, row[j])
		return true
	})
}

// sweep visits the pixels of a row that may be within reach of an edge. visit receives the edge,
// the pixel, its center, and its squared distance to the edge's bounding box; it reports whether it
// measured a distance.
func sweep(ctx context.Context, edges []curve, width int, x, y, reach float64, visit func(i, j int, p Point, box float64) bool) error {
	work := 0
	for i := range edges {
		e := &edges[i]
		if y < e.minY-reach || y > e.maxY+reach {
			continue
		}
		first := max(0, math.Floor(e.minX-reach-x))
		last := min(float64(width-1), math.Ceil(e.maxX+reach-x))
		dy := max(e.minY-y, y-e.maxY, 0)
		for j := int(first); j <= int(last); j++ {
			px := x + float64(j)
			dx := max(e.minX-px, px-e.maxX, 0)
			if visit(i, j, Point{px, y}, float64(dx*dx)+float64(dy*dy)) {
				work++
			}
		}
		if work >= measuresPerLook {
			work = 0
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// A crossing is where a contour crosses a row of pixel centers, downward (+1) or upward (-1).
type crossing struct {
	x    float64
	turn int
}

// crossRow appends the crossings of the row at y, from left to right.
func (s *Shape) crossRow(list []crossing, y float64) []crossing {
	for i := range s.pieces {
		if turn := s.pieces[i].crossingSign(y); turn != 0 {
			list = append(list, crossing{s.pieces[i].atY(y), turn})
		}
	}
	slices.SortFunc(list, func(a, b crossing) int {
		switch {
		case a.x < b.x:
			return -1
		case a.x > b.x:
			return 1
		}
		return a.turn - b.turn
	})
	// A line drawn in both directions crosses the row twice. Rounding must not separate the two
	// crossings.
	const same = 1e-9
	for i := 1; i < len(list); i++ {
		if list[i].x-list[i-1].x < same {
			list[i].x = list[i-1].x
		}
	}
	return list
}
