package bc7

// DecodeBlock writes the pixels of a block as RGBA, row by row. All modes are
// decoded exactly as the Khronos Data Format Specification says; a block of the
// reserved mode, which begins with a zero byte, gives zeros.
func DecodeBlock(dst *[64]byte, block *[16]byte) {
	c, ok := unpack(block)
	if !ok {
		*dst = [64]byte{}
		return
	}
	c.pixels(dst)
}

// pixels writes what c says as RGBA.
func (c *code) pixels(dst *[64]byte) {
	l := &layouts[c.mode&7]
	var ends [3][2][4]uint8
	for s := range l.subsets {
		for e := range 2 {
			ends[s][e] = l.end(c.ends[s][e], c.p[s][e])
		}
	}
	color, alpha := c.widths(l)
	one, two := l.masks(c.partition)
	for i := range 16 {
		ends := &ends[one>>i&1|two>>i&1<<1]
		w := int(weights[color][c.index[i]&15])
		pixel := (*[4]byte)(dst[4*i:])
		for channel := range 3 {
			pixel[channel] = blend(ends[0][channel], ends[1][channel], w)
		}
		if l.scalar != 0 {
			w = int(weights[alpha][c.scalar[i]&15])
		}
		pixel[3] = blend(ends[0][3], ends[1][3], w)
		if r := c.rotation; r != 0 {
			pixel[3], pixel[r-1] = pixel[r-1], pixel[3]
		}
	}
}

// end returns the color of a stored end.
func (l *layout) end(stored [4]uint8, p uint8) (rgba [4]uint8) {
	bits := l.own | l.shared
	for channel := range 3 {
		rgba[channel] = expand(stored[channel]<<bits|p, l.color+bits)
	}
	if l.alpha == 0 {
		rgba[3] = 255
	} else {
		rgba[3] = expand(stored[3]<<bits|p, l.alpha+bits)
	}
	return rgba
}

// blend mixes two ends by 64ths of the second.
func blend(a, b uint8, w int) uint8 {
	return uint8((int(a)*(64-w) + int(b)*w + 32) >> 6)
}
