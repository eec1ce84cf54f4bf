package etc2

import "encoding/binary"

// DecodeRGB writes the pixels of a color block as RGBA, row by row; alpha is 255. All
// modes are decoded exactly as the Khronos Data Format Specification says.
func DecodeRGB(dst *[64]byte, block *[8]byte) {
	decode(dst, binary.BigEndian.Uint64(block[:]))
}

// DecodeRGBA writes the pixels of a block of alpha and color as RGBA, row by row.
func DecodeRGBA(dst *[64]byte, block *[16]byte) {
	decode(dst, binary.BigEndian.Uint64(block[8:]))
	var alpha [16]int32
	decodeScalar(&alpha, binary.BigEndian.Uint64(block[:]), &kindAlpha)
	for i, v := range alpha {
		dst[4*inColumns[i]+3] = uint8(v)
	}
}

// DecodeEAC returns the values of a block of a single channel, row by row. They have 11
// bits, and are taken to the nearest of 16.
func DecodeEAC(block *[8]byte) (dst [16]uint16) {
	var v [16]int32
	decodeScalar(&v, binary.BigEndian.Uint64(block[:]), &kind11)
	for i, v := range v {
		dst[inColumns[i]] = from11(v)
	}
	return dst
}

func decode(dst *[64]byte, block uint64) {
	c := unpack(block)
	c.pixels(dst)
}

// pixels writes what c says as RGBA.
func (c *code) pixels(dst *[64]byte) {
	if c.mode == planar {
		c.slope(dst)
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

// paints returns the four colors of a half.
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
			p[i][k] = toByte(base[k] + m)
		}
	}
	return p
}

// twoPaints returns the four colors of T or H.
func twoPaints(m mode, one, two [3]uint8, distance uint8) (p [4][3]int32) {
	d := distances[distance&7]
	for k := range 3 {
		a, b := widen4(one[k]), widen4(two[k])
		if m == shapeT {
			p[0][k], p[1][k], p[2][k], p[3][k] = a, toByte(b+d), b, toByte(b-d)
		} else {
			p[0][k], p[1][k], p[2][k], p[3][k] = toByte(a+d), toByte(a-d), toByte(b+d), toByte(b-d)
		}
	}
	return p
}

// slope writes the pixels of a planar block.
func (c *code) slope(dst *[64]byte) {
	for k := range 3 {
		o, h, v := widenSlope(c.base[0][k], k), widenSlope(c.base[1][k], k), widenSlope(c.base[2][k], k)
		for i := range 16 {
			x, y := int32(i%4), int32(i/4)
			dst[4*i+k] = uint8(toByte((x*(h-o) + y*(v-o) + 4*o + 2) >> 2))
			dst[4*i+3] = 255
		}
	}
}

// widenSlope makes a byte of a channel of planar: green has seven bits.
func widenSlope(v uint8, channel int) int32 {
	if channel == 1 {
		return widen7(v)
	}
	return widen6(v)
}

// decodeScalar writes the values of an EAC block, down its columns.
func decodeScalar(dst *[16]int32, block uint64, k *scalarKind) {
	base, step := k.base(int32(block>>56)), k.step(int32(block>>52&15))
	m := &scalarModifiers[block>>48&15]
	for i := range dst {
		dst[i] = max(0, min(base+m[block>>(45-3*i)&7]*step, k.top))
	}
}
