package etc2

// A block holds the colors of a block, column by column.
type block struct {
	pix [16][3]int32
	all [3]int32 // sums of all pixels, by channel
	// squares is the sum of the squares of all channels of all pixels.
	squares int32
	halves  [4]half
}

// loadColumns stores the pixels of a block column by column, and reports whether any pixel differs
// from the first.
func (b *block) loadColumns(pixels *[64]byte) bool {
	differ := byte(0)
	for i, at := range inColumns {
		p := pixels[4*at : 4*at+4]
		differ |= (p[0] ^ pixels[0]) | (p[1] ^ pixels[1]) | (p[2] ^ pixels[2])
		b.pix[i] = [3]int32{int32(p[0]), int32(p[1]), int32(p[2])}
	}
	return differ != 0
}

// sumHalves computes the sums of the halves.
func (b *block) sumHalves() {
	var quarters [4]half
	for i := range quarters {
		q := &quarters[i]
		*q = half{}
		at := i>>1*8 + i&1*2
		for j := range 4 {
			from := at + j>>1*4 + j&1
			p := &b.pix[from]
			s := p[0] + p[1] + p[2]
			q.s[j] = s
			q.sum[0], q.sum[1], q.sum[2] = q.sum[0]+p[0], q.sum[1]+p[1], q.sum[2]+p[2]
			q.squares += p[0]*p[0] + p[1]*p[1] + p[2]*p[2]
			q.lumas += s * s
		}
	}
	// Quarters are ordered by columns, like pixels: upper left, lower left, upper right, lower
	// right.
	b.halves[0].joinQuarters(&quarters[0], &quarters[1])
	b.halves[1].joinQuarters(&quarters[2], &quarters[3])
	b.halves[2].joinQuarters(&quarters[0], &quarters[2])
	b.halves[3].joinQuarters(&quarters[1], &quarters[3])
	for k := range 3 {
		b.all[k] = b.halves[0].sum[k] + b.halves[1].sum[k]
	}
	b.squares = b.halves[0].squares + b.halves[1].squares
}

// A half holds sums over half a block, to estimate errors.
type half struct {
	s       [8]int32 // red + green + blue of each pixel
	sum     [3]int32 // sum of each channel over the pixels
	squares int32    // sum of the squares of all channels
	lumas   int32    // sum of the squares of the elements of s
}

func (h *half) joinQuarters(a, b *half) {
	copy(h.s[:4], a.s[:4])
	copy(h.s[4:], b.s[:4])
	for k := range h.sum {
		h.sum[k] = a.sum[k] + b.sum[k]
	}
	h.squares, h.lumas = a.squares+b.squares, a.lumas+b.lumas
}

// The error of a pixel p of a half with the base color b and a modifier m is the sum of (p-b-m)^2
// over the channels. Let s and t be the sums of the channels of p and of b. Then three times the
// error is
//
//	3*|p-b|^2 - (s-t)^2 + (s-t-3m)^2,
// The first two terms, the chroma, do not depend on the modifier. The last term, the luma, depends
// only on s-t and the modifier. So the sum of a base color's channels determines its best table and
// indices. The formula ignores that colors are clamped to 0 and 255. Clamping moves them towards
// the pixel, so the formula is an upper bound.

// costs holds the smallest luma error of a pixel. It is indexed by the absolute difference of the
// channel sums, and by modifier table. The low half of word i is for table 2i, and the high half
// for table 2i+1. Values are shifted left by three bits. sharedTables fills it.
var costs [1024][4]uint64

func fillLumaCosts() {
	for u := range int32(766) {
		for t, m := range &modifiers {
			near, far := u-3*m[0], u-3*m[1]
			costs[u][t/2] |= uint64(min(near*near, far*far)) << (3 + t%2*32)
		}
	}
}

// leastLuma returns the smallest luma of a base whose channels add up to sum, and the best table.
func (h *half) leastLuma(sum int32) (cost int32, table uint8) {
	a, b, c, d := uint64(1<<32), uint64(2|3<<32), uint64(4|5<<32), uint64(6|7<<32)
	for _, s := range &h.s {
		u := s - sum
		row := &costs[max(u, -u)&1023]
		a, b, c, d = a+row[0], b+row[1], c+row[2], d+row[3]
	}
	least := min(uint32(a), uint32(a>>32), uint32(b), uint32(b>>32), uint32(c), uint32(c>>32), uint32(d), uint32(d>>32))
	return int32(least >> 3), uint8(least & 7)
}

