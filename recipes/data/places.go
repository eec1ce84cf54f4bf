package data

import (
	"bytes"
	"unicode/utf8"
)

// Places counts the lines and columns of a text along with somebody who reads it
// from front to back.
type places struct {
	text []byte

	// seen is how far lines and columns are counted, line and col are what stands
	// there, from 0.
	seen, line, col int
}

// at moves to an offset and returns its line and column, from 1. It never moves
// back.
func (p *places) at(offset int) (line, col int) {
	if offset > p.seen {
		passed := p.text[p.seen:offset]
		if n := bytes.Count(passed, []byte{'\n'}); n > 0 {
			p.line, p.col = p.line+n, 0
			passed = passed[1+bytes.LastIndexByte(passed, '\n'):]
		}
		p.col += utf8.RuneCount(passed)
		p.seen = offset
	}
	return p.line + 1, p.col + 1
}
