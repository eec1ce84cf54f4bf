package etc2

import (
	"encoding/binary"
	"math"
	"math/bits"
	"sync"
)

// A sketch holds the sums over a block that the quality Fast uses.
type sketch struct {
	tables        *fastTables
	columns, rows [16]int32 // red + green + blue of each pixel, in column order and in row order
	across, down  [4]sums   // sums of each column and of each row
	all           sums
	// rest is the part of every error that is the same for all codes: 3*squares - lumas.
	rest    int32
	squares int32 // sum of the squares of all channels
	lumas   int32 // sum of the squares of the elements of columns
}

// A sums holds sums of red and blue in two lanes of 16 bits, and the sum of green.
type sums struct{ redBlue, green uint32 }

func (s sums) add(t sums) sums { return sums{s.redBlue + t.redBlue, s.green + t.green} }

// channels returns the sums of red, green and blue.
func (s sums) channels() [3]int32 {
	return [3]int32{int32(s.redBlue & 0xffff), int32(s.green), int32(s.redBlue >> 16)}
}

// measure computes the sums of a block of RGBA pixels, and reports whether any pixel differs from
// the first.
func (s *sketch) measure(pixels *[64]byte) (differ bool) {
	const colors = 0x00ff_ffff_00ff_ffff
	const redBlues, greens, pairs = 0x00ff_00ff_00ff_00ff, 0x0000_00ff_0000_00ff, 0x0000_03ff_0000_03ff
	first := binary.LittleEndian.Uint64(pixels[:]) & (colors & 0xffff_ffff)
	first |= first << 32
	var unequal uint64
	var squares, lumas uint64 // the sums are in the high half of the word
	var leftRB, leftG, rightRB, rightG uint64
	for y := range 4 {
		row := (*[16]byte)(pixels[16*y:])
		a, b := binary.LittleEndian.Uint64(row[:8])&colors, binary.LittleEndian.Uint64(row[8:])&colors
		unequal |= (a ^ first) | (b ^ first)
		aRB, aG, bRB, bG := a&redBlues, a>>8&greens, b&redBlues, b>>8&greens
		leftRB, leftG, rightRB, rightG = leftRB+aRB, leftG+aG, rightRB+bRB, rightG+bG
		rowRB, rowG := aRB+bRB, aG+bG
		s.down[y] = sums{uint32(rowRB) + uint32(rowRB>>32), uint32(rowG) + uint32(rowG>>32)}
		// Each half of a word holds the channel sum of one pixel in its low 16 bits.
		aSum, bSum := (aRB+aRB>>16+aG)&pairs, (bRB+bRB>>16+bG)&pairs
		s0, s1, s2, s3 := int32(uint32(aSum)), int32(aSum>>32), int32(uint32(bSum)), int32(bSum>>32)
		s.columns[y], s.columns[y+4], s.columns[y+8], s.columns[y+12] = s0, s1, s2, s3
		s.rows[4*y], s.rows[4*y+1], s.rows[4*y+2], s.rows[4*y+3] = s0, s1, s2, s3
		lumas += squarePair(aSum) + squarePair(bSum)
		squares += squarePair(aRB&greens) + squarePair(aRB>>16&greens) + squarePair(aG)
		squares += squarePair(bRB&greens) + squarePair(bRB>>16&greens) + squarePair(bG)
	}
	s.across = [4]sums{
		{uint32(leftRB), uint32(leftG)}, {uint32(leftRB >> 32), uint32(leftG >> 32)},
		{uint32(rightRB), uint32(rightG)}, {uint32(rightRB >> 32), uint32(rightG >> 32)},
	}
	both, bothG := leftRB+rightRB, leftG+rightG
	s.all = sums{uint32(both) + uint32(both>>32), uint32(bothG) + uint32(bothG>>32)}
	s.squares, s.lumas = int32(squares>>32), int32(lumas>>32)
	s.rest = 3*s.squares - s.lumas
	return unequal != 0
}

// squarePair returns a word whose high half is the sum of the squares of both halves of v. The low
// half is their product, which leaves room to add many results without a carry.
func squarePair(v uint64) uint64 { return v * bits.RotateLeft64(v, 32) }

