package distancefield

import (
	"context"
	"math"
)

// A mending corrects pixels of RenderMulti. Between these pixels, the median of the interpolated
// channels is far from the distance. A mending sets all channels of such a pixel to the distance,
// which rounds sharp corners there.
type mending struct {
	s      *Shape
	dst    []byte
	stride int
	g      Grid
	span   float64
	rows   [4]truthRow // rows of cells, stored at the row number modulo 4
	tried  int
}

// samples is the number of samples along each side of a cell, which is the square between four
// pixel centers.
const samples = 4

// A truth holds the exact distances within a cell, limited to reach.
type truth struct {
	known bool
	at    [samples * samples]float32
}

// A truthRow caches data of a row of cells: the truths, the edges near each group of columnWidth
// cells, and the pieces that cross the row.
type truthRow struct {
	y      int
	cells  []truth
	edges  [][]*curve
	passes []*curve
}

// columnWidth is the number of adjacent cells that share a list of edges.
const columnWidth = 8

const (
	// halfPixel is the distance from the outline within which antialiasing shows errors, if texels
	// are as large as screen pixels.
	halfPixel = 0.5
	// mostWrong is the largest visible error that is tolerated. Pixels with a larger error are
	// changed.
	mostWrong = 0.3
	// surelyWrong is an error too large for linear interpolation. An interpolated distance is wrong
	// by at most half of a cell's diagonal, which is 0.71.
	surelyWrong = 0.75
	// truthReach limits the distances that are computed within cells.
	truthReach = 2
	// After mostPasses passes or mostTried cells, mendPixels stops searching for the best pixels to
	// change. It then sets all channels of every wrong pixel to the distance. Glyphs take up to 4
	// passes and some hundred cells.
	mostPasses = 16
	mostTried  = 4096
)

// mendPixels changes the pixels of RenderMulti until every interpolated distance is close to the
// exact distance.
func (s *Shape) mendPixels(ctx context.Context, dst []byte, stride int, g Grid, span float64) error {
	m := &mending{s: s, dst: dst, stride: stride, g: g, span: span}
	for i := range m.rows {
		m.rows[i] = truthRow{y: -1, cells: make([]truth, max(g.W-1, 0)), edges: make([][]*curve, g.W/columnWidth+1)}
	}
	look, next := make([]bool, g.H), make([]bool, g.H)
	for i := range look {
		look[i] = true
	}
	for pass := 0; ; pass++ {
		changed := false
		for y := range g.H - 1 {
			if err := ctx.Err(); err != nil {
				return err
			}
			for x := range g.W - 1 {
				if look[y] && m.suspect(x, y) && m.grayPixels(x, y, pass) {
					changed = true
					for near := max(y-2, 0); near < min(y+3, g.H); near++ {
						next[near] = true
					}
				}
			}
		}
		if !changed {
			return nil
		}
		look, next = next, look
		clear(next)
	}
}

// levelDistance converts a pixel value to a distance.
func (m *mending) levelDistance(level float64) float64 { return float64((level/255 - 0.5) * m.span) }

func seen(distance float64) float64 { return min(max(distance, -halfPixel), halfPixel) }

func (m *mending) fieldPixel(x, y int) *[4]byte { return (*[4]byte)(m.dst[y*m.stride+4*x:]) }

// cellCorners returns the four pixels around a cell.
func (m *mending) cellCorners(x, y int) [4]*[4]byte {
	return [4]*[4]byte{m.fieldPixel(x, y), m.fieldPixel(x+1, y), m.fieldPixel(x, y+1), m.fieldPixel(x+1, y+1)}
}

// filterChannel interpolates a channel of four pixels bilinearly.
func filterChannel(p *[4]*[4]byte, channel int, u, v float64) float64 {
	above := mixPoints(float64(p[0][channel]), float64(p[1][channel]), u)
	below := mixPoints(float64(p[2][channel]), float64(p[3][channel]), u)
	return mixPoints(above, below, v)
}

// mixed returns the median of three channels, each interpolated between four pixels, as a distance.
func (m *mending) mixed(p *[4]*[4]byte, u, v float64) float64 {
	r, g, b := filterChannel(p, 0, u, v), filterChannel(p, 1, u, v), filterChannel(p, 2, u, v)
	return m.levelDistance(max(min(r, g), min(max(r, g), b)))
}

func samplePoint(sample int) (u, v float64) {
	return float64((float64(sample%samples) + 0.5) / samples), float64((float64(sample/samples) + 0.5) / samples)
}

// lines is the number of lines tested in each direction of a cell.
const lines = 5

