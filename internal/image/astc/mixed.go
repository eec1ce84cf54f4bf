package astc

// guessSplits guesses for the best splits.
func (e *encoder) guessSplits(n int, best *ranking) {
	for _, b := range best.best[:best.wanted] {
		if b.split != nil {
			e.guessSplit(n, b.split)
		}
	}
}

// guessSplit guesses for a split: with lines of one kind, and with lines of kinds that take
// fewer numbers where that costs little.
func (e *encoder) guessSplit(n int, sp *split) {
	all := e.partsOf(n, &sp.masks)
	var direct, cheap [maxParts]line
	same := true
	for k := range n {
		direct[k], cheap[k] = e.linesOf(&all[k], sp.masks[k])
		same = same && direct[k].kind == cheap[k].kind
	}
	if !e.opaque {
		for k := range n {
			direct[k].kind = kindRGBA
			if e.gray {
				direct[k].kind = kindGrayAlpha
			}
		}
	}
	e.guessLines(n, sp, &all, &direct)
	if !same {
		raise(cheap[:n])
		e.guessLines(n, sp, &all, &cheap)
	}
}

// A line is the line of a part.
type line struct {
	kind    uint8
	axis    [4]float32
	residue float32
}

// linesOf returns the line of the least error through a part, and one that takes fewer
// numbers and is nearly as good, if there is such.
func (e *encoder) linesOf(m *moments, mask uint64) (direct, cheap line) {
	s := e.scatter(m)
	axis, along := s.principal()
	direct = line{kindRGB, axis, max(0, s.trace()-along)}
	opaque := m.product[9] == m.n*255*255
	if !opaque {
		direct.kind = kindRGBA
	}
	if e.gray {
		direct.kind = direct.kind - kindRGB // kindGray or kindGrayAlpha
	}
	cheap = direct
	worse := nearlyAsGood + float32(e.sse)/float32(4*e.pixels)
	worse = float32(float32(m.n) * worse)
	if axis, left := m.grayLine(&s); left-direct.residue < worse {
		cheap = line{kindGray, axis, left}
		if !opaque {
			cheap.kind = kindGrayAlpha
		}
		return direct, cheap
	}
	ray, left := m.ray(&s)
	if left-direct.residue < worse {
		cheap = line{kindRGBScale, ray, left}
		if !opaque {
			cheap.kind = kindRGBScaleAlpha
		}
	}
	return direct, cheap
}

// nearlyAsGood is how much worse for each pixel a line may be that takes fewer numbers, apart
// from a part of the error so far.
const nearlyAsGood = 3

// raise makes kinds take more numbers until they can stand together: their classes may
// differ by one.
func raise(lines []line) {
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

// guessLines guesses for a split with given lines.
func (e *encoder) guessLines(n int, sp *split, all *[maxParts]moments, lines *[maxParts]line) {
	h := e.nextTrial(lines[0].kind, false)
	h.parts, h.numbers, h.seed = n, 0, sp.seed
	for k, l := range lines[:n] {
		h.kinds[k] = l.kind
		h.numbers += numbersOf(l.kind)
		h.mixed = h.mixed || l.kind != lines[0].kind
		h.residue += l.residue
	}
	if h.numbers > maxColors || e.hopeless(h) {
		return
	}
	for k := range n {
		for i := range e.pixels {
			if sp.masks[k]>>(i&63)&1 != 0 {
				h.part[i&63] = uint8(k)
			}
		}
		e.project(h, &all[k], &lines[k].axis, sp.masks[k], 0)
	}
	e.guess(h)
}
