// Package kerning reads the kerning of pairs of glyphs: from the feature "kern" in OpenType's GPOS
// table, and from the older table kern.
//
// The package reads the GPOS features of all scripts in their default language. It reads lookups of
// type 2 (pairs of glyphs or of classes), also through extensions (type 9), and uses the advance of
// the first glyph. If several lookups have a pair, the first is used. Contextual lookups are
// ignored, because an atlas has no context.
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

// A Pair moves the second of two adjacent glyphs to the right by a number of font units.
type Pair struct {
	First, Second uint16 // glyph indices
	Units         int16
}

// ErrPairs is returned by Pairs if there are more pairs than the limit.
var ErrPairs = errors.New("the font has too many kerning pairs; set kerning = false")

// Pairs returns the kerning pairs of the given glyphs, sorted and without duplicates and zeros. It
// reads GPOS if this table has pairs, otherwise kern. It returns ErrPairs if there are more than
// limit pairs.
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

// A collector collects the pairs of the requested glyphs.
type collector struct {
	ctx    context.Context
	glyphs []uint16 // sorted glyph indices
	wanted []bool   // whether each glyph index is in glyphs
	pairs  []Pair
	limit  int
}

// collectPair adds a pair. It keeps a distance of 0, because the first value of a pair overrides
// later ones.
func (c *collector) collectPair(p Pair) error {
	if len(c.pairs) >= c.limit {
		return ErrPairs
	}
	c.pairs = append(c.pairs, p)
	return nil
}

// distinct returns the pairs, sorted. If several pairs have the same glyphs, it keeps the first.
func (c *collector) distinct() []Pair {
	c.pairs = slices.CompactFunc(c.pairs, func(a, b Pair) bool { return comparePairs(a, b) == 0 })
	return slices.DeleteFunc(c.pairs, func(p Pair) bool { return p.Units == 0 })
}

func comparePairs(a, b Pair) int {
	return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Second, b.Second))
}

// A table holds the bytes from the start of a table or subtable to the end of the enclosing table.
type table []byte

// errShort is the error for any offset or count beyond the end.
var errShort = errors.New("the table is truncated; export the font again")

// A reader reads integers of a table. After a read beyond the end, err is errShort and all values
// are 0.
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

// tableAt returns the table at an offset.
func (r *reader) tableAt(offset int64) table {
	if offset < 0 || offset > int64(len(r.table)) {
		r.err = errShort
		return nil
	}
	return r.table[offset:]
}

// needBytes checks that the table has at least n bytes, so that later reads are safe.
func (r *reader) needBytes(n int64) bool {
	if n > int64(len(r.table)) {
		r.err = errShort
	}
	return r.err == nil
}

// Coverage bits of a subtable that distinguish it from plain horizontal kerning.
const (
	// Microsoft's format: bit 0 (horizontal) must be set; bits 1 (minimum values) and 2
	// (cross-stream) must be clear.
	windowsMask, windowsPlain = 0x7, 0x1
	// Apple's format: the bits for vertical text, cross-stream kerning and variations must be
	// clear.
	appleSpecial = 0xe000
)

// kern collects pairs from the table kern, in the format of Microsoft or Apple. It reads only
// subtables of format 0, which are sorted lists of pairs.
func (c *collector) kern(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	r := reader{table: data}
	apple := r.u16(0) == 1
	count, at := int64(r.u16(2)), int64(4)
	if apple {
		count, at = r.u32(4), 8
	}
	for range min(count, maxSubtables) {
		s := reader{table: r.tableAt(at)}
		if r.err != nil {
			return r.err
		}
		length, coverage, head := int64(s.u16(2)), s.u16(4), 6
		plain := coverage&windowsMask == windowsPlain && coverage>>8 == 0
		if apple {
			length, head = s.u32(0), 8
			plain = coverage&appleSpecial == 0 && coverage&0xff == 0
		}
		if s.err != nil {
			return s.err
		}
		if plain {
			if err := c.pairList(s.tableAt(int64(head))); err != nil {
				return err
			}
		}
		at += max(length, int64(head))
	}
	slices.SortStableFunc(c.pairs, comparePairs)
	return r.err
}

// pairList collects a list of pairs. It uses the list's count, because the subtable's length has
// too few bits for long lists.
func (c *collector) pairList(t table) error {
	r := reader{table: t}
	count := r.u16(0)
	if !r.needBytes(int64(8 + 6*count)) {
		return r.err
	}
	if err := c.ctx.Err(); err != nil {
		return err
	}
	for i := range count {
		at := 8 + 6*i
		first, second := r.u16(at), r.u16(at+2)
		if c.wanted[first] && c.wanted[second] {
			if err := c.collectPair(Pair{uint16(first), uint16(second), int16(r.u16(at + 4))}); err != nil {
				return err
			}
		}
	}
	return nil
}