// fastTables holds the tables that only the quality Fast needs.
type fastTables struct {
	// luma is like costs, but its errors are rounded to multiples of 8. The lanes have 16 bits,
	// which the sum of eight pixels cannot overflow. A word has lanes for four modifier tables,
	// starting with table 0, 2 or 4.
	luma [3][2048]uint64
	// two holds the cost of a pixel in the T and H modes. It is indexed by the difference of the
	// channel sums; the lanes are for the distances. A lane of 16 bits cannot overflow for sixteen
	// pixels. The first two words are for groups with two colors, as in H. The last two words are
	// for the group with three colors in T. Costs are rounded to multiples of 16.
	two   [2048][4]uint64
	alpha alphaTables
	near5 [2048]uint8 // mean of eight values, quantized to 5 bits and indexed by the sum of the values
}

// sharedTables returns the tables, which all encoders share. The first call also fills costs.
var sharedTables = sync.OnceValue(func() *fastTables {
	fillLumaCosts()
	t := &fastTables{}
	t.fillLuma()
	t.fillTwo()
	t.alpha.fill()
	for sum := range t.near5 {
		t.near5[sum] = scaledNearest(int32(sum), 8*255, 31)
	}
	return t
})

func (f *fastTables) fillLuma() {
	all := &f.luma
	for u := range int32(1024) {
		for t, m := range &modifiers {
			near, far := u-3*m[0], u-3*m[1]
			cost := uint64(min((min(near*near, far*far)+4)>>3, 1<<13-1))
			for first := range all {
				lane := t - 2*first
				if lane < 0 || lane > 3 {
					continue
				}
				all[first][u] |= cost << (lane * 16)
				if u > 0 {
					all[first][2048-u] |= cost << (lane * 16)
				}
			}
		}
	}
}

func (f *fastTables) fillTwo() {
	all := &f.two
	for u := range int32(1024) {
		for i, d := range distances {
			far := (u - 3*d) * (u - 3*d)
			for shape, cost := range [2]int32{far, min(far, u*u)} {
				lane := uint64(min((cost+8)>>4, 1<<12-1)) << (i % 4 * 16)
				all[u][2*shape+i/4] |= lane
				if u > 0 {
					all[2048-u][2*shape+i/4] |= lane
				}
			}
		}
	}
}

// leastLane returns eight times the smallest of eight lanes of 16 bits, plus the index of this
// lane.
func leastLane(a, b uint64) uint32 {
	return min(
		uint32(a&0xffff)<<3, uint32(a>>16&0xffff)<<3|1, uint32(a>>32&0xffff)<<3|2, uint32(a>>48)<<3|3,
		uint32(b&0xffff)<<3|4, uint32(b>>16&0xffff)<<3|5, uint32(b>>32&0xffff)<<3|6, uint32(b>>48)<<3|7)
}

// chromaOf returns the chroma error of count pixels, minus the part that does not depend on the
// base.
func chromaOf(sum, base *[3]int32, count int32) int32 {
	s, t := sum[0]+sum[1]+sum[2], base[0]+base[1]+base[2]
	dot := base[0]*sum[0] + base[1]*sum[1] + base[2]*sum[2]
	return 3*(count*(base[0]*base[0]+base[1]*base[1]+base[2]*base[2])-2*dot) + t*(2*s-count*t)
}

// A fastHalf holds the three base colors that are tried for a half: the color nearest to its mean,
// and the colors one step brighter and one step darker in all channels.
type fastHalf struct {
	red, green, blue       int32 // sums of each channel
	low, high              int32 // smallest and largest of the pixels' red + green + blue
	nearR, nearG, nearB    int32 // quantized mean color
	cost, brighter, darker int32 // three times the errors, minus sketch.rest
	table, bright, dark    uint8 // modifier tables of the three colors
}

// expensive is the cost of a base color that does not exist.
const expensive = 1 << 28

