package kerning

import (
	"fmt"
	"slices"
	"sort"
)

// positions collects the pairs of the subtables, sorted.
func (c *collector) positions(subtables []subtable) error {
	said := make([]bool, 1<<16) // second glyphs that already have a value
	for _, first := range c.glyphs {
		clear(said)
		start := len(c.pairs)
		for i := range subtables {
			if err := c.ctx.Err(); err != nil {
				return err
			}
			s := &subtables[i]
			index, covered, err := coverageIndex(s.coverage, first)
			if err != nil {
				return err
			}
			if !covered {
				continue
			}
			if s.format == 1 {
				err = c.pairSet(s, first, index, said)
			} else {
				err = c.classPairs(s, first, said)
			}
			if err != nil {
				return err
			}
		}
		slices.SortFunc(c.pairs[start:], comparePairs)
	}
	return nil
}

// pairSet collects a list of second glyphs with their values.
func (c *collector) pairSet(s *subtable, first uint16, index int, said []bool) error {
	if index >= s.pairSets {
		return fmt.Errorf("no pairs %d", index)
	}
	r := reader{table: s.table}
	set := reader{table: r.sub(int64(r.u16(10 + 2*index))), err: r.err}
	count := set.u16(0)
	if r.err != nil || !set.need(int64(2+count*s.recordSize)) {
		return errShort
	}
	for i := range count {
		at := 2 + i*s.recordSize
		if err := c.say(first, set.u16(at), set.advanceAt(at+2, s), said); err != nil {
			return err
		}
	}
	return nil
}

// classPairs collects a table of values for classes of first and second glyphs. It gives all glyphs
// a value, even if it is 0.
func (c *collector) classPairs(s *subtable, first uint16, said []bool) error {
	class1, err := classOf(s.class1, first)
	if err != nil {
		return err
	}
	if class1 >= s.classes1 {
		return fmt.Errorf("no class %d", class1)
	}
	r := reader{table: s.table}
	for _, second := range c.glyphs {
		class2, err := classOf(s.class2, second)
		if err != nil {
			return err
		}
		if class2 >= s.classes2 {
			return fmt.Errorf("no class %d", class2)
		}
		at := 16 + (class1*s.classes2+class2)*s.recordSize
		if err := c.say(first, int(second), r.advanceAt(at, s), said); err != nil {
			return err
		}
	}
	return r.err
}

func (c *collector) say(first uint16, second int, units int16, said []bool) error {
	if !c.wanted[second] || said[second] {
		return nil
	}
	said[second] = true
	if units == 0 {
		return nil
	}
	return c.collectPair(Pair{first, uint16(second), units})
}

// advanceAt returns the advance in the values at an offset.
func (r *reader) advanceAt(at int, s *subtable) int16 {
	if s.advance < 0 {
		return 0
	}
	return int16(r.u16(at + s.advance))
}

// coverageIndex returns the index of a glyph in a coverage table.
func coverageIndex(t table, glyph uint16) (index int, covered bool, err error) {
	r := reader{table: t}
	format, count := r.u16(0), r.u16(2)
	switch {
	case r.err != nil:
	case format == 1 && r.need(int64(4+2*count)):
		i := sort.Search(count, func(i int) bool { return r.u16(4+2*i) >= int(glyph) })
		return i, i < count && r.u16(4+2*i) == int(glyph), nil
	case format == 2 && r.need(int64(4+6*count)):
		i := r.rangeOf(4, count, glyph)
		if i < 0 {
			return 0, false, nil
		}
		return r.u16(4+6*i+4) + int(glyph) - r.u16(4+6*i), true, nil
	}
	return 0, false, r.err
}

// classOf returns the class of a glyph, 0 if it has none.
func classOf(t table, glyph uint16) (int, error) {
	r := reader{table: t}
	switch format := r.u16(0); {
	case r.err != nil:
	case format == 1:
		first, count := r.u16(2), r.u16(4)
		i := int(glyph) - first
		if r.need(int64(6+2*count)) && i >= 0 && i < count {
			return r.u16(6 + 2*i), nil
		}
	case format == 2:
		count := r.u16(2)
		if !r.need(int64(4 + 6*count)) {
			break
		}
		if i := r.rangeOf(4, count, glyph); i >= 0 {
			return r.u16(4 + 6*i + 4), nil
		}
	}
	return 0, r.err
}

// rangeOf returns which of count records (first glyph, last glyph, a value) at an offset contains
// the glyph, or -1.
func (r *reader) rangeOf(at, count int, glyph uint16) int {
	i := sort.Search(count, func(i int) bool { return r.u16(at+6*i+2) >= int(glyph) })
	if i < count && r.u16(at+6*i) <= int(glyph) {
		return i
	}
	return -1
}
