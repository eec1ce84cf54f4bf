package bc7

import (
	"encoding/binary"
	"math"

	"github.com/assetcook/assetcook/internal/image/blockfit"
)

// A layout holds the number of bits of each field in a mode's blocks. The order of the fields is:
// the mode number as a count of 0 bits before a 1 bit, partition, rotation, selector, all reds,
// greens, blues, alphas, p-bits, indices. Bits are counted from the lowest bit of the first byte.
type layout struct {
	subsets   uint8
	partition uint8
	rotation  uint8 // bits of the rotation, which exchanges a channel with alpha
	selector  uint8 // bits of the selector, which gives the longer indices to color or to alpha
	color     uint8 // bits per color channel of an endpoint, without its p-bit
	alpha     uint8 // bits of an endpoint's alpha; 0 if all blocks are opaque
	own       uint8 // p-bits per endpoint
	shared    uint8 // p-bits shared by both endpoints of a subset
	index     uint8
	scalar    uint8 // bits per index of alpha; 0 if alpha has no separate indices
}

var layouts = [8]layout{
	{subsets: 3, partition: 4, color: 4, own: 1, index: 3},
	{subsets: 2, partition: 6, color: 6, shared: 1, index: 3},
	{subsets: 3, partition: 6, color: 5, index: 2},
	{subsets: 2, partition: 6, color: 7, own: 1, index: 2},
	{subsets: 1, rotation: 2, selector: 1, color: 5, alpha: 6, index: 2, scalar: 3},
	{subsets: 1, rotation: 2, color: 7, alpha: 8, index: 2, scalar: 2},
	{subsets: 1, color: 7, alpha: 7, own: 1, index: 4},
	{subsets: 2, partition: 6, color: 5, alpha: 5, own: 1, index: 2},
}

// weights holds the weight of the second endpoint, in 64ths. The first index is the number of index
// bits.
var weights = [5][16]uint8{
	2: {0, 21, 43, 64},
	3: {0, 9, 18, 27, 37, 46, 55, 64},
	4: {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64},
}

// A code holds the fields of a block.
type code struct {
	mode      uint8
	partition uint8
	rotation  uint8 // 0 for none; 1 to 3 exchange red, green or blue with alpha
	selector  uint8 // 1 if alpha has the shorter indices
	ends      [3][2][4]uint8
	p         [3][2]uint8 // p-bits of both endpoints; shared p-bits are stored twice
	index     [16]uint8
	scalar    [16]uint8 // indices of alpha, in modes 4 and 5
}

// setEnds stores the given number of channels of a line's endpoints.
func (c *code) setEnds(subset uint8, l *line, channels int) {
	for end := range 2 {
		copy(c.ends[subset][end][:channels], l.stored[end][:channels])
	}
}

// masks returns the pixels of subsets 1 and 2 as bit masks.
func (l *layout) masks(partition uint8) (one, two uint16) {
	switch l.subsets {
	case 2:
		return pairs[partition&63], 0
	case 3:
		return triples[0][partition&63], triples[1][partition&63]
	}
	return 0, 0
}

// anchors returns the anchor of each subset.
func (l *layout) anchors(partition uint8) [3]uint8 {
	switch l.subsets {
	case 2:
		return [3]uint8{0, pairAnchors[partition&63]}
	case 3:
		return [3]uint8{0, tripleAnchors[0][partition&63], tripleAnchors[1][partition&63]}
	}
	return [3]uint8{}
}

// indexWidths returns the number of bits of color indices, and of alpha indices.
func (c *code) indexWidths(l *layout) (color, alpha uint8) {
	switch {
	case l.scalar == 0:
		return l.index, l.index
	case c.selector == 1:
		return l.scalar, l.index
	}
	return l.index, l.scalar
}

// expandBits expands v, which has 4 to 8 bits, to a byte by repeating its high bits.
func expandBits(v, bits uint8) uint8 {
	v <<= 8 - bits
	return v | v>>bits
}

