package bc7

import (
	"encoding/binary"
	"math"

	"github.com/assetcook/assetcook/internal/image/blockfit"
)

// pack returns the block of a code. It reverses the indices of a subset, and its ends,
// if the format wants its anchor in the lower half.
func (c *code) pack() [16]byte {
	l := &layouts[c.mode&7]
	c.turn(l)
	var b bitWriter
	b.put(1<<c.mode, c.mode+1)
	b.put(c.partition, l.partition)
	b.put(c.rotation, l.rotation)
	b.put(c.selector, l.selector)
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
			b.put(c.p[s][0], l.own|l.shared)
			b.put(c.p[s][1], l.own)
		}
	}
	color, alpha := c.widths(l)
	switch {
	case l.scalar == 0:
		anchors := l.anchors(c.partition)
		b.indices(&c.index, color, ascending(anchors[:l.subsets]))
	case c.selector == 1:
		b.indices(&c.scalar, alpha, []uint8{0})
		b.indices(&c.index, color, []uint8{0})
	default:
		b.indices(&c.index, color, []uint8{0})
		b.indices(&c.scalar, alpha, []uint8{0})
	}
	return b.Block()
}

// ascending sorts up to three anchors; the first is 0.
func ascending(anchors []uint8) []uint8 {
	if len(anchors) == 3 && anchors[1] > anchors[2] {
		anchors[1], anchors[2] = anchors[2], anchors[1]
	}
	return anchors
}

// turn swaps ends until every anchor's index has 0 as its top bit.
func (c *code) turn(l *layout) {
	color, alpha := c.widths(l)
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

// invert inverts the bits of the indices in a mask.
func invert(index *[16]uint8, mask uint16, bits uint8) {
	ones := uint64(1)<<(bits&7) - 1
	low, high := index[:8], index[8:]
	binary.LittleEndian.PutUint64(low, binary.LittleEndian.Uint64(low)^spread(mask&255)*ones)
	binary.LittleEndian.PutUint64(high, binary.LittleEndian.Uint64(high)^spread(mask>>8)*ones)
}

// spread makes a byte, 0 or 1, of each of eight bits.
func spread(mask uint16) uint64 {
	const each = 0x0101010101010101
	v := uint64(mask) * each & 0x8040201008040201
	return (v + 0x7f*each) >> 7 & each
}

// join puts the low bits of eight bytes next to each other.
func join(v uint64, bits uint8) uint64 {
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
	for b.take(1) == 0 {
		c.mode++
	}
	l := &layouts[c.mode&7]
	c.partition = b.take(l.partition)
	c.rotation = b.take(l.rotation)
	c.selector = b.take(l.selector)
	for channel := range 3 {
		for s := range l.subsets {
			c.ends[s][0][channel] = b.take(l.color)
			c.ends[s][1][channel] = b.take(l.color)
		}
	}
	for s := range l.subsets {
		c.ends[s][0][3] = b.take(l.alpha)
		c.ends[s][1][3] = b.take(l.alpha)
	}
	for s := range l.subsets {
		c.p[s][0] = b.take(l.own | l.shared)
		c.p[s][1] = c.p[s][0]
		if l.own != 0 {
			c.p[s][1] = b.take(1)
		}
	}
	color, alpha := c.widths(l)
	switch {
	case l.scalar == 0:
		anchors := l.anchors(c.partition)
		b.indices(&c.index, color, ascending(anchors[:l.subsets]))
	case c.selector == 1:
		b.indices(&c.scalar, alpha, []uint8{0})
		b.indices(&c.index, color, []uint8{0})
	default:
		b.indices(&c.index, color, []uint8{0})
		b.indices(&c.scalar, alpha, []uint8{0})
	}
	return c, true
}

// A bitWriter writes the fields of a block.
type bitWriter struct{ blockfit.Bits }

func (b *bitWriter) put(v, bits uint8) { b.Put(uint64(v&(1<<bits-1)), bits) }

// indices writes indices, without the top bit at the anchors, which ascend.
func (b *bitWriter) indices(index *[16]uint8, bits uint8, anchors []uint8) {
	v := join(binary.LittleEndian.Uint64(index[:8]), bits) | join(binary.LittleEndian.Uint64(index[8:]), bits)<<(8*bits&63)
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

func (b *bitReader) take(bits uint8) uint8 { return uint8(b.Take(bits)) }

// indices reads indices, whose anchors have no top bit. Anchors ascend.
func (b *bitReader) indices(index *[16]uint8, bits uint8, anchors []uint8) {
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
