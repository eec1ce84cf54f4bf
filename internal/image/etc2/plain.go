package etc2

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
		o := 5*sum - 3*x - 3*y // in 80ths
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
			q[j] = nearest(v, 80*255, most)
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
			d := toByte(v>>2) - e.px.pix[i+j][k]
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

// solid sets the best block of a single color: a base color of five bits and the
// modifier that all pixels share, whichever is nearest. The planar mode keeps green to a
// half and others to one of 64 levels, and often is nearer.
func (e *encoder) solid() {
	p := &e.px.pix[0]
	e.px.measure()
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
				near := nearest(v, 255, 31)
				d := toByte(widen5(near)+m) - p[c]
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
