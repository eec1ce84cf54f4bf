package uastc

import "github.com/assetcook/assetcook/internal/image/blockfit"

// pack returns the block of c with hints h. If the top bit of an anchor's index is 1, pack inverts
// the indices of the subset and swaps its endpoints.
func (c *code) pack(h *hints) (block [16]byte) {
	l := &layouts[c.mode]
	var b bitWriter
	b.putField(l.prefix, l.prefixBits)
	if c.mode == modeSolid {
		for _, v := range c.solid {
			b.putField(v, 8)
		}
		h.writeSolid(&b)
		return b.Block()
	}
	c.swapEnds(l)
	h.writeHints(&b, l)
	if l.subsets > 1 {
		b.putField(c.pattern, l.patternBits())
	}
	if l.planes == 2 && l.channels != 2 {
		b.putField(c.plane, 2)
	}
	var stored [18]uint8
	n := 0
	for s := range l.subsets {
		for _, channel := range l.channelOrder() {
			stored[n], stored[n+1] = c.ends[s][0][channel], c.ends[s][1][channel]
			n += 2
		}
	}
	b.writeEnds(stored[:n], l.ends)
	for i := range 16 {
		bits := l.weight - l.anchored(c.pattern, i)
		for plane := range l.planes {
			b.putField(c.index[plane][i], bits)
		}
	}
	return b.Block()
}

// patternBits returns the number of bits of a pattern number.
func (l *layout) patternBits() uint8 {
	if l.subsets == 3 {
		return 4
	}
	return 5
}

// anchored returns 1 for an anchor, a pixel whose index is stored without its top bit, and 0 for
// other pixels.
func (l *layout) anchored(pattern uint8, i int) uint8 {
	if l.subsets == 1 {
		if i == 0 {
			return 1
		}
		return 0
	}
	p := &l.patterns[pattern]
	if int(p.anchors[p.subset[i]]) == i {
		return 1
	}
	return 0
}

// swapEnds swaps endpoints until the top bits of all anchors' indices are 0.
func (c *code) swapEnds(l *layout) {
	top := uint8(1) << (l.weight - 1)
	flip := top<<1 - 1
	for s := range l.subsets {
		mask, anchor := uint16(0xffff), uint8(0)
		if l.subsets > 1 {
			p := &l.patterns[c.pattern]
			mask, anchor = p.masks[s], p.anchors[s]
		}
		for plane := range l.planes {
			if c.index[plane][anchor]&top == 0 {
				continue
			}
			for i := range 16 {
				if mask>>i&1 != 0 {
					c.index[plane][i] ^= flip
				}
			}
			ends := &c.ends[s]
			for channel := range uint8(4) {
				if l.planes == 1 || (channel == c.plane) == (plane == 1) {
					ends[0][channel], ends[1][channel] = ends[1][channel], ends[0][channel]
				}
			}
		}
	}
}

// unpack returns the fields of a block. It returns false for the reserved mode and for undefined
// patterns.
func unpack(block *[16]byte) (c code, h hints, ok bool) {
	b := bitReader{blockfit.BitsOf(block)}
	c.mode = modeOf[block[0]&127]
	if int(c.mode) >= len(layouts) {
		return c, h, false
	}
	l := &layouts[c.mode]
	b.takeField(l.prefixBits)
	if c.mode == modeSolid {
		for i := range c.solid {
			c.solid[i] = b.takeField(8)
		}
		h.readSolid(&b)
		return c, h, true
	}
	h.readHints(&b, l)
	if l.subsets > 1 {
		c.pattern = b.takeField(l.patternBits())
		if int(c.pattern) >= len(l.patterns) {
			return c, h, false
		}
	}
	if l.planes == 2 {
		c.plane = 3
		if l.channels != 2 {
			c.plane = b.takeField(2)
		}
	}
	var stored [18]uint8
	n := 2 * int(l.subsets*l.channels)
	b.readEnds(stored[:n], l.ends)
	n = 0
	for s := range l.subsets {
		for _, channel := range l.channelOrder() {
			c.ends[s][0][channel], c.ends[s][1][channel] = stored[n], stored[n+1]
			n += 2
		}
	}
	for i := range 16 {
		bits := l.weight - l.anchored(c.pattern, i)
		for plane := range l.planes {
			c.index[plane][i] = b.takeField(bits)
		}
	}
	return c, h, true
}