// ridges finds the points where two channels are equal, on lines through a cell. The median, which
// is linear between these points, has its extremes there. ridges calls the function see for each
// point, with its position, median and interpolated distance.
func (m *mending) ridges(p *[4]*[4]byte, see func(u, v, median, mixed float64)) {
	for i := range 2 * lines {
		at := float64(float64(i/2) / (lines - 1)) // if the compiler turns the division into a product, float64 prevents a fused operation
		var from, to [4]float64                   // channel values at both ends of the line
		for c := range from {
			if i%2 == 0 {
				from[c], to[c] = mixPoints(float64(p[0][c]), float64(p[2][c]), at), mixPoints(float64(p[1][c]), float64(p[3][c]), at)
			} else {
				from[c], to[c] = mixPoints(float64(p[0][c]), float64(p[1][c]), at), mixPoints(float64(p[2][c]), float64(p[3][c]), at)
			}
		}
		for c := range 3 {
			d := (c + 1) % 3
			before, after := from[c]-from[d], to[c]-to[d]
			if float64(before*after) >= 0 {
				continue
			}
			along := before / (before - after)
			u, v := along, at
			if i%2 == 1 {
				u, v = at, along
			}
			see(u, v, m.levelDistance(mixPoints(from[c], to[c], along)), m.levelDistance(mixPoints(from[3], to[3], along)))
		}
	}
}

// mayDiffer reports whether the median may be wrong: it visibly differs from the interpolated
// distance.
func mayDiffer(median, mixed float64) bool {
	return (median < 0) != (mixed < 0) || math.Abs(seen(median)-seen(mixed)) > mostWrong/2
}

// nearestSample returns the sample closest to a position.
func nearestSample(u, v float64) int {
	return min(int(v*samples), samples-1)*samples + min(int(u*samples), samples-1)
}

// suspect reports whether the median within a cell may be wrong. It compares the median with the
// interpolated distance, which is only approximate because interpolation rounds corners.
func (m *mending) suspect(x, y int) bool {
	p := m.cellCorners(x, y)
	low, high, gray := byte(255), byte(0), true
	for _, q := range p {
		low, high = min(low, q[0], q[1], q[2], q[3]), max(high, q[0], q[1], q[2], q[3])
		gray = gray && q[0] == q[3] && q[1] == q[3] && q[2] == q[3]
	}
	if gray || m.levelDistance(float64(low)) >= halfPixel || m.levelDistance(float64(high)) <= -halfPixel {
		return false
	}
	for i := range samples * samples {
		u, v := samplePoint(i)
		median, mixed := m.mixed(&p, u, v), m.levelDistance(filterChannel(&p, 3, u, v))
		if mayDiffer(median, mixed) {
			return true
		}
	}
	found := false
	m.ridges(&p, func(_, _, median, mixed float64) { found = found || mayDiffer(median, mixed) })
	return found
}

// grayPixels makes pixels around a cell gray (all channels equal to the distance) if the cell's
// error is too large. It chooses the pixels that minimize the error of the cell and its neighbors.
func (m *mending) grayPixels(x, y, pass int) bool {
	slack := float64(m.span / 255)
	if worst, _ := m.visibleError(x, y); worst <= mostWrong+slack {
		return false
	}
	p := m.cellCorners(x, y)
	var were [4][4]byte
	grays := 0
	for i := range p {
		were[i] = *p[i]
		if were[i][0] == were[i][3] && were[i][1] == were[i][3] && were[i][2] == were[i][3] {
			grays |= 1 << i
		}
	}
	m.tried++
	giveUp := pass >= mostPasses || m.tried > mostTried
	least, best := m.errorAround(x, y), 0
	for set := 1; set < 16 && !giveUp; set++ {
		if set&grays != 0 {
			continue // a gray pixel would not change, so a smaller set gives the same result
		}
		for i := range p {
			if *p[i] = were[i]; set>>i&1 != 0 {
				makeGray(p[i])
			}
		}
		const worthwhile = 0.01
		if sum := m.errorAround(x, y); sum < least-worthwhile {
			least, best = sum, set
		}
	}
	apply := func(set int) (changed bool) {
		for i := range p {
			if *p[i] = were[i]; set>>i&1 != 0 {
				changed = makeGray(p[i]) || changed
			}
		}
		return changed
	}
	changed := apply(best)
	if _, surely := m.visibleError(x, y); surely || giveUp {
		changed = apply(15)
	}
	return changed
}

// makeGray sets all channels of a pixel to the distance.
func makeGray(p *[4]byte) (changed bool) {
	changed = p[0] != p[3] || p[1] != p[3] || p[2] != p[3]
	p[0], p[1], p[2] = p[3], p[3], p[3]
	return changed
}

