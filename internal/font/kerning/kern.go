package kerning

import "slices"

// Bits of a subtable's coverage that distinguish it from plain horizontal text.
const (
	// Microsoft: bit 0 must be set, bits 1 (minimum distances) and 2 (across the line) must be
	// clear.
	windowsMask, windowsPlain = 0x7, 0x1
	// Apple: vertical text, across the line, variations.
	appleSpecial = 0xe000
)

// kern collects pairs from the table kern, in the form of Microsoft or Apple, sorted. It ignores
// subtables of formats other than 0, a list of pairs.
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
		s := reader{table: r.sub(at)}
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
			if err := c.pairList(s.sub(int64(head))); err != nil {
				return err
			}
		}
		at += max(length, int64(head))
	}
	slices.SortStableFunc(c.pairs, comparePairs)
	return r.err
}

// pairList collects a list of pairs. It trusts the list's own count, because the subtable's length
// has too few bits for long lists.
func (c *collector) pairList(t table) error {
	r := reader{table: t}
	count := r.u16(0)
	if !r.need(int64(8 + 6*count)) {
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