// measure computes the cost of the color nearest to the mean from the sums of the half.
func (h *fastHalf) measure(t *fastTables, s *[8]int32, total sums) {
	h.red, h.green, h.blue = int32(total.redBlue&0xffff), int32(total.green), int32(total.redBlue>>16)
	h.low = min(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7])
	h.high = max(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7])
	r, g, b := int32(t.near5[h.red&2047]), int32(t.near5[h.green&2047]), int32(t.near5[h.blue&2047])
	h.nearR, h.nearG, h.nearB = r, g, b
	h.cost, h.table = h.costOf(t, s, r<<3|r>>2, g<<3|g>>2, b<<3|b>>2)
}

// shift computes the costs of the brighter and the darker color.
func (h *fastHalf) shift(t *fastTables, s *[8]int32) {
	h.brighter, h.darker = expensive, expensive
	if r, g, b := h.nearR+1, h.nearG+1, h.nearB+1; max(r, g, b) <= 31 {
		h.brighter, h.bright = h.costOf(t, s, r<<3|r>>2, g<<3|g>>2, b<<3|b>>2)
	}
	if r, g, b := h.nearR-1, h.nearG-1, h.nearB-1; min(r, g, b) >= 0 {
		h.darker, h.dark = h.costOf(t, s, r<<3|r>>2, g<<3|g>>2, b<<3|b>>2)
	}
}

// of returns the cost and the modifier table of a color. A shift of -1 selects the darker color,
// and 1 the brighter one.
func (h *fastHalf) of(shift int32) (cost int32, table uint8) {
	switch shift {
	case 0:
		return h.cost, h.table
	case 1:
		return h.brighter, h.bright
	}
	return h.darker, h.dark
}

// best returns the shift with the smallest cost.
func (h *fastHalf) best() int32 {
	if h.brighter < h.cost && h.brighter <= h.darker {
		return 1
	}
	if h.darker < h.cost {
		return -1
	}
	return 0
}

// costOf returns three times the error of a base color, minus sketch.rest. It also returns the best
// of the four modifier tables that suit the range of the half.
func (h *fastHalf) costOf(tables *fastTables, s *[8]int32, r, g, b int32) (cost int32, table uint8) {
	t := r + g + b
	first := uint32(0)
	if reach := max(h.high-t, t-h.low); reach > 3*40 {
		first = 1
		if reach > 3*90 {
			first = 2
		}
	}
	luma := &tables.luma[first]
	a := luma[(s[0]-t)&2047] + luma[(s[1]-t)&2047] + luma[(s[2]-t)&2047] + luma[(s[3]-t)&2047] +
		luma[(s[4]-t)&2047] + luma[(s[5]-t)&2047] + luma[(s[6]-t)&2047] + luma[(s[7]-t)&2047]
	least := min(uint32(a&0xffff)<<2, uint32(a>>16&0xffff)<<2|1, uint32(a>>32&0xffff)<<2|2, uint32(a>>48)<<2|3)
	dot := r*h.red + g*h.green + b*h.blue
	return int32(least>>2)<<3 + 6*(4*(r*r+g*g+b*b)-dot) + 2*t*(h.red+h.green+h.blue-4*t), uint8(2*first + least&3)
}

// encodeFast is the variant of encode that the quality Fast uses.
func (e *encoder) encodeFast(pixels *[64]byte) uint64 {
	e.sse = math.MaxInt32
	s := &e.sketch
	if !s.measure(pixels) {
		if color := s.across[0]; color != e.solid.color {
			e.px.loadColumns(pixels)
			e.solidColor()
			e.solid.color, e.solid.best, e.solid.sse = color, e.best, e.sse
		}
		e.best, e.sse = e.solid.best, e.solid.sse
		return e.best.pack()
	}
	loaded := false
	var slopes [3][3]int32
	slope := s.fitSlopes(&slopes)
	if slope < smoothSlope {
		e.px.loadColumns(pixels)
		loaded = true
		e.roundSlopes(&slopes)
		if e.sse <= e.effort.good {
			return e.best.pack()
		}
	}
	c, cost := s.fastSplit()
	sse := (cost + s.rest) / 3
	if !loaded && slope+slope/8+roundingError < sse {
		e.px.loadColumns(pixels)
		loaded = true
		e.roundSlopes(&slopes)
	}
	chroma := int32(0)
	if sse < e.sse {
		exact, chromaPart, ok := s.indexFast(&c)
		if !ok {
			exact = s.indexClamped(&c, pixels)
		}
		chroma = chromaPart
		e.keepIfBetter(&c, exact)
	}
	if e.sse > e.effort.two && (chroma > 2*e.sse || s.bimodal() < 9*e.sse) {
		if !loaded {
			e.px.loadColumns(pixels)
		}
		e.fastTwoColors()
	}
	return e.best.pack()
}

