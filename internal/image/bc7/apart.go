package bc7

import "math"

// apart tries mode 4 or 5: color, and one channel apart.
func (e *encoder) apart(mode, rotation, selector uint8) {
	color, single := kindsApart(mode, selector)
	px, scalar := e.px.rotated(rotation)
	c := code{mode: mode, rotation: rotation, selector: selector}
	sse := e.fitScalar(&scalar, single, &c)
	if sse >= e.sse {
		return
	}
	var m moments
	for _, v := range &px.rgb {
		m.add(v)
	}
	s := m.scatter(false)
	if mode == 5 && s.rr+s.gg+s.bb == 0 {
		e.tables.setColor(&c, px.rgb[0])
		e.sse, e.best = sse, c
		return
	}
	v := s.principal(false)
	d := v.axis()
	ls := px.place(whole[:], &d, color, false)
	sse += m.squares(false)
	if e.effort.rough {
		l, left := e.fitRoughly(&px, whole[:], ls, &m, color, false, &c.index)
		if sse += left; sse < e.sse {
			c.setEnds(0, &l, 3)
			e.sse, e.best = sse, c
		}
		return
	}
	var l line
	for range e.effort.rounds {
		before := ls
		l.solve(&ls, &m, 3, color, e.effort.thorough)
		total := sse + px.choose(whole[:], &l, color, false, &c.index, &ls)
		if total >= e.sse {
			return
		}
		c.setEnds(0, &l, 3)
		e.sse, e.best = total, c
		if ls == before {
			return
		}
	}
}

// kindsApart returns how the modes 4 and 5 store color and the channel apart.
func kindsApart(mode, selector uint8) (color, single *kind) {
	switch {
	case mode == 5:
		return color5, scalar5
	case selector == 1:
		return color4long, scalar4short
	}
	return color4, scalar4
}

// fitScalar fits ends and indices of a single channel and returns their error.
func (e *encoder) fitScalar(values *[16]uint64, k *kind, c *code) int64 {
	least, most := values[0], values[0]
	m := moments{n: 16 << countShift}
	for _, v := range values {
		least, most = min(least, v), max(most, v)
		m.sum += v
	}
	lo, hi := k.nearest(int64(least)<<8, 0), k.nearest(int64(most)<<8, 0)
	best := int64(math.MaxInt64)
	w := &packedWeights[k.width]
	for range e.effort.rounds {
		var index [16]uint8
		v0, v1 := k.value(lo, 0), k.value(hi, 0)
		var levels [8]int64
		for i := range k.levels {
			levels[i&7] = int64(blend(uint8(v0), uint8(v1), int(w[i&15]&127)))
		}
		var scale int64
		if v1 != v0 {
			scale = (k.levels - 1) << 24 / (v1 - v0)
		}
		var sse int64
		var ls leastSquares
		for i, v := range values {
			at := max(0, min(((int64(v)-v0)*scale+1<<23)>>24, k.levels-1))
			off := int64(v) - levels[at&7]
			sse += off * off
			index[i] = uint8(at)
			ww := w[at&15]
			ls.w += ww
			ls.rgb += v * (ww & 127)
		}
		if sse >= best {
			break
		}
		best = sse
		c.scalar = index
		c.ends[0][0][3], c.ends[0][1][3] = uint8(lo), uint8(hi)
		if sse == 0 {
			break
		}
		var l line
		l.solve(&ls, &m, 1, k, e.effort.thorough)
		lo, hi = int64(l.stored[0][0]), int64(l.stored[1][0])
	}
	return best
}
