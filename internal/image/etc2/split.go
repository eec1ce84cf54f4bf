package etc2

// A candidate is a base color for a half block, with the best table for it.
type candidate struct {
	cost  int32 // three times the error
	base  [3]uint8
	table uint8
}

// A list holds the best candidates of a half, best first.
type list struct {
	n, most int
	all     [maxKept]candidate
}

const maxKept = 16

// keepCandidate inserts a candidate if it is among the best.
func (l *list) keepCandidate(c candidate) {
	at := l.n
	if at == l.most {
		at--
		if c.cost >= l.all[at].cost {
			return
		}
	} else {
		l.n++
	}
	for ; at > 0 && l.all[at-1].cost > c.cost; at-- {
		l.all[at] = l.all[at-1]
	}
	l.all[at] = c
}

// A memo caches the results of leastLuma for one half.
type memo struct {
	round uint64
	seen  [766]uint64
	cost  [766]int32
	table [766]uint8
}

// trySplits tries the modes of ETC1, with the halves side by side and one above the other.
func (e *encoder) trySplits() {
	least := e.sse
	if least < 1<<29 {
		least *= 3
	}
	var best code
	found := false
	for flip := range 2 {
		c, cost := e.quick(flip)
		if cost < least {
			best, least, found = c, cost, true
		}
	}
	for flip := range 2 {
		c, cost := e.searchPairs(flip, least)
		if cost < least {
			best, least, found = c, cost, true
		}
	}
	if found {
		sse := e.chooseSplitIndices(&best)
		if e.effort.nudge {
			sse = e.nudgeSplit(&best, sse)
		}
		e.keepIfBetter(&best, sse)
	}
}

// quick returns a code whose base colors are nearest to the mean colors of the two halves. It also
// returns three times the error. The colors have five bits if their difference can be stored,
// otherwise four.
func (e *encoder) quick(flip int) (c code, cost int32) {
	c.flip = flip == 1
	c.mode = differential
	a, b := &e.px.halves[2*flip], &e.px.halves[2*flip+1]
	for k := range 3 {
		c.base[0][k], c.base[1][k] = scaledNearest(a.sum[k], 8*255, 31), scaledNearest(b.sum[k], 8*255, 31)
	}
	if !fitsDifference(&c.base[0], &c.base[1]) {
		c.mode = individual
		for k := range 3 {
			c.base[0][k], c.base[1][k] = scaledNearest(a.sum[k], 8*255, 15), scaledNearest(b.sum[k], 8*255, 15)
		}
	}
	for i := range 2 {
		h := &e.px.halves[2*flip+i]
		base := c.widenBase(i)
		luma, table := h.leastLuma(base[0] + base[1] + base[2])
		c.table[i] = table
		cost += luma + h.chroma(&base)
	}
	return c, cost
}

// fitsDifference reports whether the difference of two colors can be stored.
func fitsDifference(a, b *[3]uint8) bool {
	for k := range a {
		if d := int(b[k]) - int(a[k]); d < -4 || d > 3 {
			return false
		}
	}
	return true
}

// widenBase returns the base color of a half block in a mode of ETC1.
func (c *code) widenBase(half int) (base [3]int32) {
	for k, v := range c.base[half] {
		if c.mode == individual {
			base[k] = widen4(v)
		} else {
			base[k] = widen5(v)
		}
	}
	return base
}

// searchPairs searches for the two best base colors of the halves. It returns three times the
// error, which is only valid if it is below limit.
func (e *encoder) searchPairs(flip int, limit int32) (c code, least int32) {
	least = limit
	one, two := &e.lists[0], &e.lists[1]
	for i := range 2 {
		h := &e.px.halves[2*flip+i]
		e.memo.round++
		e.lists[i].most, e.lists[2+i].most = e.effort.kept, 1
		e.basesAround(&e.lists[i], h, 31, limit)
		e.basesAround(&e.lists[2+i], h, 15, limit)
	}
	for i := range one.n {
		a := &one.all[i]
		for j := range two.n {
			b := &two.all[j]
			if a.cost+b.cost >= least {
				break
			}
			if fitsDifference(&a.base, &b.base) {
				least = a.cost + b.cost
				c = code{mode: differential, flip: flip == 1, base: [3][3]uint8{a.base, b.base}, table: [2]uint8{a.table, b.table}}
			}
		}
	}
	one, two = &e.lists[2], &e.lists[3]
	if one.n > 0 && two.n > 0 {
		a, b := &one.all[0], &two.all[0]
		if a.cost+b.cost < least {
			least = a.cost + b.cost
			c = code{mode: individual, flip: flip == 1, base: [3][3]uint8{a.base, b.base}, table: [2]uint8{a.table, b.table}}
		}
	}
	return c, least
}