// bimodal returns the squared error if each pixel's channel sum is replaced by the mean of its
// group. One group has the pixels above the mean, the other group the remaining pixels. The error
// is small if the block has two colors.
func (s *sketch) bimodal() int32 {
	sum := s.all.channels()
	all := sum[0] + sum[1] + sum[2]
	mean := all >> 4
	var above, n int32
	for _, v := range &s.columns {
		side := (mean - v) >> 31
		above += v & side
		n -= side
	}
	below, m := all-above, 16-n
	return s.lumas - above*(above/max(1, n)) - below*(below/max(1, m))
}

// roundingError is the smallest error that rounded corner colors add to the gradient of a block
// that is not smooth.
const roundingError = 16

// smoothSlope is the error of a gradient below which the planar mode is tried first.
const smoothSlope = 150

// fitSlopes returns the error of the best gradients before rounding. It stores their corner colors
// in units of 1/80; see planar.
func (s *sketch) fitSlopes(slopes *[3][3]int32) int32 {
	x, y := slopeMoment(&s.across), slopeMoment(&s.down)
	all := s.all.channels()
	left := 80 * s.squares
	for k, sum := range all {
		x, y := x[k], y[k]
		left -= 5*sum*sum + x*x + y*y
		o := 5*sum - 3*x - 3*y
		slopes[k] = [3]int32{o, o + 8*x, o + 8*y}
	}
	return left / 80
}

// slopeMoment returns the sum of v[i]*(2*i-3) for each channel.
func slopeMoment(v *[4]sums) (m [3]int32) {
	// The bias prevents a borrow between the two lanes.
	const bias = 1 << 13
	redBlue := v[3].redBlue*3 + v[2].redBlue + (bias | bias<<16) - v[1].redBlue - v[0].redBlue*3
	return [3]int32{
		int32(redBlue&0xffff) - bias,
		int32(v[3].green*3 + v[2].green - v[1].green - v[0].green*3),
		int32(redBlue>>16) - bias,
	}
}

// fastSplit returns the best code found in the modes of ETC1, and three times its error minus
// sketch.rest.
func (s *sketch) fastSplit() (c code, cost int32) {
	var one, two, upper, lower fastHalf
	sOne, sTwo := (*[8]int32)(s.columns[:8]), (*[8]int32)(s.columns[8:])
	sUpper, sLower := (*[8]int32)(s.rows[:8]), (*[8]int32)(s.rows[8:])
	one.measure(s.tables, sOne, s.across[0].add(s.across[1]))
	two.measure(s.tables, sTwo, s.across[2].add(s.across[3]))
	upper.measure(s.tables, sUpper, s.down[0].add(s.down[1]))
	lower.measure(s.tables, sLower, s.down[2].add(s.down[3]))
	if upper.cost+lower.cost < one.cost+two.cost {
		c.flip = true
		one, two, sOne, sTwo = upper, lower, sUpper, sLower
	}
	one.shift(s.tables, sOne)
	two.shift(s.tables, sTwo)
	c.mode = differential
	r, g, b := two.nearR-one.nearR, two.nearG-one.nearG, two.nearB-one.nearB
	low, high := min(r, g, b), max(r, g, b)
	i, j := one.best(), two.best()
	if low+j-i < -4 || high+j-i > 3 {
		cost = expensive
		for p := int32(-1); p <= 1; p++ {
			for q := int32(-1); q <= 1; q++ {
				a, _ := one.of(p)
				b, _ := two.of(q)
				if d := q - p; low+d >= -4 && high+d <= 3 && a+b < cost {
					cost, i, j = a+b, p, q
				}
			}
		}
		coarse := code{mode: individual, flip: c.flip}
		coarseCost := one.coarse(s.tables, sOne, &coarse, 0) + two.coarse(s.tables, sTwo, &coarse, 1)
		if coarseCost < cost {
			return coarse, coarseCost
		}
	}
	c.base[0] = [3]uint8{uint8(one.nearR + i), uint8(one.nearG + i), uint8(one.nearB + i)}
	c.base[1] = [3]uint8{uint8(two.nearR + j), uint8(two.nearG + j), uint8(two.nearB + j)}
	costOne, tableOne := one.of(i)
	costTwo, tableTwo := two.of(j)
	c.table = [2]uint8{tableOne, tableTwo}
	return c, costOne + costTwo
}