// chroma returns the chroma error of a base.
func (h *half) chroma(b *[3]int32) int32 {
	sum := b[0] + b[1] + b[2]
	s := h.sum[0] + h.sum[1] + h.sum[2]
	dot := b[0]*h.sum[0] + b[1]*h.sum[1] + b[2]*h.sum[2]
	return 3*(h.squares-2*dot+8*(b[0]*b[0]+b[1]*b[1]+b[2]*b[2])) - (h.lumas - 2*sum*s + 8*sum*sum)
}

// planar tries the planar mode. The best gradient for a channel c follows from three sums over its
// pixels: of c, of c*(2x-3) and of c*(2y-3), with x and y from 0 to 3.
func (e *encoder) planar() {
	var left int32 // 80 times the error of the gradients before rounding
	var slopes [3][3]int32
	for k := range slopes {
		var x, y int32
		for i := range 16 {
			v := e.px.pix[i][k]
			x += v * int32(2*(i>>2)-3)
			y += v * int32(2*(i&3)-3)
		}
		sum := e.px.all[k]
		left -= 5*sum*sum + x*x + y*y
		o := 5*sum - 3*x - 3*y // color of the corner in units of 1/80
		slopes[k] = [3]int32{o, o + 8*x, o + 8*y}
	}
	left += 80 * e.px.squares
	if left >= e.sse {
		return
	}
	e.roundSlopes(&slopes)
}

// roundSlopes tries the planar mode with corner colors in units of 1/80.
func (e *encoder) roundSlopes(slopes *[3][3]int32) {
	c := code{mode: planar}
	total := int32(0)
	for k := range 3 {
		most := int32(63)
		if k == 1 {
			most = 127
		}
		var q [3]uint8
		for j, v := range slopes[k] {
			q[j] = scaledNearest(v, 80*255, most)
		}
		sse := e.slopeError(k, &q)
		if !e.effort.fast {
			sse = e.nudgeSlope(k, &q, most, sse)
		}
		for j := range q {
			c.base[j][k] = q[j]
		}
		total += sse
	}
	e.keepIfBetter(&c, total)
}

// slopeError returns the error of one channel of a planar block.
func (e *encoder) slopeError(k int, q *[3]uint8) (sse int32) {
	o := widenSlope(q[0], k)
	x, y := widenSlope(q[1], k)-o, widenSlope(q[2], k)-o
	at := 4*o + 2
	for i := 0; i < 16; i += 4 {
		p := e.px.pix[i : i+4 : i+4]
		d0, d1 := clampToByte(at>>2)-p[0][k], clampToByte((at+y)>>2)-p[1][k]
		d2, d3 := clampToByte((at+2*y)>>2)-p[2][k], clampToByte((at+3*y)>>2)-p[3][k]
		sse += d0*d0 + d1*d1 + d2*d2 + d3*d3
		at += x
	}
	return sse
}

// nudgeSlope changes the corners of one channel by one quantized value at a time, as long as this
// reduces the error.
func (e *encoder) nudgeSlope(k int, q *[3]uint8, most, sse int32) int32 {
	for better := true; better && sse > 0; {
		better = false
		for j := range q {
			for _, step := range [2]int32{-1, 1} {
				v := int32(q[j]) + step
				if v < 0 || v > most {
					continue
				}
				next := *q
				next[j] = uint8(v)
				if s := e.slopeError(k, &next); s < sse {
					*q, sse, better = next, s, true
				}
			}
		}
	}
	return sse
}

// solidColor sets the best block for a single color. One candidate is a base color of five bits
// with the same modifier for all pixels. The other is the planar mode, which has seven bits for
// green and six for red and blue and is often more exact.
func (e *encoder) solidColor() {
	p := &e.px.pix[0]
	e.px.sumHalves()
	e.planar()
	if e.sse == 0 {
		return
	}
	least := int32(1 << 30)
	var best code
	for table := range uint8(8) {
		for k := range uint8(4) {
			m := modifiers[table][k]
			var base [3]uint8
			sse := int32(0)
			for c := range base {
				v := p[c] - m
				near := scaledNearest(v, 255, 31)
				d := clampToByte(widen5(near)+m) - p[c]
				base[c] = near
				sse += 16 * d * d
			}
			if sse < least {
				least = sse
				best = code{mode: differential, base: [3][3]uint8{base, base}, table: [2]uint8{table, table}}
				best.index = spread[k] * 0xffff
			}
		}
	}
	e.keepIfBetter(&best, least)
}
