package bc7

// A shrinker is the part of RDO that depends on the format. It implements rdo.Format.
type shrinker struct{ *encoder }

// Decode implements rdo.Format.
func (s *shrinker) Decode(pixels []byte, block *[16]byte) code {
	c, _ := unpack(block)
	c.paintPixels((*[64]byte)(pixels))
	return c
}

// Load implements rdo.Format.
func (s *shrinker) Load(pixels []byte, _ *[16]byte) {
	s.px.loadBlock((*[64]byte)(pixels))
	opaque := uint64(255)
	for _, a := range &s.px.a {
		opaque &= a
	}
	s.alpha = opaque != 255
	s.rows.fillMoments(&s.px, s.alpha)
	s.all = s.rows.momentsOfMask(0xffff, s.alpha)
}

// KeepEnds implements rdo.Format.
func (s *shrinker) KeepEnds(of *code, most float64) (block [16]byte, sse int64, ok bool) {
	c, sse, ok := s.withEnds(of, most)
	if !ok {
		return block, 0, false
	}
	return c.pack(), sse, true
}

// KeepIndices implements rdo.Format.
func (s *shrinker) KeepIndices(of *code, most float64) (block [16]byte, ok bool) {
	c, ok := s.withIndices(of, most)
	if !ok {
		return block, false
	}
	return c.pack(), true
}

// kindsOfCode returns the storage formats of the color and of a separate channel in a code. It
// returns nil for modes that the encoder never writes.
func (c *code) kindsOfCode(alpha bool) (color, single *kind) {
	switch c.mode {
	case 1:
		return kind1, nil
	case 3:
		return kind3, nil
	case 4, 5:
		return kindsApart(c.mode, c.selector)
	case 6:
		if !alpha {
			return kind6opaque, nil
		}
		return kind6, nil
	case 7:
		return kind7, nil
	}
	return nil, nil
}

// fitsAlpha reports whether a block, with or without alpha, may have these stored endpoints.
func (c *code) fitsAlpha(alpha bool) bool {
	switch c.mode {
	case 1, 3:
		return !alpha
	case 6:
		return alpha || c.ends[0][0][3]&c.ends[0][1][3] == 127 && c.p[0][0]&c.p[0][1] == 1
	case 7:
		return alpha
	}
	return c.mode == 4 || c.mode == 5
}

// withEnds combines another code's endpoints with the best indices for them. sse is the error, or
// -1 if the caller must measure it. ok is false if the error would exceed the parameter most.
func (s *shrinker) withEnds(of *code, most float64) (found code, sse int64, ok bool) {
	if !of.fitsAlpha(s.alpha) {
		return code{}, 0, false
	}
	c := *of
	color, single := c.kindsOfCode(s.alpha)
	px, alpha := &s.px, s.alpha
	var ls leastSquares
	if single != nil {
		rotated, scalar := s.px.rotated(c.rotation)
		px, alpha = &rotated, false
		apart := block{rgb: scalar}
		l := line{rgb: [2]uint64{
			uint64(single.decodedValue(int64(c.ends[0][0][3]), 0)),
			uint64(single.decodedValue(int64(c.ends[0][1][3]), 0)),
		}}
		sse = apart.chooseIndices(whole[:], &l, single, false, &c.scalar, &ls)
		for _, v := range &scalar {
			sse += int64(v * v)
		}
		c.scalar[0] = min(c.scalar[0], uint8(single.levels/2-1))
	}
	layout := &layouts[c.mode&7]
	var lines [2]line
	var bound float64
	for n := range layout.subsets {
		l := &lines[n&1]
		l.stored, l.p = c.ends[n], c.p[n]
		l.decodeEnds(color)
		if single == nil {
			m := s.subset(&c, n)
			bound += l.offMean(&m)
		}
	}
	if bound > most {
		return c, 0, false
	}
	parts := s.subsetPixels(&c)
	for n := range layout.subsets {
		sse += px.chooseIndices(parts[n&1], &lines[n&1], color, alpha, &c.index, &ls)
	}
	if single == nil {
		sse += s.all.sumOfSquares(alpha)
	} else {
		for _, v := range &px.rgb {
			sse += int64(dotLanes(v, reverse(v)))
		}
	}
	if float64(sse) > most {
		return c, 0, false
	}
	anchors := layout.anchors(c.partition)
	known := single == nil
	for _, a := range anchors[:layout.subsets] {
		if half := uint8(color.levels / 2); c.index[a] >= half {
			c.index[a], known = half-1, false
		}
	}
	if !known {
		sse = -1
	}
	return c, sse, true
}

// subsetPixels lists the pixels of each subset.
func (s *shrinker) subsetPixels(c *code) [2][]uint8 {
	if layouts[c.mode&7].subsets == 1 {
		return [2][]uint8{whole[:]}
	}
	list, first := &s.tables.lists[c.partition&63], s.tables.first[c.partition&63]
	return [2][]uint8{list[:first], list[first:]}
}