// errorAround returns the sum of the squared visible errors of a cell and its neighbors.
func (m *mending) errorAround(x, y int) (sum float64) {
	for cy := max(y-1, 0); cy <= min(y+1, m.g.H-2); cy++ {
		for cx := max(x-1, 0); cx <= min(x+1, m.g.W-2); cx++ {
			t, p := m.cellTruth(cx, cy), m.cellCorners(cx, cy)
			for i, d := range t.at {
				u, v := samplePoint(i)
				off := seen(m.mixed(&p, u, v)) - seen(float64(d))
				sum += float64(off * off)
			}
			m.ridges(&p, func(u, v, median, mixed float64) {
				if mayDiffer(median, mixed) {
					off := seen(median) - seen(float64(t.at[nearestSample(u, v)]))
					sum += float64(off * off)
				}
			})
		}
	}
	return sum
}

// visibleError returns the visible error of a cell, and whether a sample is on the wrong side of
// the outline by more than interpolation explains.
func (m *mending) visibleError(x, y int) (worst float64, surely bool) {
	t, p := m.cellTruth(x, y), m.cellCorners(x, y)
	judge := func(median, d float64) {
		worst = max(worst, math.Abs(seen(median)-seen(d)))
		surely = surely || (median < 0) != (d < 0) && math.Abs(d) > surelyWrong+float64(m.span/255)
	}
	for i, d := range t.at {
		u, v := samplePoint(i)
		judge(m.mixed(&p, u, v), float64(d))
	}
	m.ridges(&p, func(u, v, median, mixed float64) {
		if mayDiffer(median, mixed) {
			judge(median, m.exactDistance(x, y, u, v))
		}
	})
	return worst, surely
}

// cellTruth returns the exact distances within a cell.
func (m *mending) cellTruth(x, y int) *truth {
	row := m.truthRowAt(y)
	t := &row.cells[x]
	if t.known {
		return t
	}
	t.known = true
	for i := range t.at {
		u, v := samplePoint(i)
		t.at[i] = float32(m.exactDistance(x, y, u, v))
	}
	return t
}

// truthRowAt returns the cached data of a row of cells.
func (m *mending) truthRowAt(y int) *truthRow {
	row := &m.rows[y%len(m.rows)]
	if row.y == y {
		return row
	}
	row.y = y
	clear(row.cells)
	for i := range row.edges {
		row.edges[i] = row.edges[i][:0]
	}
	row.passes = row.passes[:0]
	left, top := float64(m.g.Left)+0.5, float64(m.g.Top+y)+0.5
	for i := range m.s.edges {
		e := &m.s.edges[i]
		if e.maxY < top-truthReach || e.minY > top+1+truthReach {
			continue
		}
		first := math.Floor((e.minX - truthReach - left) / columnWidth)
		last := math.Floor((e.maxX + truthReach - left) / columnWidth)
		for c := int(max(first, 0)); c <= int(min(last, float64(len(row.edges)-1))); c++ {
			row.edges[c] = append(row.edges[c], e)
		}
	}
	for i := range m.s.pieces {
		if e := &m.s.pieces[i]; e.maxY >= top && e.minY <= top+1 {
			row.passes = append(row.passes, e)
		}
	}
	return row
}

// exactDistance computes the distance at a position within a cell.
func (m *mending) exactDistance(x, y int, u, v float64) float64 {
	row, p := m.truthRowAt(y), Point{float64(m.g.Left+x) + 0.5 + u, float64(m.g.Top+y) + 0.5 + v}
	best := float64(truthReach * truthReach)
	for _, e := range row.edges[x/columnWidth] {
		best = e.nearerThan(p, best)
	}
	sum := 0
	for _, e := range row.passes {
		sum += e.windingShare(p)
	}
	return signedDistance(math.Sqrt(best), sum)
}

// nearerThan is like distance2, but rejects c early by its bounding box.
func (c *curve) nearerThan(p Point, best float64) float64 {
	dx, dy := max(c.minX-p.X, p.X-c.maxX, 0), max(c.minY-p.Y, p.Y-c.maxY, 0)
	if float64(dx*dx)+float64(dy*dy) < best {
		return c.distance2(p, best)
	}
	return best
}

// signedDistance returns the distance, negated for points outside, where the winding number is 0.
func signedDistance(distance float64, winding int) float64 {
	if winding == 0 {
		return -distance
	}
	return distance
}

// Distance returns the distance of a point to the outline, limited to reach. It is negative
// outside.
func (s *Shape) Distance(p Point, reach float64) float64 {
	best := float64(reach * reach)
	for i := range s.edges {
		best = s.edges[i].nearerThan(p, best)
	}
	return signedDistance(math.Sqrt(best), winding(s.pieces, p))
}
