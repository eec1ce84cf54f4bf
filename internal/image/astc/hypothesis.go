package astc

import "math"

// A hypothesis is a candidate encoding of a block before quantization. It consists of color lines,
// and the positions of the pixels on them.
type hypothesis struct {
	shape
	kinds     [maxParts]uint8 // endpoint mode of each part
	component uint8
	seed      uint16
	part      [cells]uint8 // part of each pixel

	at      [2][cells]float32 // position of each pixel on its line, 0 to 1, by plane
	length  [2]float32        // mean squared length of the lines, by plane
	residue float32           // squared error of the pixels perpendicular to their lines
}

// planes returns the number of weight planes.
func (h *hypothesis) planes() int {
	if h.dual {
		return 2
	}
	return 1
}

// projectPart sets the positions of a part's pixels on a line through their mean.
func (e *encoder) projectPart(h *hypothesis, m *moments, axis *[4]float32, set *pixelSet, plane int) {
	v := *axis
	if v[0]+v[1]+v[2]+float32(v[3]*0.001) < 0 {
		v = [4]float32{-v[0], -v[1], -v[2], -v[3]}
	}
	low, high := float32(math.MaxFloat32), float32(-math.MaxFloat32)
	at := &h.at[plane]
	for i := range e.pixels {
		if !set.hasPixel(i) {
			continue
		}
		t := dotRounded(&e.pf[i&255], &v)
		at[i&255] = t
		low, high = min(low, t), max(high, t)
	}
	span := high - low
	scale := float32(0)
	if span > 0 {
		scale = 1 / span
	}
	for i := range e.pixels {
		if set.hasPixel(i) {
			at[i&255] = float32((at[i&255] - low) * scale)
		}
	}
	h.length[plane] += float32(float32(span*span)*float32(m.n)) / float32(e.pixels)
}

// losses computes, for each grid, the squared error of a plane's weights from their frequencies.
func (e *encoder) losses(loss *gridLosses, at *[cells]float32, length float32) {
	w, h := e.size.W, e.size.H
	rows, energy := &e.work.rows, &e.work.energy // rows is indexed by frequency and row, energy by vertical and horizontal frequency
	for y := range h {
		addWaves(rows, y, at[y*w:y*w+w], &e.waveX)
	}
	total := float32(0)
	for u := range w {
		addWaves(energy, u, rows[u][:h], &e.waveY)
		for v := range h {
			c := energy[v][u]
			energy[v][u] = float32(c * c)
			total += energy[v][u]
		}
	}
	g := 0
	for down := 2; down <= h; down++ { // grids are ordered by rows, then by columns
		keepY := &e.down[down].keep
		var kept [16]float32 // partial sums for each horizontal frequency
		for v := range h {
			k := keepY[v]
			for u, energy := range energy[v][:w] {
				kept[u] += float32(energy * k)
			}
		}
		for across := 2; across <= w; across++ {
			keepX := &e.across[across].keep
			left := total
			for u, energy := range kept[:w] {
				left -= float32(energy * keepX[u&15])
			}
			if across == w && down == h {
				left = 0
			}
			loss[g] += float32(max(left, 0) * length)
			g++
		}
	}
}

// gridLosses holds an error for each grid.
type gridLosses [128]float32

// addWaves sets column k to the DCT of row, whose basis is wave. Even basis vectors are symmetric and
// odd ones antisymmetric.
func addWaves(to *[16][16]float32, k int, row []float32, basis *[16][16]float32) {
	var even, odd [8]float32
	n := len(row)
	half := n / 2
	for x := range half {
		a, b := row[x], row[n-1-x]
		even[x&7], odd[x&7] = a+b, a-b
	}
	for u := range n {
		w := &basis[u&15]
		fold := &even
		sum := float32(0)
		if u&1 != 0 {
			fold = &odd
		} else if n&1 != 0 {
			sum = float32(row[half] * w[half&15])
		}
		for x, v := range fold[:half] {
			sum += float32(v * w[x&15])
		}
		to[u&15][k&15] = sum
	}
}

// guessPlans adds the plans of a hypothesis to the pool of guesses.
func (e *encoder) guessPlans(h *hypothesis) {
	if e.hopeless(h) {
		return
	}
	var loss gridLosses
	e.losses(&loss, &h.at[0], h.length[0])
	length := h.length[0]
	if h.dual {
		e.losses(&loss, &h.at[1], h.length[1])
		length += h.length[1]
	}
	var noise [16]float32
	e.noises(&noise, &h.at[0], h.length[0])
	if h.dual {
		e.noises(&noise, &h.at[1], h.length[1])
	}
	for i := coarse; i < weightSpans; i++ {
		noise[i] = length
	}
	plans := e.plans[h.shapeIndex()]
	last := &e.pool.best[e.pool.wanted-1]
	number := e.used
	e.used++
	for i := range plans {
		p := &plans[i]
		sse := loss[p.grid&127] + float32(p.noise*noise[p.span&15]) + float32(p.color*e.colorNoise) + h.residue
		if sse < last.sse {
			e.pool.addHypothesis(number, i, sse)
		}
	}
}