// subset returns the moments of the pixels in subset n.
func (s *shrinker) subset(c *code, n uint8) moments {
	if layouts[c.mode&7].subsets == 1 {
		return s.all
	}
	one := s.rows.momentsOfMask(pairs[c.partition&63], s.alpha)
	if n == 1 {
		return one
	}
	return s.all.withoutPart(&one)
}

// offMean returns a lower bound for the squared error of pixels on a line, computed from their mean
// red, green and blue.
func (l *line) offMean(m *moments) float64 {
	n := float64(int64(m.pixelCount()))
	var off, along [3]float64
	var length, part float64
	for c := range off {
		shift := lane * c & 63
		u := float64(int64(l.rgb[0] >> shift & 255))
		along[c] = float64(int64(l.rgb[1]>>shift&255)) - u
		off[c] = float64(int64(m.sum>>shift&laneMask)) - float64(n*u)
		length += float64(along[c] * along[c])
		part += float64(off[c] * along[c])
	}
	t := m.scatterOf(false)
	scattered := t.rr + t.gg + t.bb
	if length > 0 {
		part = max(0, min(part/length, n))
		r, g, b := along[0], along[1], along[2]
		within := float64(t.rr*float64(r*r)) + float64(t.gg*float64(g*g)) + float64(t.bb*float64(b*b)) +
			2*(float64(t.rg*float64(r*g))+float64(t.rb*float64(r*b))+float64(t.gb*float64(g*b)))
		scattered -= within / length
	}
	sse := scattered
	for c := range off {
		d := off[c] - float64(part*along[c])
		sse += float64(d * d)
	}
	return sse / n
}

// withIndices combines another code's indices with the best endpoints for them. It returns false if
// the error would exceed the parameter most.
func (s *shrinker) withIndices(of *code, most float64) (code, bool) {
	if !of.fitsAlpha(s.alpha) {
		return code{}, false
	}
	c := *of
	color, single := c.kindsOfCode(s.alpha)
	if single != nil {
		return c, s.solveApart(&c, color, single, most)
	}
	subsets := layouts[c.mode&7].subsets
	var sums [2]leastSquares
	var m [2]moments
	var bound float64
	parts := s.subsetPixels(&c)
	for n := range subsets {
		m[n&1] = s.subset(&c, n)
		sums[n&1] = s.px.weightsOf(parts[n&1], &c.index, color, s.alpha)
		if bound += sums[n&1].leastOffLine(&m[n&1]); bound > most {
			return c, false
		}
	}
	channels := s.codedChannels()
	for n := range subsets {
		var l line
		l.solveLine(&sums[n&1], &m[n&1], channels, color, false)
		c.setEnds(n, &l, channels)
		c.p[n] = l.p
	}
	return c, true
}

// solveApart sets the endpoints of a mode 4 or 5 code to the best endpoints for its indices.
func (s *shrinker) solveApart(c *code, color, single *kind, most float64) bool {
	px, scalar := s.px.rotated(c.rotation)
	apart := block{rgb: scalar}
	var m, mApart moments
	for i, v := range &px.rgb {
		m.addOpaque(v)
		mApart.addOpaque(scalar[i])
	}
	sums := px.weightsOf(whole[:], &c.index, color, false)
	sumsApart := apart.weightsOf(whole[:], &c.scalar, single, false)
	if sums.leastOffLine(&m)+sumsApart.leastOffLine(&mApart) > most {
		return false
	}
	var l line
	l.solveLine(&sumsApart, &mApart, 1, single, false)
	c.ends[0][0][3], c.ends[0][1][3] = l.stored[0][0], l.stored[1][0]
	l.solveLine(&sums, &m, 3, color, false)
	c.setEnds(0, &l, 3)
	return true
}

// weightsOf returns the least-squares sums over the indices of the listed pixels.
func (b *block) weightsOf(list []uint8, index *[16]uint8, k *kind, alpha bool) (s leastSquares) {
	w := &packedWeights[k.width]
	for _, i := range list {
		ww := w[index[i&15]&15]
		s.w += ww
		s.rgb += b.rgb[i&15] * (ww & 127)
		if alpha {
			s.a += b.a[i&15] * (ww & 127)
		}
	}
	return s
}

// leastOffLine returns a lower bound for the squared error in red, green and blue of pixels with
// these indices. It is the part of the pixels' scatter that does not correlate with the weights.
func (s *leastSquares) leastOffLine(m *moments) float64 {
	n := int64(m.pixelCount())
	sw, sww := int64(s.w&(1<<32-1)), int64(s.w>>32)
	t := m.scatterOf(false)
	sse := t.rr + t.gg + t.bb
	if width := n*sww - sw*sw; width > 0 {
		r := float64(n*red(s.rgb) - sw*red(m.sum))
		g := float64(n*green(s.rgb) - sw*green(m.sum))
		b := float64(n*blue(s.rgb) - sw*blue(m.sum))
		sse -= (float64(r*r) + float64(g*g) + float64(b*b)) / float64(width)
	}
	return sse / float64(n)
}
