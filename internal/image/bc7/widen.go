package bc7

// widen tries mode 6 with ends just beyond the outermost values of each channel. Two ends
// of one p-bit and channel are an even number apart, and least squares leave them at
// values that are off by one; but where the ends are so near that every value
// between them has an index, those within are exact.
func (e *encoder) widen() {
	k := kind6opaque
	if e.alpha {
		k = kind6
	}
	low, high := e.px.extents()
	channels := e.channels()
	for c := range channels {
		if high[c]-low[c] > reach {
			return
		}
	}
	stored := e.best.ends[0]
	for _, both := range k.p.choices() {
		if both[0] != both[1] {
			continue
		}
		l := line{p: both}
		p := int64(both[0])
		for c := range channels {
			from, to := &l.stored[0][c], &l.stored[1][c]
			if stored[0][c] > stored[1][c] {
				from, to = to, from
			}
			*from, *to = uint8(max(0, (low[c]-p)>>1)), uint8(min((high[c]-p+1)>>1, k.most))
		}
		l.mean(k)
		var index [16]uint8
		var ls leastSquares
		sse := e.all.squares(e.alpha) + e.px.choose(whole[:], &l, k, e.alpha, &index, &ls)
		if sse >= e.sse {
			continue
		}
		if !e.alpha {
			l.stored[0][3], l.stored[1][3] = 127, 127
		}
		e.best.ends[0], e.best.p[0], e.best.index = l.stored, l.p, index
		e.sse = sse
	}
}

// reach is how far apart the values of a channel may be for all to have an index in mode 6.
const reach = 16

// within reports whether no channel scatters more than values can that are so far apart.
func (s *scatter) within(far float64) bool {
	return max(s.rr, s.gg, s.bb, s.aa) <= 16*16*float64(far/2)*float64(far/2)
}

// extents returns the least and the greatest value of each channel.
func (b *block) extents() (low, high [4]int64) {
	low = [4]int64{255, 255, 255, 255}
	for i, v := range &b.rgb {
		r, g, b, a := red(v), green(v), blue(v), int64(b.a[i])
		low[0], high[0] = min(low[0], r), max(high[0], r)
		low[1], high[1] = min(low[1], g), max(high[1], g)
		low[2], high[2] = min(low[2], b), max(high[2], b)
		low[3], high[3] = min(low[3], a), max(high[3], a)
	}
	return low, high
}