// coarse is the number of weight quantizations with few levels. Their error depends on how pixels
// are distributed between the levels.
const coarse = 6

// noises adds the squared quantization error of a plane's weights in each coarse span, relative to
// the error of evenly distributed weights.
func (e *encoder) noises(noise *[16]float32, at *[cells]float32, length float32) {
	for s := range coarse {
		top := float32(spans[s].levels - 1)
		sum := float32(0)
		for _, t := range at[:e.pixels] {
			t = float32(t * top)
			t -= float32(int32(t + 0.5))
			sum += float32(t * t)
		}
		noise[s] += float32(float32(sum*12)*length) / float32(e.pixels)
	}
}

func (e *encoder) hopeless(h *hypothesis) bool {
	return h.residue >= e.pool.best[e.pool.wanted-1].sse || h.residue >= float32(e.sse)
}

// nextTrial returns a hypothesis of one part for the caller to fill in.
func (e *encoder) nextTrial(kind uint8, dual bool) *hypothesis {
	h := &e.hypotheses[e.used&31]
	h.shape = shape{parts: 1, numbers: endNumbers(kind), dual: dual}
	h.kinds[0], h.seed = kind, 0
	clear(h.part[:e.pixels])
	h.length, h.residue = [2]float32{}, 0
	return h
}

// guessLine adds guesses that put all pixels on one line. lost is the squared error of channels that
// the endpoint mode does not store.
func (e *encoder) guessLine(kind uint8, s *scatter, lost float32) {
	h := e.nextTrial(kind, false)
	axis, along := s.principalAxis()
	e.projectPart(h, &e.all, &axis, &e.everything, 0)
	h.residue = max(0, s.sumOfVariances()-along) + lost
	e.guessPlans(h)
}

// guessScale is guessLine for lines through black.
func (e *encoder) guessScale(kind uint8, s *scatter, lost float32) {
	h := e.nextTrial(kind, false)
	axis, residue := e.all.ray(s)
	if h.residue = residue + lost; e.hopeless(h) {
		return
	}
	e.projectPart(h, &e.all, &axis, &e.everything, 0)
	e.guessPlans(h)
}

// guessGray adds guesses that treat all pixels as gray. If apart is set, alpha has its own plane.
func (e *encoder) guessGray(kind uint8, apart bool, s *scatter) {
	h := e.nextTrial(kind, apart)
	h.component = 3
	rest := *s
	if apart {
		rest = s.withoutChannel(3)
	}
	var axis [4]float32
	if axis, h.residue = e.all.grayLine(&rest); e.hopeless(h) {
		return
	}
	e.projectPart(h, &e.all, &axis, &e.everything, 0)
	if apart {
		own := [4]float32{3: 1}
		e.projectPart(h, &e.all, &own, &e.everything, 1)
	}
	e.guessPlans(h)
}

// loner returns the channel to encode separately: without it, the other channels are closest to a
// line.
func (e *encoder) loner(s *scatter) int {
	least, which := float32(math.MaxFloat32), 0
	for c := range 4 {
		if c == 3 && e.opaque {
			continue
		}
		rest := s.withoutChannel(c)
		_, along := rest.principalAxis()
		if left := rest.sumOfVariances() - along; left < least {
			least, which = left, c
		}
	}
	return which
}

// guessLonerApart is guessLine with a separate weight plane for channel c.
func (e *encoder) guessLonerApart(kind uint8, c int, s *scatter, lost float32) {
	h := e.nextTrial(kind, true)
	h.component = uint8(c)
	rest := s.withoutChannel(c)
	axis, along := rest.principalAxis()
	h.residue = max(0, rest.sumOfVariances()-along) + lost
	if h.residue >= e.pool.best[0].sse {
		return
	}
	e.projectPart(h, &e.all, &axis, &e.everything, 0)
	var own [4]float32
	own[c&3] = 1
	e.projectPart(h, &e.all, &own, &e.everything, 1)
	e.guessPlans(h)
}

// guessScaleApart adds guesses that put all colors on one line through black, and alpha in its own
// plane.
func (e *encoder) guessScaleApart(s *scatter) {
	h := e.nextTrial(kindRGBScaleAlpha, true)
	h.component = 3
	var axis [4]float32
	rest := s.withoutChannel(3)
	axis, h.residue = e.all.ray(&rest)
	if h.residue >= e.pool.best[0].sse {
		return
	}
	e.projectPart(h, &e.all, &axis, &e.everything, 0)
	own := [4]float32{3: 1}
	e.projectPart(h, &e.all, &own, &e.everything, 1)
	e.guessPlans(h)
}

