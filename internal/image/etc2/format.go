package etc2

// A mode is how a block stores its colors.
type mode uint8

const (
	individual   mode = iota // two halves, each with a color of 4 bits a channel
	differential             // two halves, with 5 bits and differences of 3
	shapeT                   // two colors of 4 bits, the second with a brighter and a darker one
	shapeH                   // two colors of 4 bits, each made brighter and darker
	planar                   // three colors, between which all pixels are
)

// A code is the fields of a color block.
type code struct {
	mode mode
	flip bool // halves are above each other, not side by side
	// base are the colors as stored, of 4 or 5 bits; of planar those at the upper left
	// corner, right of the upper row and below the left column, 6, 7 and 6 bits.
	base  [3][3]uint8
	table [2]uint8 // of modifiers
	// distance is the number of T's and H's distance.
	distance uint8
	// index has the indices of the pixels in columns: the high bits in the upper half,
	// pixel i's at bits i and 16+i.
	index uint32
}

// pack returns the block. In H, colors that the distance's lowest bit does not allow in
// their order are swapped; if they are equal that bit must be 1.
//
// Differences that leave the range of colors mark a mode: red marks T, green H, blue
// planar. Free bits are set so that exactly this holds.
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
		if (order(one) >= order(two)) != (c.distance&1 == 1) {
			one, two, index = two, one, index^0xffff0000
		}
		r, g, blue := one[0], one[1], one[2]
		return uint64(index) | 1<<33 | inside(r, g>>1)<<56 | at(r, 59) | at(g>>1, 56) |
			overflow(g&1<<1|blue>>3, blue>>1&3)<<48 | at(g&1, 52) | at(blue>>3, 51) | at(blue&7, 47) |
			at(two[0], 43) | at(two[1], 39) | at(two[2], 35) | at(c.distance>>2, 34) | at(c.distance>>1&1, 32)
	}
	o, h, v := b[0], b[1], b[2]
	return 1<<33 | inside(o[0]>>2, o[0]&3<<1|o[1]>>6)<<56 | at(o[0], 57) | at(o[1]>>6, 56) |
		inside(o[1]>>2&15, o[1]&3<<1|o[2]>>5)<<48 | at(o[1]&63, 49) | at(o[2]>>5, 48) |
		overflow(o[2]>>3&3, o[2]>>1&3)<<40 | at(o[2]>>3&3, 43) | at(o[2]&7, 39) |
		at(h[0]>>1, 34) | at(h[0]&1, 32) | at(h[1], 25) | at(h[2], 19) | at(v[0], 13) | at(v[1], 6) | at(v[2], 0)
}

// order compares colors as H does.
func order(c [3]uint8) int { return int(c[0])<<16 | int(c[1])<<8 | int(c[2]) }

// overflow returns the free bits of a byte of five bits of color and three of
// difference so that their sum is out of range, where the lowest two of each are given.
func overflow(color, difference uint8) uint64 {
	if color+difference >= 4 {
		return 7 << 5
	}
	return 1 << 2
}

// inside returns the free highest bit of such a byte so that the sum is in range.
func inside(color, difference uint8) uint64 {
	if int(color)+signed3(difference) < 0 {
		return 1 << 7
	}
	return 0
}

// signed3 is the value of three bits.
func signed3(v uint8) int { return int(int8(v<<5) >> 5) }

// unpack reads a block.
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
		if order(c.base[0]) >= order(c.base[1]) {
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