// corners lists the ways to round three channels down or up. Rounding all channels up is omitted,
// because it is one step from rounding all down.
var corners = [7][3]int32{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}}

// basesAround lists the base colors near a line through the mean color of a half. All channels
// change equally along the line, because a modifier can undo such a change.
func (e *encoder) basesAround(l *list, h *half, most int32, limit int32) {
	l.n = 0
	var down [3]int32
	for k := range down {
		down[k] = h.sum[k] * most / (8 * 255)
	}
	for i := range int32(2*e.effort.shifts + 2) {
		shift := (i + 1) >> 1 // 0, 1, -1, 2, ...
		if i&1 == 0 {
			shift = -shift
		}
		for j := range corners {
			var q [3]uint8
			var base [3]int32
			outside := false
			for k := range q {
				v := down[k] + shift + corners[j][k]
				outside = outside || v < 0 || v > most
				q[k] = uint8(v)
				if most == 15 {
					base[k] = v * 17
				} else {
					base[k] = v<<3 | v>>2
				}
			}
			if outside {
				continue
			}
			cost := h.chroma(&base)
			if cost >= limit || l.n == l.most && cost >= l.all[l.n-1].cost {
				continue
			}
			luma, table := e.memoizedLuma(h, base[0]+base[1]+base[2])
			if cost += luma; cost < limit {
				l.keepCandidate(candidate{cost, q, table})
			}
		}
	}
}

// memoizedLuma returns the smallest luma of h, using its memo.
func (e *encoder) memoizedLuma(h *half, sum int32) (cost int32, table uint8) {
	m := &e.memo
	if m.seen[sum] != m.round {
		m.seen[sum] = m.round
		m.cost[sum], m.table[sum] = h.leastLuma(sum)
	}
	return m.cost[sum], m.table[sum]
}

// nudgeSplit changes base colors and tables by one step at a time, as long as this reduces the
// error. This is needed because costs ignores that colors are clamped.
func (e *encoder) nudgeSplit(c *code, least int32) int32 {
	most := uint8(31)
	if c.mode == individual {
		most = 15
	}
	for better := true; better; {
		better = false
		for at := range 16 {
			next := *c
			step := uint8(at&1*2) - 1
			half := at >> 3
			if k := at >> 1 & 3; k < 3 {
				next.base[half][k] += step
				if next.base[half][k] > most || c.mode == differential && !fitsDifference(&next.base[0], &next.base[1]) {
					continue
				}
			} else if next.table[half] += step; next.table[half] > 7 {
				continue
			}
			if sse := e.chooseSplitIndices(&next); sse < least {
				*c, least, better = next, sse, true
			}
		}
	}
	return least
}

// chooseSplitIndices chooses the indices of a block in a mode of ETC1 and returns its error.
func (e *encoder) chooseSplitIndices(c *code) (sse int32) {
	c.index = 0
	for half := range 2 {
		at := c.pixelsOf(half)
		base := c.widenBase(half)
		m := &modifiers[c.table[half]&7]
		if min(base[0], base[1], base[2]) >= m[1] && max(base[0], base[1], base[2])+m[1] <= 255 {
			sse += e.indexInside(at, &base, m, &c.index)
			continue
		}
		p := c.paints(half)
		for _, i := range at {
			k, d := choosePaint(&e.px.pix[i&15], &p)
			c.index |= spread[k] << i
			sse += d
		}
	}
	return sse
}

// indexInside chooses indices if no color is clamped. The indices then depend only on channel sums.
func (e *encoder) indexInside(at *[8]uint8, base *[3]int32, m *[4]int32, index *uint32) (sse int32) {
	border := 3 * (m[0] + m[1])
	for _, i := range at {
		p := &e.px.pix[i&15]
		r, g, b := p[0]-base[0], p[1]-base[1], p[2]-base[2]
		u := r + g + b
		k := 0
		if u < 0 {
			k, u = 2, -u
		}
		by := m[0]
		if 2*u > border {
			k, by = k|1, m[1]
		}
		*index |= spread[k] << i
		sse += r*r + g*g + b*b - by*(2*u-3*by)
	}
	return sse
}

// spread holds the two bits of each index, placed for pixel 0. The bits are shifted left for other
// pixels.
var spread = [4]uint32{0, 1, 1 << 16, 1<<16 | 1}

// choosePaint returns the index of the color nearest to a pixel, and the error.
func choosePaint(p *[3]int32, paints *[4][3]int32) (index uint8, sse int32) {
	best := int32(1 << 30)
	for k := range paints {
		q := &paints[k]
		r, g, b := p[0]-q[0], p[1]-q[1], p[2]-q[2]
		best = min(best, (r*r+g*g+b*b)<<2|int32(k))
	}
	return uint8(best & 3), best >> 2
}
