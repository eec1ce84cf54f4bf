package etc2

import "encoding/binary"

// A mode is an encoding of the colors of a block.
type mode uint8

const (
	individual   mode = iota // two halves, each with a color of 4 bits per channel
	differential             // two halves; the first color has 5 bits per channel, the second is a difference of 3 bits
	shapeT                   // two colors of 4 bits per channel; the second also has a brighter and a darker variant
	shapeH                   // two colors of 4 bits per channel; each has a brighter and a darker variant
	planar                   // a gradient between three colors
)

// A code holds the fields of a color block.
type code struct {
	mode mode
	flip bool // true if the halves are one above the other, not side by side
	// base holds the quantized colors, of 4 or 5 bits. In planar blocks these are three colors of
	// 6, 7 and 6 bits: at the upper left corner, to the right of the upper row, and below the left
	// column.
	base  [3][3]uint8
	table [2]uint8 // modifier table of each half
	// distance is the index of the distance between colors in T and H.
	distance uint8
	// index holds the indices of the pixels, column by column: pixel i has its low bit at bit i and
	// its high bit at bit 16+i.
	index uint32
}

// pack returns the block. In H, the order of the two colors encodes the lowest bit of the distance,
// so pack swaps them if necessary. If the colors are equal, this bit must be 1.
//
// A difference that overflows the range of colors marks a mode: T in red, H in green, and planar in
// blue. The free bits are set so that no other channel overflows.
func (c *code) pack() uint64 {
	b := &c.base
	at := func(v uint8, bit int) uint64 { return uint64(v) << bit }
	low := uint64(c.index)
	if c.flip {
		low |= 1 << 32
	}
	tables := at(c.table[0], 37) | at(c.table[1], 34)
	switch c.mode {
	case individual:
		return low | tables | at(b[0][0], 60) | at(b[1][0], 56) | at(b[0][1], 52) | at(b[1][1], 48) | at(b[0][2], 44) | at(b[1][2], 40)
	case differential:
		d := func(k int) uint8 { return (b[1][k] - b[0][k]) & 7 }
		return low | tables | 1<<33 | at(b[0][0], 59) | at(d(0), 56) | at(b[0][1], 51) | at(d(1), 48) | at(b[0][2], 43) | at(d(2), 40)
	case shapeT:
		r := b[0][0]
		return uint64(c.index) | 1<<33 | overflow(r>>2, r&3)<<56 | at(r>>2, 59) | at(r&3, 56) | at(b[0][1], 52) | at(b[0][2], 48) |
			at(b[1][0], 44) | at(b[1][1], 40) | at(b[1][2], 36) | at(c.distance>>1, 34) | at(c.distance&1, 32)
	case shapeH:
		one, two, index := b[0], b[1], c.index
		if (compareColors(one) >= compareColors(two)) != (c.distance&1 == 1) {
			one, two, index = two, one, index^0xffff0000
		}
		r, g, blue := one[0], one[1], one[2]
		return uint64(index) | 1<<33 | bitsInRange(r, g>>1)<<56 | at(r, 59) | at(g>>1, 56) |
			overflow(g&1<<1|blue>>3, blue>>1&3)<<48 | at(g&1, 52) | at(blue>>3, 51) | at(blue&7, 47) |
			at(two[0], 43) | at(two[1], 39) | at(two[2], 35) | at(c.distance>>2, 34) | at(c.distance>>1&1, 32)
	}
	o, h, v := b[0], b[1], b[2]
	return 1<<33 | bitsInRange(o[0]>>2, o[0]&3<<1|o[1]>>6)<<56 | at(o[0], 57) | at(o[1]>>6, 56) |
		bitsInRange(o[1]>>2&15, o[1]&3<<1|o[2]>>5)<<48 | at(o[1]&63, 49) | at(o[2]>>5, 48) |
		overflow(o[2]>>3&3, o[2]>>1&3)<<40 | at(o[2]>>3&3, 43) | at(o[2]&7, 39) |
		at(h[0]>>1, 34) | at(h[0]&1, 32) | at(h[1], 25) | at(h[2], 19) | at(v[0], 13) | at(v[1], 6) | at(v[2], 0)
}

// compareColors returns the sort key of a color in H blocks.
func compareColors(c [3]uint8) int { return int(c[0])<<16 | int(c[1])<<8 | int(c[2]) }

// overflow returns the free bits of a byte that holds a 5-bit color and a 3-bit difference. The
// free bits make color plus difference overflow. The parameters are the lowest two bits of the
// color and of the difference.
func overflow(color, difference uint8) uint64 {
	if color+difference >= 4 {
		return 7 << 5
	}
	return 1 << 2
}

// bitsInRange returns the free highest bit of a byte that holds a color and a difference, so that
// their sum is in range.
func bitsInRange(color, difference uint8) uint64 {
	if int(color)+signed3(difference) < 0 {
		return 1 << 7
	}
	return 0
}

// signed3 returns the value of a signed 3-bit integer.
func signed3(v uint8) int { return int(int8(v<<5) >> 5) }

