package bc7

import "math"

// fitApart tries mode 4 or 5, which encode color and one channel separately.
func (e *encoder) fitApart(mode, rotation, selector uint8) {
	color, single := kindsApart(mode, selector)
	px, scalar := e.px.rotated(rotation)
	c := code{mode: mode, rotation: rotation, selector: selector}
	sse := e.fitScalar(&scalar, single, &c)
	if sse >= e.sse {
		return
	}
	var m moments
	for _, v := range &px.rgb {
		m.addOpaque(v)
	}
	s := m.scatterOf(false)
	if mode == 5 && s.rr+s.gg+s.bb == 0 {
		e.tables.setColor(&c, px.rgb[0])
		e.sse, e.best = sse, c
		return
	}
	v := s.principalDirection(false)
	d := v.wholeAxis()
	ls := px.placeOnAxis(whole[:], &d, color, false)
	sse += m.sumOfSquares(false)
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
		l.solveLine(&ls, &m, 3, color, e.effort.thorough)
		total := sse + px.chooseIndices(whole[:], &l, color, false, &c.index, &ls)
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

// kindsApart returns the storage formats of the color and of the separate channel in modes 4 and 5.
func kindsApart(mode, selector uint8) (color, single *kind) {
	switch {
	case mode == 5:
		return color5, scalar5
	case selector == 1:
		return color4long, scalar4short
	}
	return color4, scalar4
}

// fitScalar fits the endpoints and indices of a single channel, and returns the error.
func (e *encoder) fitScalar(values *[16]uint64, k *kind, c *code) int64 {
	least, most := values[0], values[0]
	m := moments{n: 16 << countShift}
	for _, v := range values {
		least, most = min(least, v), max(most, v)
		m.sum += v
	}
	lo, hi := k.nearestStored(int64(least)<<8, 0), k.nearestStored(int64(most)<<8, 0)
	best := int64(math.MaxInt64)
	w := &packedWeights[k.width]
	for range e.effort.rounds {
		var index [16]uint8
		v0, v1 := k.decodedValue(lo, 0), k.decodedValue(hi, 0)
		var levels [8]int64
		for i := range k.levels {
			levels[i&7] = int64(blendEnds(uint8(v0), uint8(v1), int(w[i&15]&127)))
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
		l.solveLine(&ls, &m, 1, k, e.effort.thorough)
		lo, hi = int64(l.stored[0][0]), int64(l.stored[1][0])
	}
	return best
}

// fitTwoLines tries a mode with two lines for a partition.
func (e *encoder) fitTwoLines(mode, partition uint8, k *kind) {
	list := &e.tables.lists[partition&63]
	one := e.rows.momentsOfMask(pairs[partition&63], e.alpha)
	parts := [2]moments{e.all.withoutPart(&one), one}
	c := code{mode: mode, partition: partition}
	var sse int64
	from := uint64(0)
	for s := range parts {
		m := &parts[s]
		sse += e.fitSubset(m, list[from:from+m.pixelCount()], k, &c, s)
		if sse >= e.sse {
			return
		}
		from += m.pixelCount()
	}
	e.sse, e.best = sse, c
}

// fitSubset fits a line to the pixels of a subset, and returns the error.
func (e *encoder) fitSubset(m *moments, pixels []uint8, k *kind, c *code, subset int) int64 {
	s := m.scatterOf(e.alpha)
	v := s.principalDirection(e.alpha)
	d := v.wholeAxis()
	ls := e.px.placeOnAxis(pixels, &d, k, e.alpha)
	squares := m.sumOfSquares(e.alpha)
	if e.effort.rough {
		l, sse := e.fitRoughly(&e.px, pixels, ls, m, k, e.alpha, &c.index)
		c.ends[subset], c.p[subset] = l.stored, l.p
		return squares + sse
	}
	index := c.index
	var best int64
	var l line
	for round := range e.effort.rounds {
		before := ls
		l.solveLine(&ls, m, e.codedChannels(), k, e.effort.thorough)
		sse := squares + e.px.chooseIndices(pixels, &l, k, e.alpha, &index, &ls)
		if round > 0 && sse >= best {
			break
		}
		best = sse
		c.index, c.ends[subset], c.p[subset] = index, l.stored, l.p
		if ls == before { // the same sums would give the same endpoints again
			break
		}
	}
	return best
}

// fitSingle tries mode 6, which has a single line with 16 colors. For opaque blocks both p-bits are
// 1: a stored alpha of 127 decodes to 255 only with this p-bit.
func (e *encoder) fitSingle(d *axis) {
	k := kind6opaque
	if e.alpha {
		k = kind6
	}
	var l line
	ls := e.px.placeOnAxis(whole[:], d, k, e.alpha)
	c := code{mode: 6}
	if e.effort.rough {
		l, sse := e.fitRoughly(&e.px, whole[:], ls, &e.all, k, e.alpha, &c.index)
		if sse += e.all.sumOfSquares(e.alpha); sse < e.sse {
			if !e.alpha {
				l.stored[0][3], l.stored[1][3] = 127, 127
			}
			c.ends[0], c.p[0] = l.stored, l.p
			e.sse, e.best = sse, c
		}
		return
	}
	for range e.effort.rounds {
		before := ls
		l.solveLine(&ls, &e.all, e.codedChannels(), k, e.effort.thorough)
		sse := e.all.sumOfSquares(e.alpha) + e.px.chooseIndices(whole[:], &l, k, e.alpha, &c.index, &ls)
		if sse >= e.sse {
			return
		}
		if !e.alpha {
			l.stored[0][3], l.stored[1][3] = 127, 127
		}
		c.ends[0], c.p[0] = l.stored, l.p
		e.sse, e.best = sse, c
		if ls == before || sse > hopeless && !e.effort.thorough {
			return
		}
	}
}

// hopeless is the error above which the endpoints of mode 6 are not refined, because other modes
// have smaller errors.
const hopeless = 300
