package bc7

// fitRoughly returns a line through pixels whose first indices gave ls, sets indices, and
// returns the squared error less the squares of the pixels. It solves the ends for the last
// indices, which it chooses once, or twice if they have four bits. The error is for
// unrounded colors, computed from sums without a look at each pixel.
func (e *encoder) fitRoughly(px *block, list []uint8, ls leastSquares, m *moments, k *kind, alpha bool, index *[16]uint8) (l line, sse int64) {
	channels := 3
	if alpha {
		channels = 4
	}
	l.solve(&ls, m, channels, k, false)
	for range int(k.width) / 2 {
		before := ls
		if alpha {
			px.assign4(list, &l, k, index, &ls)
		} else {
			assign3(&px.rgb, list, &l, k, index, &ls)
		}
		if ls == before {
			break
		}
		l.solve(&ls, m, channels, k, false)
	}
	return l, l.loss(&ls, m, alpha)
}

// assign3 gives every pixel of list the index of the nearest place on the line, and leaves
// in s what least squares need to better the ends.
func assign3(px *[16]uint64, list []uint8, l *line, k *kind, index *[16]uint8, s *leastSquares) {
	w := &packedWeights[k.width]
	d, first, scale := l.axis3(k)
	*s = leastSquares{}
	for _, i := range list {
		p := px[i&15]
		at := ((int64(d.at(p))-first)*scale + 1<<23) >> 24
		at = max(0, min(at, k.levels-1))
		index[i&15] = uint8(at)
		ww := w[at&15]
		s.w += ww
		s.rgb += p * (ww & 127)
	}
}

// assign4 is the same with alpha.
func (b *block) assign4(list []uint8, l *line, k *kind, index *[16]uint8, s *leastSquares) {
	w := &packedWeights[k.width]
	d, first, scale := l.axis4(k)
	*s = leastSquares{}
	for _, i := range list {
		p, a := b.rgb[i&15], b.a[i&15]
		at := ((int64(d.at4(p, a))-first)*scale + 1<<23) >> 24
		at = max(0, min(at, k.levels-1))
		index[i&15] = uint8(at)
		ww := w[at&15]
		s.w += ww
		s.rgb += p * (ww & 127)
		s.a += a * (ww & 127)
	}
}

// loss returns the squared error of pixels less their squares, if no color between the ends
// were rounded.
func (l *line) loss(s *leastSquares, m *moments, alpha bool) int64 {
	n := int64(m.count())
	sw, sww := int64(s.w&(1<<32-1)), int64(s.w>>32)
	a, b := 64*64*n-2*64*sw+sww, 2*(64*sw-sww)
	of := func(u, v, x, y int64) int64 {
		y *= 64
		return u*(a*u+b*v-2*(64*64*x-y)) + v*(sww*v-2*y)
	}
	u, v := l.rgb[0], l.rgb[1]
	sum := of(red(u), red(v), red(m.sum), red(s.rgb)) +
		of(green(u), green(v), green(m.sum), green(s.rgb)) +
		of(blue(u), blue(v), blue(m.sum), blue(s.rgb))
	if alpha {
		all, _ := m.alpha()
		sum += of(int64(l.a[0]), int64(l.a[1]), int64(all), int64(s.a))
	}
	return sum >> 12
}
