package uastc

// DecodeBlock writes the pixels of a block as RGBA, row by row, for a texture without the
// sRGB curve: in ASTC the curve changes the rounding of ends, and UASTC leaves that to the
// transcoder. A block of the reserved mode, or with a missing pattern, gives zeros.
func DecodeBlock(dst *[64]byte, block *[16]byte) {
	prepare()
	c, _, ok := unpack(block)
	if !ok {
		*dst = [64]byte{}
		return
	}
	c.pixels(dst)
}

// pixels writes what c says as RGBA.
func (c *code) pixels(dst *[64]byte) {
	if c.mode == modeSolid {
		for i := range 16 {
			copy(dst[4*i:], c.solid[:])
		}
		return
	}
	l := &layouts[c.mode]
	var ends [3][2][4]uint8
	for s := range l.subsets {
		for e := range 2 {
			ends[s][e] = l.end(&c.ends[s][e])
		}
	}
	w := &weights[l.weight]
	for i := range 16 {
		line := &ends[0]
		if l.subsets > 1 {
			line = &ends[l.patterns[c.pattern].subset[i]]
		}
		for channel := range 4 {
			plane := 0
			if l.planes == 2 && channel == int(c.plane) {
				plane = 1
			}
			dst[4*i+channel] = blend(line[0][channel], line[1][channel], w[c.index[plane][i]])
		}
	}
}

// end returns the color of a stored end.
func (l *layout) end(stored *[4]uint8) [4]uint8 {
	v := &l.ends.value
	switch l.channels {
	case 2:
		gray := v[stored[0]]
		return [4]uint8{gray, gray, gray, v[stored[3]]}
	case 3:
		return [4]uint8{v[stored[0]], v[stored[1]], v[stored[2]], 255}
	}
	return [4]uint8{v[stored[0]], v[stored[1]], v[stored[2]], v[stored[3]]}
}

// blend mixes two ends, widened to 16 bits, by 64ths of the second, and returns the
// upper byte.
func blend(a, b, w uint8) uint8 {
	return uint8((uint32(a)*257*(64-uint32(w)) + uint32(b)*257*uint32(w) + 32) >> 14)
}
