package obj

import (
	"context"
	"fmt"
)

// maxCorners limits the number of corners of a polygon that is not convex, because ear clipping
// takes quadratic time.
const maxCorners = 1024

// A polygon that crosses itself has few ears, and each search takes quadratic time. effort and
// effortPerCorner limit the work for all polygons of a model. Beyond this limit, corners are cut
// off without a search for ears.
const (
	effort          = 1 << 24
	effortPerCorner = 2000
)

// A cutter triangulates the polygons of one model and reuses its memory.
type cutter struct {
	x, y  []float64 // corners, projected along the polygon's normal
	ring  []int     // remaining corners of the polygon
	work  int64     // number of corners visited in the search for ears
	allow int64     // work allowed for all polygons so far, in addition to effort
}

// cutPolygon appends the triangles of a polygon, with the same winding. v holds the coordinates of
// the vertices.
func (c *cutter) cutPolygon(ctx context.Context, v []float32, polygon []corner, to []corner) ([]corner, error) {
	if len(polygon) == 3 {
		return append(to, polygon...), nil
	}
	c.projectPolygon(v, polygon)
	if c.isConvex() {
		for i := 1; i+1 < len(polygon); i++ {
			to = append(to, polygon[0], polygon[i], polygon[i+1])
		}
		return to, nil
	}
	c.fillRing(v, polygon)
	if len(c.ring) > maxCorners {
		return to, fmt.Errorf("a polygon that is not convex has %d corners, want at most %d; triangulate the polygon", len(c.ring), maxCorners)
	}
	c.allow += effortPerCorner * int64(len(c.ring))
	for at := 0; len(c.ring) > 3; {
		if len(c.ring)%4 == 0 && ctx.Err() != nil {
			return to, ctx.Err()
		}
		at = c.nextEar(at % len(c.ring))
		n := len(c.ring)
		before, ear, after := c.ring[(at+n-1)%n], c.ring[at], c.ring[(at+1)%n]
		to = append(to, polygon[before], polygon[ear], polygon[after])
		c.ring = append(c.ring[:at], c.ring[at+1:]...)
	}
	return append(to, polygon[c.ring[0]], polygon[c.ring[1]], polygon[c.ring[2]]), nil
}

// fillRing fills the ring with the corners whose position differs from the previous corner. At
// least three corners remain unless the polygon is convex.
func (c *cutter) fillRing(v []float32, polygon []corner) {
	c.ring = c.ring[:0]
	before := polygon[len(polygon)-1]
	for i, p := range polygon {
		if [3]float32(v[3*int(p.v):]) != [3]float32(v[3*int(before.v):]) {
			c.ring = append(c.ring, i)
		}
		before = p
	}
}

// projectPolygon projects a polygon along the axis nearest to its normal, so that it becomes
// counter-clockwise. It computes the normal by Newell's method, from the areas of the polygon's
// projections on the three planes.
func (c *cutter) projectPolygon(v []float32, polygon []corner) {
	at := func(i, axis int) float64 { return float64(v[3*int(polygon[i].v)+axis]) }
	var normal [3]float64
	for i := range polygon {
		j := (i + 1) % len(polygon)
		for k := range 3 {
			a, b := (k+1)%3, (k+2)%3
			normal[k] += float64((at(i, a) - at(j, a)) * (at(i, b) + at(j, b)))
		}
	}
	drop := 0
	for k := range 3 {
		if abs(normal[k]) > abs(normal[drop]) {
			drop = k
		}
	}
	a, b := (drop+1)%3, (drop+2)%3
	if normal[drop] < 0 {
		a, b = b, a
	}
	c.x, c.y = c.x[:0], c.y[:0]
	for i := range polygon {
		c.x = append(c.x, at(i, a))
		c.y = append(c.y, at(i, b))
	}
}

// signedArea returns twice the signed area of a triangle; it is positive if the triangle is
// counter-clockwise.
func (c *cutter) signedArea(i, j, k int) float64 {
	return float64((c.x[j]-c.x[i])*(c.y[k]-c.y[i])) - float64((c.x[k]-c.x[i])*(c.y[j]-c.y[i]))
}

// isConvex reports whether all corners turn in the same direction and the polygon winds around
// once.
func (c *cutter) isConvex() bool {
	n, changes := len(c.x), 0
	for i := range n {
		j, k := (i+1)%n, (i+2)%n
		if c.signedArea(i, j, k) < 0 {
			return false
		}
		// Around a convex polygon, x increases once and decreases once. Around a star it does so
		// more often.
		if (c.x[j] > c.x[i]) != (c.x[k] > c.x[j]) {
			changes++
		}
	}
	return changes <= 2
}

// nextEar returns the first position in the ring, starting at from, that is an ear. The triangle of
// an ear is inside the polygon and contains no other corner. nextEar returns from if there is no
// ear, or if the model's polygons have exceeded their work limit.
func (c *cutter) nextEar(from int) int {
	n := len(c.ring)
	for step := range n {
		if c.work >= effort+c.allow {
			return from
		}
		c.work++
		at := (from + step) % n
		a, b, d := c.ring[(at+n-1)%n], c.ring[at], c.ring[(at+1)%n]
		if c.signedArea(a, b, d) > 0 && !c.holdsCorner(a, b, d) {
			return at
		}
	}
	return from
}

// holdsCorner reports whether a triangle contains a corner of the ring, except its own corners and
// corners at the same positions.
func (c *cutter) holdsCorner(a, b, d int) bool {
	for _, i := range c.ring {
		c.work++
		if c.samePoint(i, a) || c.samePoint(i, b) || c.samePoint(i, d) {
			continue
		}
		if c.signedArea(a, b, i) >= 0 && c.signedArea(b, d, i) >= 0 && c.signedArea(d, a, i) >= 0 {
			return true
		}
	}
	return false
}

func (c *cutter) samePoint(i, j int) bool { return c.x[i] == c.x[j] && c.y[i] == c.y[j] }

func abs(x float64) float64 { return max(x, -x) }
