// Package kerning reads by how much pairs of glyphs are moved together or apart: the
// GPOS table of OpenType, of its many features the one called "kern", and the older
// table kern.
//
// Of GPOS it takes what all scripts use in their default language. Lookups of kind 2
// (pairs of glyphs, pairs of classes) are read, also through extensions (kind 9), and
// of their values the advance of the first glyph. Where several lookups say something
// of one pair the first counts. Lookups that depend on their surroundings are left
// out: an atlas has no surroundings.
//
// Sources: OpenType specification 1.9.1, chapters "GPOS", "kern" and "OpenType Layout
// Common Table Formats"; Apple's TrueType Reference Manual, "The 'kern' table".
package kerning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// A Pair is by how many font units the second of two adjacent glyphs is moved to the
// right.
type Pair struct {
	First, Second uint16 // glyph indices
	Units         int16
}

// ErrPairs is what Pairs says if there are more than it may return.
var ErrPairs = errors.New("too many kerning pairs")

// Pairs returns what a table says of the glyphs, sorted, each pair once, none with 0.
// It reads GPOS if it is not empty and says something about pairs, else kern. More
// pairs than limit are an error.
func Pairs(ctx context.Context, gpos, kern []byte, glyphs []uint16, limit int) ([]Pair, error) {
	glyphs = slices.Compact(slices.Sorted(slices.Values(glyphs)))
	c := &collector{ctx: ctx, glyphs: glyphs, wanted: make([]bool, 1<<16), limit: limit}
	for _, g := range glyphs {
		c.wanted[g] = true
	}
	subtables, err := readGPOS(gpos)
	if err != nil {
		return nil, fmt.Errorf("table GPOS: %w", err)
	}
	if len(subtables) > 0 {
		if err := c.positions(subtables); err != nil {
			return nil, fmt.Errorf("table GPOS: %w", err)
		}
	} else if err := c.kern(kern); err != nil {
		return nil, fmt.Errorf("table kern: %w", err)
	}
	return c.distinct(), nil
}

// A collector gathers pairs of the glyphs that are wanted.
type collector struct {
	ctx    context.Context
	glyphs []uint16 // sorted
	wanted []bool   // by glyph
	pairs  []Pair
	limit  int
}

// collectPair notes a pair, also one with 0: it hides what comes later.
func (c *collector) collectPair(p Pair) error {
	if len(c.pairs) >= c.limit {
		return ErrPairs
	}
	c.pairs = append(c.pairs, p)
	return nil
}

// distinct returns the pairs, which are sorted; of equal pairs the first.
func (c *collector) distinct() []Pair {
	c.pairs = slices.CompactFunc(c.pairs, func(a, b Pair) bool { return comparePairs(a, b) == 0 })
	return slices.DeleteFunc(c.pairs, func(p Pair) bool { return p.Units == 0 })
}

func comparePairs(a, b Pair) int {
	return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Second, b.Second))
}

// A table is the bytes from where a table starts to the end of the outermost one.
type table []byte

// errShort is what is said of any offset or count that leads beyond the end.
var errShort = errors.New("ends too early; export the font again")

// A reader reads numbers of a table. After a read beyond the end err is errShort and
// numbers are 0.
type reader struct {
	table
	err error
}

func (r *reader) u16(at int) int {
	if at < 0 || at+2 > len(r.table) {
		r.err = errShort
		return 0
	}
	return int(r.table[at])<<8 | int(r.table[at+1])
}

func (r *reader) u32(at int) int64 { return int64(r.u16(at))<<16 | int64(r.u16(at+2)) }

// sub returns the table at an offset.
func (r *reader) sub(offset int64) table {
	if offset < 0 || offset > int64(len(r.table)) {
		r.err = errShort
		return nil
	}
	return r.table[offset:]
}

// need checks that there are n bytes, so that what follows may read them unseen.
func (r *reader) need(n int64) bool {
	if n > int64(len(r.table)) {
		r.err = errShort
	}
	return r.err == nil
}
