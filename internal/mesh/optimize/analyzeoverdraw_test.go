package optimize

import (
	"context"
	"math"
)

// OverdrawStats says how often pixels were shaded.
type OverdrawStats struct {
	Covered  int64   // pixels that show the mesh
	Shaded   int64   // pixels that passed the depth test, each time counted
	Overdraw float64 // Shaded over Covered: 1 is the best
}

// view is the width and height in pixels of the pictures of AnalyzeOverdraw.
const view = 256

// AnalyzeOverdraw draws the mesh from six sides along the axes, 256 pixels wide,
// with back faces culled, and counts the pixels. It takes 1 MiB.
func AnalyzeOverdraw(ctx context.Context, indices []uint32, positions []float32) (OverdrawStats, error) {
	if err := CheckPositions(positions); err != nil {
		return OverdrawStats{}, err
	}
	if err := CheckTriangles(indices, len(positions)/3); err != nil {
		return OverdrawStats{}, err
	}
	origin, extent := box(indices, positions)
	var stats OverdrawStats
	if extent == 0 {
		return stats, nil
	}
	look := pace{ctx: ctx}
	sides := new([2]picture)
	for axis := range 3 {
		sides[0].clear()
		sides[1].clear()
		for t := 0; t < len(indices); t += 3 {
			var corners [3]corner
			for k := range corners {
				p := at(positions, indices[t+k]).minus(origin).times(view / extent)
				corners[k] = turned(p, axis)
			}
			if err := look.step(10 + drawFacing(sides, corners)); err != nil {
				return OverdrawStats{}, err
			}
		}
		for i := range sides {
			for _, n := range sides[i].shaded {
				stats.Shaded += int64(n)
				if n > 0 {
					stats.Covered++
				}
			}
		}
	}
	if stats.Covered > 0 {
		stats.Overdraw = float64(stats.Shaded) / float64(stats.Covered)
	}
	return stats, nil
}

// box returns the least corner and the longest side of the box around a mesh.
func box(indices []uint32, positions []float32) (least vector, extent float64) {
	if len(indices) == 0 {
		return
	}
	least = at(positions, indices[0])
	most := least
	for _, v := range indices {
		p := at(positions, v)
		least = vector{min(least.x, p.x), min(least.y, p.y), min(least.z, p.z)}
		most = vector{max(most.x, p.x), max(most.y, p.y), max(most.z, p.z)}
	}
	size := most.minus(least)
	return least, max(size.x, size.y, size.z)
}

// A picture is the view from one side: depths, and counts of shading.
type picture struct {
	near   [view * view]float32
	shaded [view * view]uint32
}

func (p *picture) clear() {
	for i := range p.near {
		p.near[i] = float32(math.Inf(-1))
	}
	clear(p.shaded[:])
}

// A corner is a place in a picture, in sixteenths of a pixel, and its depth, higher for
// nearer corners.
type corner struct {
	x, y int32
	near float64
}

// turned looks at p along the axis, from its far end.
func turned(p vector, axis int) corner {
	switch axis {
	case 0:
		p = vector{p.y, p.z, p.x}
	case 1:
		p = vector{p.z, p.x, p.y}
	}
	return corner{int32(math.Floor(float64(16*p.x) + 0.5)), int32(math.Floor(float64(16*p.y) + 0.5)), p.z}
}

// drawFacing draws a triangle on the side that it faces, and returns how many pixels
// it looked at.
func drawFacing(sides *[2]picture, c [3]corner) (work int) {
	// Twice the area, positive where the corners run counterclockwise.
	area := int64(c[1].x-c[0].x)*int64(c[2].y-c[0].y) - int64(c[1].y-c[0].y)*int64(c[2].x-c[0].x)
	if area == 0 {
		return 0
	}
	side := &sides[0]
	if area < 0 { // seen from the other end, so far is near
		side = &sides[1]
		c[1], c[2] = c[2], c[1]
		for k := range c {
			c[k].near = -c[k].near
		}
		area = -area
	}
	// The depth as a plane over the picture.
	d1, d2 := c[1].near-c[0].near, c[2].near-c[0].near
	dx := (float64(d1*float64(c[2].y-c[0].y)) - float64(d2*float64(c[1].y-c[0].y))) / float64(area)
	dy := (float64(d2*float64(c[1].x-c[0].x)) - float64(d1*float64(c[2].x-c[0].x))) / float64(area)

	// Pixels have their middles at 8 of 16.
	low, high := (min(c[0].y, c[1].y, c[2].y)+7)>>4, (max(c[0].y, c[1].y, c[2].y)+7)>>4
	for y := max(low, 0); y < min(high, view); y++ {
		left, right := int32(0), int32(view)
		for k := range c {
			left, right = between(c[k], c[(k+1)%3], y<<4+8, left, right)
		}
		work += 4
		for x := left; x < right; x++ {
			work++
			mx, my := x<<4+8, y<<4+8
			near := float32(c[0].near + float64(dx*float64(mx-c[0].x)) + float64(dy*float64(my-c[0].y)))
			if i := y*view + x; near >= side.near[i] {
				side.near[i] = near
				side.shaded[i]++
			}
		}
	}
	return work
}

// between narrows the pixels left to right-1 of a row at height y to those with
// their middle to the left of the edge from a to b. A middle on an edge belongs to
// one of the two triangles that meet there: the one whose edge runs down, or to the
// right.
func between(a, b corner, y, left, right int32) (int32, int32) {
	// A point is to the left if dx*(y-a.y) - dy*(x-a.x) >= least.
	dx, dy := int64(b.x-a.x), int64(b.y-a.y)
	least := int64(1)
	if dy < 0 || dy == 0 && dx > 0 {
		least = 0
	}
	room := dx*int64(y-a.y) - least
	switch {
	case dy > 0: // x-a.x <= room/dy
		right = min(right, int32((floor(room, dy)+int64(a.x)-8)>>4)+1)
	case dy < 0: // x-a.x >= -room/-dy, rounded up
		left = max(left, int32((-floor(room, -dy)+int64(a.x)-8+15)>>4))
	case room < 0:
		right = left
	}
	return left, right
}

// floor returns a/b rounded down, for b above 0.
func floor(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
