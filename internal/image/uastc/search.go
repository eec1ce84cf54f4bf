package uastc

import (
	"math"
	"math/bits"
)

// searchLayouts estimates the errors of modes and patterns, and tries the most promising.
func (e *encoder) searchLayouts() {
	if e.gray && !e.alpha {
		// Modes 1 and 0 are tried first, because blocks that they encode exactly are also exact in
		// BC7. This is not true of the mode for gray.
		for _, mode := range [2]uint8{1, 0} {
			if e.fitOneLine(mode); e.sse == 0 {
				return
			}
		}
	}
	e.guesses.Reset(e.effort.tries)
	s := e.all.scatterOfChannels(e.encodedChannels())
	all, along := s.residueOf(16)
	switch {
	case e.gray && e.alpha:
		e.guessOne(all, along, 15, 10, 12, 14)
	case e.gray:
		e.guessOne(all, along, 15, 0, 5, 1)
	case e.alpha:
		e.guessOne(all, along, 10, 12, 14)
	default:
		e.guessOne(all, along, 0, 18, 5, 1)
	}
	switch {
	case e.gray && e.alpha:
		e.guessPlanes(17, 3)
	case e.alpha:
		for plane := range uint8(4) {
			e.guessPlanes(11, plane)
			e.guessPlanes(13, plane)
		}
	case !e.gray:
		for plane := range uint8(3) {
			e.guessPlanes(6, plane)
		}
	}
	e.guessTwoAndThree(&s)
	for _, g := range e.guesses.Best() {
		l := &layouts[g.Mode]
		switch {
		case g.SSE == math.MaxFloat64 || e.sse == 0:
		case l.planes == 2:
			e.fitPlanes(g.Mode, g.Sub)
		case l.subsets > 1:
			e.fitPattern(g.Mode, g.Sub)
		default:
			e.fitOneLine(g.Mode)
		}
	}
}

// guessOne estimates the errors of modes with one line.
func (e *encoder) guessOne(all, along float64, modes ...uint8) {
	for _, mode := range modes {
		l := &layouts[mode]
		e.guesses.Add(mode, 0, all-float64(along*kept[l.weight])+l.rounding())
	}
}

// kept holds the fraction of the scatter along a line that indices preserve, by number of index
// bits.
var kept = [6]float64{1: 0.75, 2: 1 - 1.0/9, 3: 1 - 1.0/49, 4: 1 - 1.0/225, 5: 1 - 1.0/961}

// rounding estimates the squared error that quantized endpoints add to a block. It adds the mode's
// loss.
func (l *layout) rounding() float64 {
	step := 255 / float64(l.ends.storableLevels()-1)
	channels := max(3, float64(l.channels))
	return 4 + float64(float64(step*step)*float64(channels*0.45)) + float64(l.loss)
}

// guessPlanes estimates the error of a mode with two planes.
func (e *encoder) guessPlanes(mode, plane uint8) {
	l := &layouts[mode]
	color := e.all.scatterOfChannels(e.encodedChannels() &^ (1 << plane))
	all, along := color.residueOf(16)
	single := e.all.scatterOfChannels(1 << plane)
	scalar, _ := single.residueOf(16)
	inside := e.shareInside(plane)
	e.guesses.Add(mode, plane, all-float64(along*kept[l.weight])+float64(float64(scalar*inside)*(1-kept[l.weight]))+l.rounding())
}

// shareInside returns the fraction of pixels whose value in a channel is neither the smallest nor
// the largest in the block. Indices represent the smallest and largest value exactly.
func (e *encoder) shareInside(channel uint8) float64 {
	least, most := e.px[0][channel], e.px[0][channel]
	for i := range e.px {
		least, most = min(least, e.px[i][channel]), max(most, e.px[i][channel])
	}
	inside := 0
	for i := range e.px {
		if v := e.px[i][channel]; v != least && v != most {
			inside++
		}
	}
	return float64(inside) / 16
}

// guessTwoAndThree estimates the errors of modes with two and three lines.
func (e *encoder) guessTwoAndThree(s *scatter) {
	var ways [2]uint16 // the two ways to split the pixels
	if e.effort.near > 0 {
		v := s.principalVector()
		d := v.roundedAxis()
		ways[0] = pointsBeyond(&e.px, &e.all, &d)
		t := s.acrossVector(&v)
		v = t.principalVector()
		d = v.roundedAxis()
		ways[1] = pointsBeyond(&e.px, &e.all, &d)
	}
	switch {
	case e.gray && e.alpha:
		e.guessPatterns(&ways, pairs, 16, 9)
	case e.gray:
		e.guessPatterns(&ways, pairs, 16)
	case e.alpha:
		e.guessPatterns(&ways, pairs, 9)
	default:
		e.guessPatterns(&ways, pairs, 2, 4)
		e.guessPatterns(&ways, otherPairs, 7)
		if e.effort.thorough {
			e.guessPatterns(&ways, triples, 3)
		}
	}
}

// guessPatterns estimates the errors of modes. It evaluates all patterns, or only the patterns most
// similar to two ways to split the pixels.
func (e *encoder) guessPatterns(ways *[2]uint16, patterns []pattern, modes ...uint8) {
	for at := range patterns {
		if e.effort.near > 0 && !isNearPattern(ways, &patterns[at], e.effort.near) {
			continue
		}
		p := &patterns[at]
		var all, along float64
		rest := e.all
		subsets := layouts[modes[0]].subsets
		for s := range subsets {
			m := rest
			if s+1 < subsets {
				m = e.rows.sumOfRows(p.masks[s])
				rest = rest.lessPart(&m)
			}
			c := m.scatterOfChannels(e.encodedChannels())
			a, l := c.residueOf(m.n)
			all += a
			along += l
		}
		for _, mode := range modes {
			l := &layouts[mode]
			e.guesses.Add(mode, uint8(at), all-float64(along*kept[l.weight])+l.rounding())
		}
	}
}

// isNearPattern reports whether a pattern differs from one of the two splits by at most the given
// number of pixels.
func isNearPattern(ways *[2]uint16, p *pattern, most int) bool {
	for _, w := range ways {
		n := bits.OnesCount16(w ^ p.masks[0])
		if min(n, 16-n) <= most {
			return true
		}
	}
	return false
}