// pack returns the block of a code. If the top bit of an anchor's index is 1, pack inverts the
// indices of the subset and swaps its endpoints.
func (c *code) pack() [16]byte {
	l := &layouts[c.mode&7]
	c.swapToAnchors(l)
	var b bitWriter
	b.writeBits(1<<c.mode, c.mode+1)
	b.writeBits(c.partition, l.partition)
	b.writeBits(c.rotation, l.rotation)
	b.writeBits(c.selector, l.selector)
	for channel := range 3 {
		for s := range l.subsets {
			ends := &c.ends[s]
			b.Put(uint64(ends[0][channel])|uint64(ends[1][channel])<<(l.color&63), 2*l.color)
		}
	}
	if l.alpha != 0 {
		for s := range l.subsets {
			ends := &c.ends[s]
			b.Put(uint64(ends[0][3])|uint64(ends[1][3])<<(l.alpha&63), 2*l.alpha)
		}
	}
	if l.own|l.shared != 0 {
		for s := range l.subsets {
			b.writeBits(c.p[s][0], l.own|l.shared)
			b.writeBits(c.p[s][1], l.own)
		}
	}
	color, alpha := c.indexWidths(l)
	switch {
	case l.scalar == 0:
		anchors := l.anchors(c.partition)
		b.writeIndices(&c.index, color, sortAnchors(anchors[:l.subsets]))
	case c.selector == 1:
		b.writeIndices(&c.scalar, alpha, []uint8{0})
		b.writeIndices(&c.index, color, []uint8{0})
	default:
		b.writeIndices(&c.index, color, []uint8{0})
		b.writeIndices(&c.scalar, alpha, []uint8{0})
	}
	return b.Block()
}

// sortAnchors sorts up to three anchors; the first must be 0.
func sortAnchors(anchors []uint8) []uint8 {
	if len(anchors) == 3 && anchors[1] > anchors[2] {
		anchors[1], anchors[2] = anchors[2], anchors[1]
	}
	return anchors
}

// swapToAnchors swaps endpoints until the top bits of all anchors' indices are 0.
func (c *code) swapToAnchors(l *layout) {
	color, alpha := c.indexWidths(l)
	one, two := l.masks(c.partition)
	parts := [3]uint16{^(one | two), one, two}
	for s, anchor := range l.anchors(c.partition) {
		if s == int(l.subsets) {
			break
		}
		if c.index[anchor&15]>>(color-1) == 0 {
			continue
		}
		invert(&c.index, parts[s], color)
		ends := &c.ends[s]
		if l.scalar == 0 {
			ends[0], ends[1] = ends[1], ends[0]
		} else {
			ends[0][0], ends[0][1], ends[0][2], ends[1][0], ends[1][1], ends[1][2] =
				ends[1][0], ends[1][1], ends[1][2], ends[0][0], ends[0][1], ends[0][2]
		}
		c.p[s][0], c.p[s][1] = c.p[s][1], c.p[s][0]
	}
	if l.scalar != 0 && c.scalar[0]>>(alpha-1) != 0 {
		invert(&c.scalar, math.MaxUint16, alpha)
		c.ends[0][0][3], c.ends[0][1][3] = c.ends[0][1][3], c.ends[0][0][3]
	}
}

// invert inverts the index bits of the pixels in a mask.
func invert(index *[16]uint8, mask uint16, bits uint8) {
	ones := uint64(1)<<(bits&7) - 1
	low, high := index[:8], index[8:]
	binary.LittleEndian.PutUint64(low, binary.LittleEndian.Uint64(low)^spreadBits(mask&255)*ones)
	binary.LittleEndian.PutUint64(high, binary.LittleEndian.Uint64(high)^spreadBits(mask>>8)*ones)
}

// spreadBits expands each of eight bits to a byte of 0 or 1.
func spreadBits(mask uint16) uint64 {
	const each = 0x0101010101010101
	v := uint64(mask) * each & 0x8040201008040201
	return (v + 0x7f*each) >> 7 & each
}

// joinBits concatenates the low bits of eight bytes.
func joinBits(v uint64, bits uint8) uint64 {
	v |= v >> ((8 - bits) & 63)
	v &= (1<<(2*bits&63) - 1) * 0x0001000100010001
	v |= v >> ((16 - 2*bits) & 63)
	v &= (1<<(4*bits&63) - 1) * 0x0000000100000001
	return v&math.MaxUint32 | v>>32<<(4*bits&63)
}

// unpack returns the fields of a block. It reports false for the reserved mode.
func unpack(block *[16]byte) (c code, ok bool) {
	b := bitReader{blockfit.BitsOf(block)}
	if block[0] == 0 {
		return c, false
	}
	for b.readBits(1) == 0 {
		c.mode++
	}
	l := &layouts[c.mode&7]
	c.partition = b.readBits(l.partition)
	c.rotation = b.readBits(l.rotation)
	c.selector = b.readBits(l.selector)
	for channel := range 3 {
		for s := range l.subsets {
			c.ends[s][0][channel] = b.readBits(l.color)
			c.ends[s][1][channel] = b.readBits(l.color)
		}
	}
	for s := range l.subsets {
		c.ends[s][0][3] = b.readBits(l.alpha)
		c.ends[s][1][3] = b.readBits(l.alpha)
	}
	for s := range l.subsets {
		c.p[s][0] = b.readBits(l.own | l.shared)
		c.p[s][1] = c.p[s][0]
		if l.own != 0 {
			c.p[s][1] = b.readBits(1)
		}
	}
	color, alpha := c.indexWidths(l)
	switch {
	case l.scalar == 0:
		anchors := l.anchors(c.partition)
		b.readIndices(&c.index, color, sortAnchors(anchors[:l.subsets]))
	case c.selector == 1:
		b.readIndices(&c.scalar, alpha, []uint8{0})
		b.readIndices(&c.index, color, []uint8{0})
	default:
		b.readIndices(&c.index, color, []uint8{0})
		b.readIndices(&c.scalar, alpha, []uint8{0})
	}
	return c, true
}