// coarse stores the 4-bit base color and the modifier table of one half in c. It returns three
// times the error, minus sketch.rest.
func (h *fastHalf) coarse(t *fastTables, s *[8]int32, c *code, half int) (cost int32) {
	base := &c.base[half&1]
	for k, v := range [3]int32{h.red, h.green, h.blue} {
		base[k] = scaledNearest(v, 8*255, 15)
	}
	cost, c.table[half&1] = h.costOf(t, s, int32(base[0])*17, int32(base[1])*17, int32(base[2])*17)
	return cost
}

// indexFast chooses the indices of a block in a mode of ETC1. It returns the error, and the chroma
// part of three times the error. It returns false if colors are clamped; see indexClamped.
func (s *sketch) indexFast(c *code) (sse, chroma int32, ok bool) {
	chroma = s.rest
	cost := int32(0)
	c.index = 0
	for half := range 2 {
		base := c.widenBase(half)
		m := &modifiers[c.table[half]&7]
		if min(base[0], base[1], base[2]) < m[1] || max(base[0], base[1], base[2])+m[1] > 255 {
			return 0, 0, false
		}
		var sum [3]int32
		from, at, stride := (*[8]int32)(s.columns[8*half:]), 8*half, 1
		sum = s.across[2*half].add(s.across[2*half+1]).channels()
		if c.flip {
			from, at, stride = (*[8]int32)(s.rows[8*half:]), 2*half, 4
			sum = s.down[2*half].add(s.down[2*half+1]).channels()
		}
		t := base[0] + base[1] + base[2]
		near, far := 3*m[0], 3*m[1]
		border, index := (near+far)>>1, uint32(0)
		luma := int32(0)
		for i, v := range from {
			u := v - t
			sign := u >> 31
			u = (u ^ sign) - sign
			wide := (border - u) >> 31
			d := u - near - (far-near)&wide
			luma += d * d
			index |= uint32(wide&1|sign&(1<<16)) << i
		}
		if stride == 1 {
			c.index |= index << at
		} else {
			c.index |= columnsOfRows(index) << at
		}
		cost += luma
		chroma += chromaOf(&sum, &base, 8)
	}
	return (cost + chroma) / 3, chroma, true
}

// indexClamped chooses the indices of a block in a mode of ETC1 if decoded colors are clamped. It
// compares the channel sums of pixels with the sums of decoded colors, and returns the error.
func (s *sketch) indexClamped(c *code, pixels *[64]byte) (sse int32) {
	c.index = 0
	for half := range 2 {
		at := c.pixelsOf(half)
		p := c.paints(half)
		ascending := [4]uint8{3, 2, 0, 1}
		var sum [4]int32
		for i, k := range ascending {
			sum[i] = p[k&3][0] + p[k&3][1] + p[k&3][2]
		}
		first, middle, last := sum[0]+sum[1], sum[1]+sum[2], sum[2]+sum[3]
		for _, i := range at {
			v := 2 * s.columns[i&15]
			above := (first-v)>>31 + (middle-v)>>31 + (last-v)>>31
			k := ascending[-above&3]
			c.index |= spread[k&3] << i
			from, q := 4*(i&3<<2|i>>2&3), &p[k&3]
			r, g, b := int32(pixels[from&63])-q[0], int32(pixels[(from+1)&63])-q[1], int32(pixels[(from+2)&63])-q[2]
			sse += r*r + g*g + b*b
		}
	}
	return sse
}

// columnsOfRows moves the low and high bits of two rows of pixels to their places in column order.
func columnsOfRows(v uint32) uint32 {
	return v&0x10001 | v>>1&0x10001<<4 | v>>2&0x10001<<8 | v>>3&0x10001<<12 |
		v>>4&0x10001<<1 | v>>5&0x10001<<5 | v>>6&0x10001<<9 | v>>7&0x10001<<13
}

