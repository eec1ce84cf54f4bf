package kerning

import (
	"fmt"
	"math/bits"
	"slices"
	"sort"
)

// Limits for hostile fonts, which could repeat a small table billions of times. Real fonts have
// some dozens of each.
const (
	maxUses      = 1 << 18 // maximum number of features in all scripts, and of lookups in all features
	maxSubtables = 1024
)

// A subtable holds values for pairs whose first glyph it covers.
type subtable struct {
	table
	format     int
	coverage   table
	size1      int // size in bytes of the value record of the first glyph
	size2      int
	advance    int // offset of the horizontal advance in a value record, or -1 if there is none
	class1     table
	class2     table
	classes1   int
	classes2   int
	pairSets   int
	recordSize int
}

// readGPOS returns the subtables of the kerning lookups, in order of precedence.
func readGPOS(data []byte) ([]subtable, error) {
	if len(data) == 0 {
		return nil, nil
	}
	r := reader{table: data}
	if major := r.u16(0); r.err == nil && major != 1 {
		return nil, fmt.Errorf("version %d is not supported; export the font again", major)
	}
	scripts, features, lookups := r.tableAt(int64(r.u16(4))), r.tableAt(int64(r.u16(6))), r.tableAt(int64(r.u16(8)))
	if r.err != nil {
		return nil, r.err
	}
	used, err := defaultFeatures(scripts)
	if err != nil {
		return nil, err
	}
	order, err := kernLookups(features, used)
	if err != nil {
		return nil, err
	}
	list := reader{table: lookups}
	var found []subtable
	for _, i := range order {
		if i >= list.u16(0) && list.err == nil {
			return nil, fmt.Errorf("lookup %d does not exist; export the font again", i)
		}
		lookup := list.tableAt(int64(list.u16(2 + 2*i)))
		if list.err != nil {
			return nil, list.err
		}
		if found, err = readLookup(found, lookup); err != nil {
			return nil, err
		}
	}
	return found, list.err
}

// defaultFeatures returns the features of all scripts in their default language, in order.
func defaultFeatures(scripts table) ([]int, error) {
	r := reader{table: scripts}
	var used numbers
	for i := range r.u16(0) {
		script := reader{table: r.tableAt(int64(r.u16(2 + 6*i + 4)))}
		offset := script.u16(0)
		if r.err != nil || script.err != nil {
			return nil, errShort
		}
		if offset == 0 {
			continue
		}
		language := reader{table: script.tableAt(int64(offset)), err: script.err}
		const none = 0xffff
		if required := language.u16(2); required != none {
			used.addIndex(required)
		}
		if err := used.addList(&language, 4); err != nil {
			return nil, err
		}
	}
	return used.sortedNumbers(), r.err
}

// kernLookups returns the lookups of the used features named "kern", in order.
func kernLookups(features table, used []int) ([]int, error) {
	r := reader{table: features}
	var lookups numbers
	for _, i := range used {
		if i >= r.u16(0) && r.err == nil {
			return nil, fmt.Errorf("feature %d does not exist; export the font again", i)
		}
		const kern = 'k'<<24 | 'e'<<16 | 'r'<<8 | 'n'
		if r.u32(2+6*i) != kern {
			continue
		}
		feature := reader{table: r.tableAt(int64(r.u16(2 + 6*i + 4))), err: r.err}
		if err := lookups.addList(&feature, 2); err != nil {
			return nil, err
		}
	}
	return lookups.sortedNumbers(), r.err
}

// numbers is a set of indices of features or lookups, in the order of insertion.
type numbers struct {
	has   [1 << 16 / 64]uint64
	added int
}

func (n *numbers) addIndex(i int) {
	n.has[i/64] |= 1 << (i % 64)
	n.added++
}

// addList adds the indices in the list at an offset. The list starts with its length.
func (n *numbers) addList(r *reader, at int) error {
	count := r.u16(at)
	if !r.needBytes(int64(at + 2 + 2*count)) {
		return r.err
	}
	for k := range count {
		n.addIndex(r.u16(at + 2 + 2*k))
	}
	if n.added > maxUses {
		return fmt.Errorf("the table uses features more than %d times; set kerning = false", maxUses)
	}
	return nil
}

func (n *numbers) sortedNumbers() []int {
	var list []int
	for i := range len(n.has) * 64 {
		if n.has[i/64]>>(i%64)&1 != 0 {
			list = append(list, i)
		}
	}
	return list
}

// readLookup appends the subtables of a pair positioning lookup.
func readLookup(found []subtable, lookup table) ([]subtable, error) {
	const pairs, extension = 2, 9
	r := reader{table: lookup}
	kind := r.u16(0)
	if kind != pairs && kind != extension {
		return found, r.err
	}
	for i := range r.u16(4) {
		if len(found) >= maxSubtables {
			return nil, fmt.Errorf("the table has more than %d kerning subtables; set kerning = false", maxSubtables)
		}
		at := r.tableAt(int64(r.u16(6 + 2*i)))
		if r.err != nil {
			return nil, r.err
		}
		if kind == extension {
			e := reader{table: at}
			of := e.u16(2)
			at = e.tableAt(e.u32(4))
			if e.err != nil {
				return nil, e.err
			}
			if of != pairs {
				return found, nil
			}
		}
		s, err := readSubtable(at)
		if err != nil {
			return nil, err
		}
		if s.format != 0 {
			found = append(found, s)
		}
	}
	return found, r.err
}

