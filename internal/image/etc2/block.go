package etc2

// A block holds the colors of a block, in columns.
type block struct {
	pix [16][3]int32
	all [3]int32 // the sums of the channels
	// squares is the sum of the squares of all.
	squares int32
	halves  [4]half
}

// loadColumns stores the pixels of a block, and reports whether any differs from the first.
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
	// Quarters are in columns as well: upper left, lower left, upper right, lower right.
	b.halves[0].joinQuarters(&quarters[0], &quarters[1])
	b.halves[1].joinQuarters(&quarters[2], &quarters[3])
	b.halves[2].joinQuarters(&quarters[0], &quarters[2])
	b.halves[3].joinQuarters(&quarters[1], &quarters[3])
	for k := range 3 {
		b.all[k] = b.halves[0].sum[k] + b.halves[1].sum[k]
	}
	b.squares = b.halves[0].squares + b.halves[1].squares
}

// A half holds the sums of half a block that estimates need.
type half struct {
	s       [8]int32 // sums of red, green and blue of each pixel
	sum     [3]int32 // sums of each channel
	squares int32    // the sum of the squares of all channels
	lumas   int32    // the sum of the squares of s
}

func (h *half) joinQuarters(a, b *half) {
	copy(h.s[:4], a.s[:4])
	copy(h.s[4:], b.s[:4])
	for k := range h.sum {
		h.sum[k] = a.sum[k] + b.sum[k]
	}
	h.squares, h.lumas = a.squares+b.squares, a.lumas+b.lumas
}

// The error of a pixel p of a half with the base color b and a modifier m is the sum of
// (p-b-m)^2 over the channels. Let s and t be the sums of the channels of p and of b.
// Thrice the error is then
//
//	3*|p-b|^2 - (s-t)^2 + (s-t-3m)^2,
//
// The first two terms, the chroma, do not depend on the modifier. The last, the luma,
// depends on nothing but s-t and the modifier. So the best table and the best indices of a
// base follow from its sum alone. Clamping of colors at 0 and 255 is not counted. It brings
// them nearer to the pixel, so the error is at most this.

// costs holds the least luma by the difference of the sums and by table: table 2i is in the low
// half of word i, table 2i+1 in its high half. Values are shifted by three bits.
var costs = func() (all [1024][4]uint64) {
	for u := range int32(766) {
		for t, m := range &modifiers {
			near, far := u-3*m[0], u-3*m[1]
			all[u][t/2] |= uint64(min(near*near, far*far)) << (3 + t%2*32)
		}
	}
	return all
}()

// leastLuma returns the least luma of a base whose channels add up to sum, and its table.
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

// chroma returns the chroma of a base.
func (h *half) chroma(b *[3]int32) int32 {
	sum := b[0] + b[1] + b[2]
	s := h.sum[0] + h.sum[1] + h.sum[2]
	dot := b[0]*h.sum[0] + b[1]*h.sum[1] + b[2]*h.sum[2]
	return 3*(h.squares-2*dot+8*(b[0]*b[0]+b[1]*b[1]+b[2]*b[2])) - (h.lumas - 2*sum*s + 8*sum*sum)
}

// planar tries the planar mode. The slope nearest to the pixels of a channel, c of
// x and y from 0 to 3, follows from three sums: of c, of c*(2x-3) and of c*(2y-3).
func (e *encoder) planar() {
	var left int32 // 80 times the error of the slopes before they are rounded
	var slopes [3][3]int32
	for k := range 3 {
		var x, y int32
		for i := range 16 {
			v := e.px.pix[i][k]
			x += v * int32(2*(i>>2)-3)
			y += v * int32(2*(i&3)-3)
		}
		sum := e.px.all[k]
		left -= 5*sum*sum + x*x + y*y
		o := 5*sum - 3*x - 3*y // units of 1/80
		slopes[k] = [3]int32{o, o + 8*x, o + 8*y}
	}
	left += 80 * e.px.squares
	if left >= e.sse {
		return
	}
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
		if e.effort.shifts >= 0 {
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
		v := at
		for j := range 4 {
			d := clampToByte(v>>2) - e.px.pix[i+j][k]
			sse += d * d
			v += y
		}
		at += x
	}
	return sse
}

// nudgeSlope moves the corners of one channel by single steps while that helps.
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

// solidColor sets the best block of a single color: a base color of five bits and the
// modifier that all pixels share, whichever is nearest. The planar mode keeps green to a
// half and others to one of 64 levels, and often is nearer.
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
