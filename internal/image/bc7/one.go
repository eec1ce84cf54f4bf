package bc7

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
