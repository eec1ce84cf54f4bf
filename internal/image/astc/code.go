package astc

// A code holds the fields of a block, unless the block has a single color.
type code struct {
	layout
	mode      uint16 // block mode, which encodes the layout
	parts     uint8  // number of parts, 1 to 4
	seed      uint16
	kinds     [maxPartitions]uint8 // color endpoint mode (CEM) of each part
	component uint8                // channel that uses the second weight plane
	colorSpan int
	color     [18]uint8 // quantized endpoint values; each part has kinds[i]/4*2+2 of them
	weight    [64]uint8 // quantized weights; if there are two planes, their weights alternate
}

// maxColors is the maximum number of endpoint values in a block.
const maxColors = 18

// endNumbers returns how many values a color endpoint mode stores for its two endpoints.
func endNumbers(kind uint8) int { return int(kind>>2)*2 + 2 }

// unpack decodes the fields of a block. It returns false for invalid blocks and for blocks of a
// single color.
func unpack(block *stream, size Size) (c code, ok bool) {
	mode := block.bitsAt(0, 11)
	if mode&511 == voidExtent {
		return c, false
	}
	if c.layout, ok = parseLayout(mode, size); !ok {
		return c, false
	}
	c.mode, c.parts = uint16(mode), uint8(block.bitsAt(11, 2)+1)
	if c.dual && c.parts == 4 {
		return c, false
	}
	weightSpan := &spans[c.span]
	below := 128 - weightSpan.sequenceBits(c.weights()) // weights are stored backward from the top bit, so the other fields must end here
	start := 17
	if c.parts == 1 {
		c.kinds[0] = uint8(block.bitsAt(13, 4))
	} else {
		c.seed = uint16(block.bitsAt(13, 10))
		start = 29
		if class := block.bitsAt(23, 2); class == 0 {
			for i := range c.kinds {
				c.kinds[i] = uint8(block.bitsAt(25, 4))
			}
		} else {
			extra := extraBits(int(c.parts))
			below -= extra
			field := block.bitsAt(25, 4) | block.bitsAt(below, extra)<<4
			for i := range int(c.parts) {
				c.kinds[i] = uint8(4*(class-1+field>>i&1) + field>>(int(c.parts)+2*i)&3)
			}
		}
	}
	if c.dual {
		below -= 2
		c.component = uint8(block.bitsAt(below, 2))
	}
	n := 0
	for _, kind := range c.kinds[:c.parts] {
		n += endNumbers(kind)
	}
	if n > maxColors {
		return c, false
	}
	if c.colorSpan = colorSpanFor(n, below-start); c.colorSpan < colorSpan {
		return c, false
	}
	spans[c.colorSpan].unpackSequence(c.color[:n], block, start)
	reversed := block.reverseBits()
	weightSpan.unpackSequence(c.weight[:c.weights()], &reversed, 0)
	return c, true
}

// pack encodes the fields of a block.
func (c *code) pack() (block stream) {
	reversed := stream{}
	weightSpan := &spans[c.span]
	weightSpan.packSequence(&reversed, 0, c.weight[:c.weights()])
	block = reversed.reverseBits()
	block.putBits(0, uint64(c.mode))
	below := 128 - weightSpan.sequenceBits(c.weights())
	start, n, least, mixed := 17, 0, c.kinds[0], false
	for _, kind := range c.kinds[:c.parts] {
		n += endNumbers(kind)
		least = min(least, kind)
		mixed = mixed || kind != c.kinds[0]
	}
	switch {
	case c.parts == 1:
		block.putBits(13, uint64(c.kinds[0]))
	case !mixed:
		block.putBits(25, uint64(c.kinds[0]))
	default:
		class := min(least>>2, 2)
		block.putBits(23, uint64(class+1))
		field := uint64(0)
		for i, kind := range c.kinds[:c.parts] {
			field |= uint64(kind>>2-class)<<i | uint64(kind&3)<<(int(c.parts)+2*i)
		}
		block.putBits(25, field&15)
		below -= extraBits(int(c.parts))
		block.putBits(below, field>>4)
	}
	if c.parts > 1 {
		block.putBits(11, uint64(c.parts-1))
		block.putBits(13, uint64(c.seed))
		start = 29
	}
	if c.dual {
		block.putBits(below-2, uint64(c.component))
	}
	spans[c.colorSpan].packSequence(&block, start, c.color[:n])
	return block
}

// extraBits returns the number of additional bits for endpoint modes. If the parts have different
// modes, these bits are directly below the weights.
func extraBits(parts int) int { return 3*parts - 4 }

// A layout describes the weights of a block. The block mode, the lowest eleven bits, encodes it.
type layout struct {
	across, down int // columns and rows of the weight grid
	span         int // index into spans
	dual         bool
}

// weights returns the number of stored weights.
func (l *layout) weights() int {
	if l.dual {
		return 2 * l.across * l.down
	}
	return l.across * l.down
}

// Minimum and maximum size of the weights of a block, in bits.
const (
	maxWeights    = 64
	minWeightBits = 24
	maxWeightBits = 96
)

// parseLayout decodes the block mode of a block of the given size. It returns false for
// reserved modes and for layouts that are too large. Source: Khronos Data Format Specification 1.4,
// chapter 23, "Block Mode".
func parseLayout(mode int, size Size) (l layout, ok bool) {
	l.dual = mode>>10&1 == 1
	high := mode >> 9 & 1
	a, b := mode>>5&3, mode>>7&3
	rho := mode>>4&1 | mode&3<<1
	if mode&3 != 0 {
		switch {
		case mode>>2&3 == 0:
			l.across, l.down = b+4, a+2
		case mode>>2&3 == 1:
			l.across, l.down = b+8, a+2
		case mode>>2&3 == 2:
			l.across, l.down = a+2, b+8
		case b < 2:
			l.across, l.down = a+2, b+6
		default:
			l.across, l.down = b, a+2
		}
	} else {
		rho = mode>>4&1 | mode>>2&3<<1
		switch {
		case b == 0:
			l.across, l.down = 12, a+2
		case b == 1:
			l.across, l.down = a+2, 12
		case b == 2:
			l.across, l.down = a+6, mode>>9&3+6
			l.dual, high = false, 0
		case a == 0:
			l.across, l.down = 6, 10
		case a == 1:
			l.across, l.down = 10, 6
		default:
			return l, false
		}
	}
	l.span = rho - 2 + 6*high
	if rho < 2 || l.across > size.W || l.down > size.H || l.weights() > maxWeights {
		return l, false
	}
	n := spans[l.span].sequenceBits(l.weights())
	return l, n >= minWeightBits && n <= maxWeightBits
}

// voidExtent is the value of the lowest nine bits of a block with a single color.
const voidExtent = 0b111111100

// modesOf returns the block mode of each layout that blocks of the given size can have.
func modesOf(size Size) map[layout]uint16 {
	all := map[layout]uint16{}
	for mode := 1<<11 - 1; mode >= 0; mode-- {
		if l, ok := parseLayout(mode, size); ok && mode&511 != voidExtent {
			all[l] = uint16(mode)
		}
	}
	return all
}