// unpack returns the fields of a block.
func unpack(v uint64) (c code) {
	from := func(bit, n int) uint8 { return uint8(v >> bit & (1<<n - 1)) }
	c.index = uint32(v)
	c.flip = v>>32&1 == 1
	c.table = [2]uint8{from(37, 3), from(34, 3)}
	if v>>33&1 == 0 {
		for k := range 3 {
			c.base[0][k], c.base[1][k] = from(60-8*k, 4), from(56-8*k, 4)
		}
		return c
	}
	c.mode = differential
	for k := range 3 {
		one := from(59-8*k, 5)
		two := int(one) + signed3(from(56-8*k, 3))
		if two < 0 || two > 31 {
			c = code{mode: [3]mode{shapeT, shapeH, planar}[k], index: uint32(v)}
			break
		}
		c.base[0][k], c.base[1][k] = one, uint8(two)
	}
	switch c.mode {
	case shapeT:
		c.base[0] = [3]uint8{from(59, 2)<<2 | from(56, 2), from(52, 4), from(48, 4)}
		c.base[1] = [3]uint8{from(44, 4), from(40, 4), from(36, 4)}
		c.distance = from(34, 2)<<1 | from(32, 1)
	case shapeH:
		c.base[0] = [3]uint8{from(59, 4), from(56, 3)<<1 | from(52, 1), from(51, 1)<<3 | from(47, 3)}
		c.base[1] = [3]uint8{from(43, 4), from(39, 4), from(35, 4)}
		c.distance = from(34, 1)<<2 | from(32, 1)<<1
		if compareColors(c.base[0]) >= compareColors(c.base[1]) {
			c.distance |= 1
		}
	case planar:
		c.base[0] = [3]uint8{from(57, 6), from(56, 1)<<6 | from(49, 6), from(48, 1)<<5 | from(43, 2)<<3 | from(39, 3)}
		c.base[1] = [3]uint8{from(34, 5)<<1 | from(32, 1), from(25, 7), from(19, 6)}
		c.base[2] = [3]uint8{from(13, 6), from(6, 7), from(0, 6)}
		c.index = 0
	}
	return c
}

// DecodeRGB decodes the pixels of a color block to RGBA, row by row; alpha is 255. All modes are
// decoded exactly as in the Khronos Data Format Specification.
func DecodeRGB(dst *[64]byte, block *[8]byte) {
	paintBlock(dst, binary.BigEndian.Uint64(block[:]))
}

// DecodeRGBA decodes the pixels of a block of alpha and color to RGBA, row by row.
func DecodeRGBA(dst *[64]byte, block *[16]byte) {
	paintBlock(dst, binary.BigEndian.Uint64(block[8:]))
	var alpha [16]int32
	decodeScalar(&alpha, binary.BigEndian.Uint64(block[:]), &kindAlpha)
	for i, v := range alpha {
		dst[4*inColumns[i]+3] = uint8(v)
	}
}

// DecodeEAC returns the values of a block of a single channel, row by row. They have 11 bits, and
// are converted to the nearest 16-bit values.
func DecodeEAC(block *[8]byte) (dst [16]uint16) {
	var v [16]int32
	decodeScalar(&v, binary.BigEndian.Uint64(block[:]), &kind11)
	for i, v := range v {
		dst[inColumns[i]] = from11(v)
	}
	return dst
}

func paintBlock(dst *[64]byte, block uint64) {
	c := unpack(block)
	c.paintColors(dst)
}

// paintColors decodes the pixels of the code to RGBA.
func (c *code) paintColors(dst *[64]byte) {
	if c.mode == planar {
		c.paintSlope(dst)
		return
	}
	var paints [2][4][3]int32
	for half := range paints {
		paints[half] = c.paints(half)
	}
	for i := range 16 {
		half := i >> 3
		if c.flip {
			half = i >> 1 & 1
		}
		k := c.index>>i&1 | c.index>>(16+i)&1<<1
		p := &paints[half][k&3]
		at := 4 * inColumns[i]
		dst[at], dst[at+1], dst[at+2], dst[at+3] = uint8(p[0]), uint8(p[1]), uint8(p[2]), 255
	}
}

// paints returns the four colors of one half of a block in a mode of ETC1.
func (c *code) paints(half int) (p [4][3]int32) {
	switch c.mode {
	case shapeT, shapeH:
		return twoPaints(c.mode, c.base[0], c.base[1], c.distance)
	}
	var base [3]int32
	for k := range 3 {
		if c.mode == individual {
			base[k] = widen4(c.base[half][k])
		} else {
			base[k] = widen5(c.base[half][k])
		}
	}
	for i, m := range modifiers[c.table[half]&7] {
		for k := range 3 {
			p[i][k] = clampToByte(base[k] + m)
		}
	}
	return p
}