// A bitWriter writes the fields of a block.
type bitWriter struct{ blockfit.Bits }

func (b *bitWriter) writeBits(v, bits uint8) { b.Put(uint64(v&(1<<bits-1)), bits) }

// writeIndices writes indices, omitting the top bits of the anchors. The anchors must ascend.
func (b *bitWriter) writeIndices(index *[16]uint8, bits uint8, anchors []uint8) {
	v := joinBits(binary.LittleEndian.Uint64(index[:8]), bits) | joinBits(binary.LittleEndian.Uint64(index[8:]), bits)<<(8*bits&63)
	n := 16 * bits
	for i := len(anchors) - 1; i >= 0; i-- {
		top := (anchors[i]+1)*bits - 1
		low := v & (1<<top - 1)
		v = v>>(top+1)<<top | low
		n--
	}
	b.Put(v, n)
}

// A bitReader reads the fields of a block.
type bitReader struct{ blockfit.Bits }

func (b *bitReader) readBits(bits uint8) uint8 { return uint8(b.Take(bits)) }

// readIndices reads indices, which have no top bit at the anchors. The anchors must ascend.
func (b *bitReader) readIndices(index *[16]uint8, bits uint8, anchors []uint8) {
	n := 16*bits - uint8(len(anchors))
	v := b.Take(n)
	for _, a := range anchors {
		top := (a+1)*bits - 1
		low := v & (1<<top - 1)
		v = v>>top<<(top+1) | low
	}
	for i := range index {
		index[i] = uint8(v) & (1<<(bits&7) - 1)
		v >>= bits & 7
	}
}

// DecodeBlock decodes the pixels of a block to RGBA, row by row. All modes are decoded exactly as
// in the Khronos Data Format Specification; a block of the reserved mode, which starts with a zero
// byte, decodes to zeros.
func DecodeBlock(dst *[64]byte, block *[16]byte) {
	c, ok := unpack(block)
	if !ok {
		*dst = [64]byte{}
		return
	}
	c.paintPixels(dst)
}

// paintPixels decodes the pixels of the code to RGBA.
func (c *code) paintPixels(dst *[64]byte) {
	l := &layouts[c.mode&7]
	var ends [3][2][4]uint8
	for s := range l.subsets {
		for e := range 2 {
			ends[s][e] = l.endColor(c.ends[s][e], c.p[s][e])
		}
	}
	color, alpha := c.indexWidths(l)
	one, two := l.masks(c.partition)
	for i := range 16 {
		ends := &ends[one>>i&1|two>>i&1<<1]
		w := int(weights[color][c.index[i]&15])
		pixel := (*[4]byte)(dst[4*i:])
		for channel := range 3 {
			pixel[channel] = blendEnds(ends[0][channel], ends[1][channel], w)
		}
		if l.scalar != 0 {
			w = int(weights[alpha][c.scalar[i]&15])
		}
		pixel[3] = blendEnds(ends[0][3], ends[1][3], w)
		if r := c.rotation; r != 0 {
			pixel[3], pixel[r-1] = pixel[r-1], pixel[3]
		}
	}
}

// endColor returns the decoded color of a stored endpoint.
func (l *layout) endColor(stored [4]uint8, p uint8) (rgba [4]uint8) {
	bits := l.own | l.shared
	for channel := range 3 {
		rgba[channel] = expandBits(stored[channel]<<bits|p, l.color+bits)
	}
	if l.alpha == 0 {
		rgba[3] = 255
	} else {
		rgba[3] = expandBits(stored[3]<<bits|p, l.alpha+bits)
	}
	return rgba
}

// blendEnds interpolates between two endpoints, where w is the weight of the second in 64ths.
func blendEnds(a, b uint8, w int) uint8 {
	return uint8((int(a)*(64-w) + int(b)*w + 32) >> 6)
}
