package etc2

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
