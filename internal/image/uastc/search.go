package uastc

import (
	"math"
	"math/bits"
)

// search guesses what modes and patterns are worth a try, and tries them.
func (e *encoder) search() {
	if e.gray && !e.alpha {
		// Where these are exact, BC7 is as well, which the mode for gray is not.
		for _, mode := range [2]uint8{1, 0} {
			if e.one(mode); e.sse == 0 {
				return
			}
		}
	}
	e.guesses.Reset(e.effort.tries)
	s := e.all.scatter(e.channels())
	all, along := s.residue(16)
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
		e.guessApart(17, 3)
	case e.alpha:
		for plane := range uint8(4) {
			e.guessApart(11, plane)
			e.guessApart(13, plane)
		}
	case !e.gray:
		for plane := range uint8(3) {
			e.guessApart(6, plane)
		}
	}
	e.guessSplits(&s)
	for _, g := range e.guesses.Best() {
		l := &layouts[g.Mode]
		switch {
		case g.SSE == math.MaxFloat64 || e.sse == 0:
		case l.planes == 2:
			e.apart(g.Mode, g.Sub)
		case l.subsets > 1:
			e.split(g.Mode, g.Sub)
		default:
			e.one(g.Mode)
		}
	}
}

// guessOne guesses at modes of one line.
func (e *encoder) guessOne(all, along float64, modes ...uint8) {
	for _, mode := range modes {
		l := &layouts[mode]
		e.guesses.Add(mode, 0, all-float64(along*kept[l.weight])+l.rounding())
	}
}

// kept is the part of the scatter along a line that indices of some bits keep.
var kept = [6]float64{1: 0.75, 2: 1 - 1.0/9, 3: 1 - 1.0/49, 4: 1 - 1.0/225, 5: 1 - 1.0/961}

// rounding returns about the squared error by rounded ends in a block, and the mode's loss.
func (l *layout) rounding() float64 {
	step := 255 / float64(l.ends.levels()-1)
	channels := max(3, float64(l.channels))
	return 4 + float64(float64(step*step)*float64(channels*0.45)) + float64(l.loss)
}

// guessApart guesses at a mode of two planes.
func (e *encoder) guessApart(mode, plane uint8) {
	l := &layouts[mode]
	color := e.all.scatter(e.channels() &^ (1 << plane))
	all, along := color.residue(16)
	single := e.all.scatter(1 << plane)
	scalar, _ := single.residue(16)
	inside := e.inside(plane)
	e.guesses.Add(mode, plane, all-float64(along*kept[l.weight])+float64(float64(scalar*inside)*(1-kept[l.weight]))+l.rounding())
}

// inside returns the part of the pixels whose value in a channel is neither the least nor
// the most in the block. The extreme pixels lose nothing between the levels of indices, as
// in cut-out images.
func (e *encoder) inside(channel uint8) float64 {
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

// guessSplits guesses at the modes of two and three lines.
func (e *encoder) guessSplits(s *scatter) {
	var ways [2]uint16 // splits of the pixels
	if e.effort.near > 0 {
		v := s.principal()
		d := v.axis()
		ways[0] = sides(&e.px, &e.all, &d)
		t := s.across(&v)
		v = t.principal()
		d = v.axis()
		ways[1] = sides(&e.px, &e.all, &d)
	}
	switch {
	case e.gray && e.alpha:
		e.guessSplit(&ways, pairs, 16, 9)
	case e.gray:
		e.guessSplit(&ways, pairs, 16)
	case e.alpha:
		e.guessSplit(&ways, pairs, 9)
	default:
		e.guessSplit(&ways, pairs, 2, 4)
		e.guessSplit(&ways, otherPairs, 7)
		if e.effort.thorough {
			e.guessSplit(&ways, triples, 3)
		}
	}
}

// guessSplit guesses at modes with patterns, or with those nearest to two ways to split.
func (e *encoder) guessSplit(ways *[2]uint16, patterns []pattern, modes ...uint8) {
	for at := range patterns {
		if e.effort.near > 0 && !near(ways, &patterns[at], e.effort.near) {
			continue
		}
		p := &patterns[at]
		var all, along float64
		rest := e.all
		subsets := layouts[modes[0]].subsets
		for s := range subsets {
			m := rest
			if s+1 < subsets {
				m = e.rows.of(p.masks[s])
				rest = rest.without(&m)
			}
			c := m.scatter(e.channels())
			a, l := c.residue(m.n)
			all += a
			along += l
		}
		for _, mode := range modes {
			l := &layouts[mode]
			e.guesses.Add(mode, uint8(at), all-float64(along*kept[l.weight])+l.rounding())
		}
	}
}

// near reports whether a pattern differs from either way to split by few pixels.
func near(ways *[2]uint16, p *pattern, most int) bool {
	for _, w := range ways {
		n := bits.OnesCount16(w ^ p.masks[0])
		if min(n, 16-n) <= most {
			return true
		}
	}
	return false
}
