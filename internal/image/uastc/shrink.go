package uastc

// A shrinker is the part of RDO that depends on the format. It implements rdo.Format.
type shrinker struct {
	*encoder
	given   fields
	decoded [16]point // pixels of the given block
	errors  hintErrors
	known   bool // true if errors is known
}

// fields holds the fields of a block, including its hints.
type fields struct {
	code
	hints hints
}

// Decode implements rdo.Format.
func (s *shrinker) Decode(pixels []byte, block *[16]byte) (f fields) {
	f.code, f.hints, _ = unpack(block)
	f.paintPoints((*[64]byte)(pixels))
	return f
}

// Load implements rdo.Format.
func (s *shrinker) Load(pixels []byte, block *[16]byte) {
	s.loadPoints((*[64]byte)(pixels))
	s.given.code, s.given.hints, _ = unpack(block)
	s.known = false
}

// fitsPixels reports whether the loaded pixels may be encoded in the mode of a code.
func (s *shrinker) fitsPixels(c *code) bool {
	l := &layouts[c.mode]
	return c.mode != modeSolid && s.all.n > 0 && (l.hasAlphaEnds() || !s.alpha) && (l.channels != 2 || s.gray)
}

// A layer is a set of values that share endpoints and indices: the pixels of a subset, or the
// channels of a plane.
type layer struct {
	list     []uint8
	channels uint8
	subset   uint8
	plane    uint8
}

// layersOf returns the layers of a code.
func (s *shrinker) layersOf(c *code) (all [3]layer, n uint8) {
	l := &layouts[c.mode]
	if l.planes == 2 {
		own := uint8(1) << c.plane
		return [3]layer{{whole, s.encodedChannels() &^ own, 0, 0}, {whole, own, 0, 1}}, 2
	}
	for n < l.subsets {
		list := whole
		if l.subsets > 1 {
			list = l.patterns[c.pattern].lists[n]
		}
		all[n] = layer{list, s.encodedChannels(), n, 0}
		n++
	}
	return all, n
}

// blockPixels returns the pixels, without the channels that are not in a layer.
func (s *shrinker) blockPixels(l *layer) (px [16]point) {
	for _, i := range l.list {
		for c := range 4 {
			if l.channels>>c&1 != 0 {
				px[i][c] = s.px[i][c]
			}
		}
	}
	return px
}

// KeepEnds implements rdo.Format. It also keeps the hints. It returns false if they would make the
// block worse in other formats.
func (s *shrinker) KeepEnds(of *fields, most float64) (block [16]byte, sse int64, ok bool) {
	if !s.fitsPixels(&of.code) {
		return block, 0, false
	}
	c, l := of.code, &layouts[of.mode]
	k := l.lineKind()
	top := uint8(1) << (l.weight - 1)
	all, n := s.layersOf(&c)
	moved := false
	for i := range all[:n] {
		part := &all[i]
		px := s.blockPixels(part)
		var line line
		var ls leastSquares
		for end := range 2 {
			for channel := range 4 {
				if part.channels>>channel&1 != 0 {
					line.ends[end][channel] = c.ends[part.subset][end][channel]
					if k.gray && channel < 3 {
						line.ends[end][channel] = c.ends[part.subset][end][0]
					}
				}
			}
		}
		chooseWeights(&px, part.list, &line, k, &ls)
		if sse += int64(line.sse); float64(sse) > most {
			return block, 0, false
		}
		for _, i := range part.list {
			c.index[part.plane][i] = line.index[i]
		}
		// If the top bit of an anchor's index were 1, pack would swap the endpoints.
		anchor := uint8(0)
		if l.subsets > 1 {
			anchor = l.patterns[c.pattern].anchors[part.subset]
		}
		if c.index[part.plane][anchor]&top != 0 {
			c.index[part.plane][anchor] = top - 1
			moved = true
		}
	}
	if moved || !s.alpha && l.hasAlphaEnds() {
		sse = -1
	}
	px := c.decodedPoints()
	if !s.keepsHints(&px, &c, &of.hints) {
		return block, 0, false
	}
	return c.pack(&of.hints), sse, true
}

// KeepIndices implements rdo.Format.
func (s *shrinker) KeepIndices(of *fields, most float64) (block [16]byte, ok bool) {
	if !s.fitsPixels(&of.code) {
		return block, false
	}
	c, l := of.code, &layouts[of.mode]
	k := l.lineKind()
	all, n := s.layersOf(&c)
	for i := range all[:n] {
		part := &all[i]
		var ls leastSquares
		px := s.blockPixels(part)
		for _, i := range part.list {
			ls.addSample(&px[i], int32(weights[k.width][c.index[part.plane][i]]))
		}
		found := ls.solveSums(part.channels, k.scale, true)
		for end := range 2 {
			for channel := range 4 {
				if part.channels>>channel&1 != 0 {
					c.ends[part.subset][end][channel] = found.ends[end][channel]
				}
			}
		}
	}
	c.setOpaque(s.alpha)
	px := c.decodedPoints()
	if float64(s.errorOf(&px)) > most {
		return block, false
	}
	h := s.hintsFor(&px, &c)
	return c.pack(&h), true
}

// errorOf returns the squared error of decoded pixels.
func (s *shrinker) errorOf(px *[16]point) (sse int64) {
	for i := range px {
		for c := range 4 {
			if s.encodedChannels()>>c&1 != 0 {
				d := int64(px[i][c] - s.px[i][c])
				sse += d * d
			}
		}
	}
	return sse
}

// hintErrors holds the squared errors of a block's pixels after transcoding to ETC1 and EAC with
// the block's hints.
type hintErrors struct{ etc1, eac int32 }

func (h *hints) errorsOf(px *[16]point, l *layout) (e hintErrors) {
	e.etc1 = h.errorETC1(px, l)
	if l.hasAlphaEnds() {
		e.eac = h.errorEAC(px)
	}
	return e
}

// keepsHints reports whether a block may have the hints of another block. The hints may increase
// the errors of other formats by at most a half. px holds the decoded pixels.
func (s *shrinker) keepsHints(px *[16]point, c *code, h *hints) bool {
	l := &layouts[c.mode]
	if !s.known {
		s.known = true
		s.decoded = s.given.decodedPoints()
		s.errors = hintErrors{}
		if s.given.mode != modeSolid {
			s.errors = s.given.hints.errorsOf(&s.decoded, &layouts[s.given.mode])
		}
	}
	e := h.errorsOf(px, l)
	if e.etc1 > s.errors.etc1+s.errors.etc1/2+16 || s.alpha && e.eac > s.errors.eac+s.errors.eac/2+16 {
		return false
	}
	if !h.bc1[0] && !h.bc1[1] {
		return true
	}
	var own hints
	own.forBC1(px, c, l)
	return (own.bc1[0] || !h.bc1[0]) && (own.bc1[1] || !h.bc1[1])
}