// sixteenths holds, for each n, the factor that turns a sum of n bytes into 16 times their mean.
// The factor is scaled by 65536.
var sixteenths = func() (all [16]int32) {
	for n := range all {
		all[n] = (16<<16 + int32(n)/2) / max(1, int32(n))
	}
	return all
}()

// splitByAxis splits the pixels into two groups along the direction from the mean to the farthest
// pixel. It returns the group of each pixel, one bit per pixel, and reports whether both groups
// have pixels.
func (e *encoder) splitByAxis(groups *[2]group) (sides uint32, ok bool) {
	s, pix := &e.sketch, &e.px.pix
	all := s.all.channels()
	// axis is the direction from the mean to the farthest pixel, in 16ths.
	var axis [3]int32
	far := int32(0)
	for i := range pix {
		p := &pix[i]
		r, g, b := p[0]<<4-all[0], p[1]<<4-all[1], p[2]<<4-all[2]
		if d := r*r + g*g + b*b; d > far {
			far, axis = d, [3]int32{r, g, b}
		}
	}
	border := (axis[0]*all[0] + axis[1]*all[1] + axis[2]*all[2]) >> 4
	for range 2 {
		sides = 0
		var sum [3]int32
		n := int32(0)
		for i := range pix {
			p := &pix[i]
			side := (border - axis[0]*p[0] - axis[1]*p[1] - axis[2]*p[2]) >> 31
			sum[0], sum[1], sum[2] = sum[0]+p[0]&side, sum[1]+p[1]&side, sum[2]+p[2]&side
			n -= side
			sides |= uint32(side) & (1 << i)
		}
		if n == 0 || n == 16 {
			return 0, false
		}
		groups[0].n, groups[1].n = 16-n, n
		border = 0
		for k, v := range sum {
			groups[0].sum[k], groups[1].sum[k] = all[k]-v, v
			low, high := (all[k]-v)*sixteenths[(16-n)&15]>>16, v*sixteenths[n&15]>>16
			axis[k] = high - low
			border += axis[k] * (high + low)
		}
		border >>= 5
	}
	return sides, true
}

// fastTwoColors tries the T and H modes. It splits the pixels into two groups, and estimates the
// error of each way to store the two mean colors.
func (e *encoder) fastTwoColors() {
	var groups [2]group
	sides, ok := e.splitByAxis(&groups)
	if !ok {
		return
	}
	s := &e.sketch
	var c code
	var t [2]int32
	cost := s.rest
	for half := range groups {
		var base [3]int32
		for k, v := range groups[half].sum {
			q := uint8((v*sixteenths[groups[half].n&15]>>16*15 + 2040) / 4080)
			c.base[half][k], base[k] = q, int32(q)*17
		}
		t[half&1] = base[0] + base[1] + base[2]
		cost += chromaOf(&groups[half].sum, &base, groups[half].n)
	}
	var h [2]uint64
	var three [2][2]uint64
	var one [2]int32
	for i, sum := range &s.columns {
		side := sides >> i & 1
		u := sum - t[side]
		row := &s.tables.two[u&2047]
		h[0], h[1] = h[0]+row[0], h[1]+row[1]
		three[side][0], three[side][1] = three[side][0]+row[2], three[side][1]+row[3]
		one[side] += u * u
	}
	least := leastLane(h[0], h[1])
	c.mode, c.distance = shapeH, uint8(least&7)
	luma := int32(least>>3) << 4
	second := 1 // number of the group whose color has three variants in T
	for side := range three {
		least := leastLane(three[side][0], three[side][1])
		if l := int32(least>>3)<<4 + one[1-side]; l < luma {
			c.mode, c.distance, luma, second = shapeT, uint8(least&7), l, side
		}
	}
	if second == 0 {
		c.base[0], c.base[1] = c.base[1], c.base[0]
	}
	if (cost+luma)/3 >= e.sse {
		return
	}
	e.keepIfBetter(&c, e.indexTwo(&c, e.sse))
}