// readSubtable reads the header of a subtable. The subtable's format is 0 if it is unknown.
func readSubtable(at table) (subtable, error) {
	r := reader{table: at}
	format1, format2 := r.u16(4), r.u16(6)
	s := subtable{table: at, coverage: r.tableAt(int64(r.u16(2))), advance: -1}
	s.size1, s.size2 = 2*bits.OnesCount16(uint16(format1)), 2*bits.OnesCount16(uint16(format2))
	const xAdvance = 4
	if format1&xAdvance != 0 {
		s.advance = 2 * bits.OnesCount16(uint16(format1&(xAdvance-1)))
	}
	switch r.u16(0) {
	case 1:
		s.format, s.pairSets = 1, r.u16(8)
		s.recordSize = 2 + s.size1 + s.size2
		r.needBytes(int64(10 + 2*s.pairSets))
	case 2:
		s.format, s.classes1, s.classes2 = 2, r.u16(12), r.u16(14)
		s.class1, s.class2 = r.tableAt(int64(r.u16(8))), r.tableAt(int64(r.u16(10)))
		s.recordSize = s.size1 + s.size2
		r.needBytes(16 + int64(s.classes1)*int64(s.classes2)*int64(s.recordSize))
	}
	return s, r.err
}

// positions collects the pairs of the subtables, which must be in order of precedence.
func (c *collector) positions(subtables []subtable) error {
	hasValue := make([]bool, 1<<16) // glyphs that already have a value as second glyph of a pair
	for _, first := range c.glyphs {
		clear(hasValue)
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
				err = c.pairSet(s, first, index, hasValue)
			} else {
				err = c.classPairs(s, first, hasValue)
			}
			if err != nil {
				return err
			}
		}
		slices.SortFunc(c.pairs[start:], comparePairs)
	}
	return nil
}

// pairSet collects the pairs of one first glyph from a list of second glyphs and values.
func (c *collector) pairSet(s *subtable, first uint16, index int, hasValue []bool) error {
	if index >= s.pairSets {
		return fmt.Errorf("pair list %d does not exist; export the font again", index)
	}
	r := reader{table: s.table}
	set := reader{table: r.tableAt(int64(r.u16(10 + 2*index))), err: r.err}
	count := set.u16(0)
	if r.err != nil || !set.needBytes(int64(2+count*s.recordSize)) {
		return errShort
	}
	for i := range count {
		at := 2 + i*s.recordSize
		if err := c.collectValue(first, set.u16(at), set.advanceAt(at+2, s), hasValue); err != nil {
			return err
		}
	}
	return nil
}

// classPairs collects the pairs of one first glyph from a table of glyph classes. The table gives
// every second glyph a value, even if it is 0.
func (c *collector) classPairs(s *subtable, first uint16, hasValue []bool) error {
	class1, err := glyphClass(s.class1, first)
	if err != nil {
		return err
	}
	if class1 >= s.classes1 {
		return fmt.Errorf("class %d does not exist; export the font again", class1)
	}
	r := reader{table: s.table}
	for _, second := range c.glyphs {
		class2, err := glyphClass(s.class2, second)
		if err != nil {
			return err
		}
		if class2 >= s.classes2 {
			return fmt.Errorf("class %d does not exist; export the font again", class2)
		}
		at := 16 + (class1*s.classes2+class2)*s.recordSize
		if err := c.collectValue(first, int(second), r.advanceAt(at, s), hasValue); err != nil {
			return err
		}
	}
	return r.err
}

func (c *collector) collectValue(first uint16, second int, units int16, hasValue []bool) error {
	if !c.wanted[second] || hasValue[second] {
		return nil
	}
	hasValue[second] = true
	if units == 0 {
		return nil
	}
	return c.collectPair(Pair{first, uint16(second), units})
}

// advanceAt returns the advance of the value record at an offset.
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
	case format == 1 && r.needBytes(int64(4+2*count)):
		i := sort.Search(count, func(i int) bool { return r.u16(4+2*i) >= int(glyph) })
		return i, i < count && r.u16(4+2*i) == int(glyph), nil
	case format == 2 && r.needBytes(int64(4+6*count)):
		i := r.rangeOf(4, count, glyph)
		if i < 0 {
			return 0, false, nil
		}
		return r.u16(4+6*i+4) + int(glyph) - r.u16(4+6*i), true, nil
	}
	return 0, false, r.err
}

// glyphClass returns the class of a glyph; the default is 0.
func glyphClass(t table, glyph uint16) (int, error) {
	r := reader{table: t}
	switch format := r.u16(0); {
	case r.err != nil:
	case format == 1:
		first, count := r.u16(2), r.u16(4)
		i := int(glyph) - first
		if r.needBytes(int64(6+2*count)) && i >= 0 && i < count {
			return r.u16(6 + 2*i), nil
		}
	case format == 2:
		count := r.u16(2)
		if !r.needBytes(int64(4 + 6*count)) {
			break
		}
		if i := r.rangeOf(4, count, glyph); i >= 0 {
			return r.u16(4 + 6*i + 4), nil
		}
	}
	return 0, r.err
}

// rangeOf returns the index of the record at an offset that contains the glyph, or -1. There are
// count records, each with a first glyph, a last glyph and a value.
func (r *reader) rangeOf(at, count int, glyph uint16) int {
	i := sort.Search(count, func(i int) bool { return r.u16(at+6*i+2) >= int(glyph) })
	if i < count && r.u16(at+6*i) <= int(glyph) {
		return i
	}
	return -1
}
