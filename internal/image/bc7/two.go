package bc7

// two tries a mode of two lines with a partition.
func (e *encoder) two(mode, partition uint8, k *kind) {
	list := &e.tables.lists[partition&63]
	one := e.rows.of(pairs[partition&63], e.alpha)
	parts := [2]moments{e.all.without(&one), one}
	c := code{mode: mode, partition: partition}
	var sse int64
	from := uint64(0)
	for s := range parts {
		m := &parts[s]
		sse += e.fit(m, list[from:from+m.count()], k, &c, s)
		if sse >= e.sse {
			return
		}
		from += m.count()
	}
	e.sse, e.best = sse, c
}

// fit finds the line of the pixels of a subset, and returns their error.
func (e *encoder) fit(m *moments, pixels []uint8, k *kind, c *code, subset int) int64 {
	s := m.scatter(e.alpha)
	v := s.principal(e.alpha)
	d := v.axis()
	ls := e.px.place(pixels, &d, k, e.alpha)
	squares := m.squares(e.alpha)
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
		l.solve(&ls, m, e.channels(), k, e.effort.thorough)
		sse := squares + e.px.choose(pixels, &l, k, e.alpha, &index, &ls)
		if round > 0 && sse >= best {
			break
		}
		best = sse
		c.index, c.ends[subset], c.p[subset] = index, l.stored, l.p
		if ls == before { // and so would be the ends
			break
		}
	}
	return best
}

// one tries mode 6, a single long line. Without alpha both p-bits are 1: then, and
// only then, the stored alpha of 127 means 255.
func (e *encoder) one(d *axis) {
	k := kind6opaque
	if e.alpha {
		k = kind6
	}
	var l line
	ls := e.px.place(whole[:], d, k, e.alpha)
	c := code{mode: 6}
	if e.effort.rough {
		l, sse := e.fitRoughly(&e.px, whole[:], ls, &e.all, k, e.alpha, &c.index)
		if sse += e.all.squares(e.alpha); sse < e.sse {
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
		l.solve(&ls, &e.all, e.channels(), k, e.effort.thorough)
		sse := e.all.squares(e.alpha) + e.px.choose(whole[:], &l, k, e.alpha, &c.index, &ls)
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

// hopeless is an error beyond which better ends do not help: other modes win.
const hopeless = 300