// guessBestSplits adds guesses for the best splits.
func (e *encoder) guessBestSplits(n int, best *ranking) {
	for _, b := range best.best[:best.wanted] {
		if b.known() {
			e.guessSplitLines(n, &b.split)
		}
	}
}

// guessSplitLines adds guesses for a split whose lines have one endpoint mode. It adds guesses with
// cheaper modes if their error is not much larger.
func (e *encoder) guessSplitLines(n int, sp *split) {
	all := e.partMoments(n, &sp.parts)
	e.guessPartLines(n, sp, &all, !e.opaque)
	if !e.opaque && e.lossOfAlpha(&e.all) < float32(e.sse) {
		e.guessPartLines(n, sp, &all, false)
	}
}

// guessPartLines adds guesses for the lines of parts. If alpha is not set, no line has alpha.
func (e *encoder) guessPartLines(n int, sp *split, all *[maxParts]moments, alpha bool) {
	var direct, cheap [maxParts]line
	same := true
	for k := range n {
		direct[k], cheap[k] = e.linesOf(&all[k], alpha)
		same = same && direct[k].kind == cheap[k].kind
	}
	if alpha {
		for k := range n {
			direct[k].kind = kindRGBA
			if e.gray {
				direct[k].kind = kindGrayAlpha
			}
		}
	}
	e.guessLines(n, sp, all, &direct)
	if !same {
		raiseKinds(cheap[:n])
		e.guessLines(n, sp, all, &cheap)
	}
}

// A line describes the color line of a part.
type line struct {
	kind    uint8
	axis    [4]float32
	residue float32
}

// linesOf returns the line with the smallest error through a part, and a line with fewer values if
// it is nearly as good. If alpha is not set, the lines have no alpha.
func (e *encoder) linesOf(m *moments, alpha bool) (direct, cheap line) {
	s := e.stretchedScatter(m)
	lost := float32(0)
	if !alpha && !e.opaque {
		s, lost = s.withoutChannel(3), e.lossOfAlpha(m)
	}
	axis, along := s.principalAxis()
	if e.light != nil {
		return e.lightLinesOf(m, &s, &axis, along)
	}
	direct = line{kindRGB, axis, max(0, s.sumOfVariances()-along) + lost}
	opaque := !alpha || m.product[9] == uint32(m.n)*255*255
	if !opaque {
		direct.kind = kindRGBA
	}
	if e.gray {
		direct.kind = direct.kind - kindRGB
	}
	cheap = direct
	worse := nearlyAsGood + float32(e.sse)/float32(4*e.pixels)
	worse = float32(float32(m.n) * worse)
	if axis, left := m.grayLine(&s); left+lost-direct.residue < worse {
		cheap = line{kindGray, axis, left + lost}
		if !opaque {
			cheap.kind = kindGrayAlpha
		}
		return direct, cheap
	}
	ray, left := m.ray(&s)
	if left+lost-direct.residue < worse {
		cheap = line{kindRGBScale, ray, left + lost}
		if !opaque {
			cheap.kind = kindRGBScaleAlpha
		}
	}
	return direct, cheap
}

// nearlyAsGood limits the additional error per pixel of a line with fewer endpoint values. Lines
// above the limit are not tried. The limit is larger by a quarter of the best error per pixel so
// far.
const nearlyAsGood = 3

// raiseKinds replaces endpoint modes by larger ones until one block can hold all of them. A block
// cannot mix modes whose classes differ by more than one.
func raiseKinds(lines []line) {
	highest := uint8(0)
	for i := range lines {
		highest = max(highest, lines[i].kind>>2)
	}
	for i := range lines {
		l := &lines[i]
		for l.kind>>2+1 < highest {
			switch l.kind {
			case kindGray:
				l.kind = kindRGBScale
			case kindGrayAlpha:
				l.kind = kindRGBScaleAlpha
			default:
				l.kind = kindRGB
			}
		}
	}
}

// guessLines adds guesses for a split with the given lines.
func (e *encoder) guessLines(n int, sp *split, all *[maxParts]moments, lines *[maxParts]line) {
	h := e.nextTrial(lines[0].kind, false)
	h.parts, h.numbers, h.seed = n, 0, sp.seed
	for k, l := range lines[:n] {
		h.kinds[k] = l.kind
		h.numbers += endNumbers(l.kind)
		h.mixed = h.mixed || l.kind != lines[0].kind
		h.residue += l.residue
	}
	if h.numbers > maxColors || e.hopeless(h) {
		return
	}
	for k := range n {
		for i := range e.pixels {
			if sp.parts[k].hasPixel(i) {
				h.part[i&255] = uint8(k)
			}
		}
		e.projectPart(h, &all[k], &lines[k].axis, &sp.parts[k], 0)
	}
	e.guessPlans(h)
}
