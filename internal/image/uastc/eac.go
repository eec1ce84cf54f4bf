package uastc

import "math"

// modifiers are EAC's tables: the addends to the middle, by the multiplier.
//
// Source: Khronos Data Format Specification, "ETC2 with alpha", modifier table.
var modifiers = [16][8]int32{
	{-3, -6, -9, -15, 2, 5, 8, 14}, {-3, -7, -10, -13, 2, 6, 9, 12},
	{-2, -5, -8, -13, 1, 4, 7, 12}, {-2, -4, -6, -13, 1, 3, 5, 12},
	{-3, -6, -8, -12, 2, 5, 7, 11}, {-3, -7, -9, -11, 2, 6, 8, 10},
	{-4, -7, -8, -11, 3, 6, 7, 10}, {-3, -5, -8, -11, 2, 4, 7, 10},
	{-2, -6, -8, -10, 1, 5, 7, 9}, {-2, -5, -8, -10, 1, 4, 7, 9},
	{-2, -4, -8, -10, 1, 3, 7, 9}, {-2, -5, -7, -10, 1, 4, 6, 9},
	{-3, -4, -7, -10, 2, 3, 6, 9}, {-1, -2, -3, -10, 0, 1, 2, 9},
	{-4, -6, -8, -9, 3, 5, 7, 8}, {-3, -5, -7, -9, 2, 4, 6, 8},
}

// alphaTables is the order in which tables are tried: the most different first.
var alphaTables = [16]uint8{13, 2, 8, 11, 0, 10, 7, 6, 3, 1, 4, 5, 9, 12, 14, 15}

// alpha sets the hint for the alpha of ETC2: of some tables, with multipliers up to
// radius from the one that spans the range, the one with the least error. A transcoder
// puts the middle where the table's ends lie alike about the least and the greatest
// alpha.
func (h *hints) alpha(px *[16]point, tables int, radius int32) {
	lo, hi := int32(255), int32(0)
	for i := range px {
		lo, hi = min(lo, px[i][3]), max(hi, px[i][3])
	}
	h.eac = 1<<4 | 13
	if lo == hi {
		return
	}
	least := int32(math.MaxInt32)
	for _, table := range alphaTables[:tables] {
		t := &modifiers[table&15]
		span := t[7] - t[3]
		middle := lo + (2*(hi-lo)*-t[3]+span)/(2*span)
		around := max(1, min((2*(hi-lo)+span)/(2*span), 15))
		for m := max(1, around-radius); m <= min(15, around+radius); m++ {
			var values [8]int32
			for i, d := range t {
				values[i] = max(0, min(middle+d*m, 255))
			}
			var sse int32
			for i := range px {
				a := px[i][3]
				nearest := int32(255)
				for _, v := range &values {
					nearest = min(nearest, max(a-v, v-a))
				}
				sse += nearest * nearest
			}
			if sse < least {
				least = sse
				h.eac = uint8(m)<<4 | table
			}
		}
	}
}