// A bitWriter writes the fields of a block.
type bitWriter struct{ blockfit.Bits }

func (b *bitWriter) putField(v, bits uint8) { b.Put(uint64(v), bits) }

// writeEnds writes the digits of all endpoint values, and then their bits. It writes five trits or
// three quints as one integer.
func (b *bitWriter) writeEnds(stored []uint8, s *scale) {
	if s.base > 1 {
		for from := 0; from < len(stored); from += s.digitsPerNumber() {
			part := stored[from:min(from+s.digitsPerNumber(), len(stored))]
			var v uint8
			for i := len(part) - 1; i >= 0; i-- {
				v = v*s.base + part[i]>>s.bits
			}
			b.putField(v, s.groupBits(len(part)))
		}
	}
	for _, v := range stored {
		b.putField(v&(1<<s.bits-1), s.bits)
	}
}

// digitsPerNumber returns how many digits are packed in one integer.
func (s *scale) digitsPerNumber() int {
	if s.base == 3 {
		return 5
	}
	return 3
}

// groupBits returns the number of bits of an integer of n digits.
func (s *scale) groupBits(n int) uint8 {
	if s.base == 3 {
		return [6]uint8{0, 2, 4, 5, 7, 8}[n]
	}
	return [4]uint8{0, 3, 5, 7}[n]
}

// A bitReader reads the fields of a block.
type bitReader struct{ blockfit.Bits }

func (b *bitReader) takeField(bits uint8) uint8 { return uint8(b.Take(bits)) }

func (b *bitReader) takeFlag() bool { return b.takeField(1) != 0 }

// readEnds reads the fields that writeEnds writes. If an integer is too large for its digits, it
// drops the upper part.
func (b *bitReader) readEnds(stored []uint8, s *scale) {
	if s.base > 1 {
		for from := 0; from < len(stored); from += s.digitsPerNumber() {
			part := stored[from:min(from+s.digitsPerNumber(), len(stored))]
			v := b.takeField(s.groupBits(len(part)))
			for i := range part {
				part[i] = v % s.base << s.bits
				v /= s.base
			}
		}
	}
	for i := range stored {
		stored[i] |= b.takeField(s.bits)
	}
}

// DecodeBlock decodes the pixels of a block to RGBA, row by row, for a texture without the sRGB
// curve. In ASTC, the curve changes the rounding of endpoints; UASTC leaves this to the transcoder.
// A block of the reserved mode, or with an undefined pattern, decodes to zeros.
func DecodeBlock(dst *[64]byte, block *[16]byte) {
	prepare()
	c, _, ok := unpack(block)
	if !ok {
		*dst = [64]byte{}
		return
	}
	c.paintPoints(dst)
}

// paintPoints decodes the pixels of the code to RGBA.
func (c *code) paintPoints(dst *[64]byte) {
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
			ends[s][e] = l.storedColor(&c.ends[s][e])
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
			dst[4*i+channel] = blendWide(line[0][channel], line[1][channel], w[c.index[plane][i]])
		}
	}
}

// storedColor returns the color of a stored endpoint.
func (l *layout) storedColor(stored *[4]uint8) [4]uint8 {
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

// blendWide interpolates between two endpoints, expanded to 16 bits, and returns the upper byte. w
// is the weight of the second endpoint in 64ths.
func blendWide(a, b, w uint8) uint8 {
	return uint8((uint32(a)*257*(64-uint32(w)) + uint32(b)*257*uint32(w) + 32) >> 14)
}