// twoPaints returns the four colors of a T or H block.
func twoPaints(m mode, one, two [3]uint8, distance uint8) (p [4][3]int32) {
	d := distances[distance&7]
	for k := range 3 {
		a, b := widen4(one[k]), widen4(two[k])
		if m == shapeT {
			p[0][k], p[1][k], p[2][k], p[3][k] = a, clampToByte(b+d), b, clampToByte(b-d)
		} else {
			p[0][k], p[1][k], p[2][k], p[3][k] = clampToByte(a+d), clampToByte(a-d), clampToByte(b+d), clampToByte(b-d)
		}
	}
	return p
}

// paintSlope decodes the pixels of a planar block.
func (c *code) paintSlope(dst *[64]byte) {
	for k := range 3 {
		o, h, v := widenSlope(c.base[0][k], k), widenSlope(c.base[1][k], k), widenSlope(c.base[2][k], k)
		for i := range 16 {
			x, y := int32(i%4), int32(i/4)
			dst[4*i+k] = uint8(clampToByte((x*(h-o) + y*(v-o) + 4*o + 2) >> 2))
			dst[4*i+3] = 255
		}
	}
}

// widenSlope expands a channel of a planar block to a byte. Green has seven bits, red and blue have
// six.
func widenSlope(v uint8, channel int) int32 {
	if channel == 1 {
		return widen7(v)
	}
	return widen6(v)
}

// decodeScalar decodes the values of an EAC block, column by column.
func decodeScalar(dst *[16]int32, block uint64, k *scalarKind) {
	base, step := k.base(int32(block>>56)), k.modifierStep(int32(block>>52&15))
	m := &AlphaModifiers[block>>48&15]
	for i := range dst {
		dst[i] = max(0, min(base+m[block>>(45-3*i)&7]*step, k.top))
	}
}

// modifiers holds the differences between the pixels of a half block and its base color, by table
// and index. Source: Khronos Data Format Specification 1.4, table "ETC1 intensity modifier sets".
var modifiers = [8][4]int32{
	{2, 8, -2, -8}, {5, 17, -5, -17}, {9, 29, -9, -29}, {13, 42, -13, -42},
	{18, 60, -18, -60}, {24, 80, -24, -80}, {33, 106, -33, -106}, {47, 183, -47, -183},
}

// distances holds the distances between the colors of T and H blocks. Source: Khronos Data Format
// Specification 1.4, "ETC2 distance table".
var distances = [8]int32{3, 6, 11, 16, 23, 32, 41, 64}

// AlphaModifiers are the modifiers of EAC, by table and index. Source: Khronos Data Format
// Specification 1.4, "Intensity modifier sets for the alpha component".
var AlphaModifiers = [16][8]int32{
	{-3, -6, -9, -15, 2, 5, 8, 14},
	{-3, -7, -10, -13, 2, 6, 9, 12},
	{-2, -5, -8, -13, 1, 4, 7, 12},
	{-2, -4, -6, -13, 1, 3, 5, 12},
	{-3, -6, -8, -12, 2, 5, 7, 11},
	{-3, -7, -9, -11, 2, 6, 8, 10},
	{-4, -7, -8, -11, 3, 6, 7, 10},
	{-3, -5, -8, -11, 2, 4, 7, 10},
	{-2, -6, -8, -10, 1, 5, 7, 9},
	{-2, -5, -8, -10, 1, 4, 7, 9},
	{-2, -4, -8, -10, 1, 3, 7, 9},
	{-2, -5, -7, -10, 1, 4, 6, 9},
	{-3, -4, -7, -10, 2, 3, 6, 9},
	{-1, -2, -3, -10, 0, 1, 2, 9},
	{-4, -6, -8, -9, 3, 5, 7, 8},
	{-3, -5, -7, -9, 2, 4, 6, 8},
}

// halves lists the pixels of the two halves of a block, first for halves side by side, then for
// halves one above the other.
var halves = [4][8]uint8{
	{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, 12, 13, 14, 15},
	{0, 1, 4, 5, 8, 9, 12, 13}, {2, 3, 6, 7, 10, 11, 14, 15},
}

// pixelsOf returns the pixels of a half of a block in a mode of ETC1.
func (c *code) pixelsOf(half int) *[8]uint8 {
	if c.flip {
		return &halves[2+half]
	}
	return &halves[half]
}

// clampToByte limits a value to the range from 0 to 255.
func clampToByte(v int32) int32 { return max(0, min(v, 255)) }

// widen4, widen5, widen6 and widen7 expand values of 4 to 7 bits to a byte by repeating the high
// bits.
func widen4(v uint8) int32 { return int32(v) * 17 }
func widen5(v uint8) int32 { return int32(v)<<3 | int32(v)>>2 }
func widen6(v uint8) int32 { return int32(v)<<2 | int32(v)>>4 }
func widen7(v uint8) int32 { return int32(v)<<1 | int32(v)>>6 }

// to11 rounds a 16-bit value to the nearest 11-bit value.
func to11(v uint16) int32 { return int32((uint32(v)*2047 + 32767) / 65535) }

// from11 converts an 11-bit value to the nearest 16-bit value.
func from11(v int32) uint16 { return uint16((uint32(v)*65535 + 1023) / 2047) }
