package astc

// A code is the fields of a block, unless it has a single color.
type code struct {
	layout
	mode      uint16               // the number of the layout
	parts     uint8                // 1 to 4
	seed      uint16               // of the partition
	kinds     [maxPartitions]uint8 // of the pairs of ends, by part: the color endpoint modes
	component uint8                // the channel that has the second weights, in dual planes
	colorSpan int
	color     [18]uint8 // stored numbers, kinds[i]/4*2+2 for each part
	weight    [64]uint8 // stored numbers; two planes alternate
}

// maxColors is how many numbers the ends of a block may take.
const maxColors = 18

// numbersOf returns how many numbers a kind of ends takes.
func numbersOf(kind uint8) int { return int(kind>>2)*2 + 2 }

// unpack reads a block. It returns false for blocks of the error color and for blocks of a
// single color.
func unpack(block *stream, side int) (c code, ok bool) {
	mode := block.at(0, 11)
	if mode&511 == voidExtent {
		return c, false
	}
	if c.layout, ok = parseLayout(mode, side); !ok {
		return c, false
	}
	c.mode, c.parts = uint16(mode), uint8(block.at(11, 2)+1)
	if c.dual && c.parts == 4 {
		return c, false
	}
	weightSpan := &spans[c.span]
	below := 128 - weightSpan.size(c.weights()) // end of the bits below the weights
	start := 17
	if c.parts == 1 {
		c.kinds[0] = uint8(block.at(13, 4))
	} else {
		c.seed = uint16(block.at(13, 10))
		start = 29
		if class := block.at(23, 2); class == 0 {
			for i := range c.kinds {
				c.kinds[i] = uint8(block.at(25, 4))
			}
		} else {
			extra := extraBits(int(c.parts))
			below -= extra
			field := block.at(25, 4) | block.at(below, extra)<<4
			for i := range int(c.parts) {
				c.kinds[i] = uint8(4*(class-1+field>>i&1) + field>>(int(c.parts)+2*i)&3)
			}
		}
	}
	if c.dual {
		below -= 2
		c.component = uint8(block.at(below, 2))
	}
	n := 0
	for _, kind := range c.kinds[:c.parts] {
		n += numbersOf(kind)
	}
	if n > maxColors {
		return c, false
	}
	if c.colorSpan = colorSpanFor(n, below-start); c.colorSpan < colorSpan {
		return c, false
	}
	spans[c.colorSpan].unpack(c.color[:n], block, start)
	reversed := block.reversed()
	weightSpan.unpack(c.weight[:c.weights()], &reversed, 0)
	return c, true
}

// pack writes a block.
func (c *code) pack() (block stream) {
	reversed := stream{}
	weightSpan := &spans[c.span]
	weightSpan.pack(&reversed, 0, c.weight[:c.weights()])
	block = reversed.reversed()
	block.put(0, uint64(c.mode))
	below := 128 - weightSpan.size(c.weights())
	start, n, least, mixed := 17, 0, c.kinds[0], false
	for _, kind := range c.kinds[:c.parts] {
		n += numbersOf(kind)
		least = min(least, kind)
		mixed = mixed || kind != c.kinds[0]
	}
	switch {
	case c.parts == 1:
		block.put(13, uint64(c.kinds[0]))
	case !mixed:
		block.put(25, uint64(c.kinds[0]))
	default:
		class := min(least>>2, 2)
		block.put(23, uint64(class+1))
		field := uint64(0)
		for i, kind := range c.kinds[:c.parts] {
			field |= uint64(kind>>2-class)<<i | uint64(kind&3)<<(int(c.parts)+2*i)
		}
		block.put(25, field&15)
		below -= extraBits(int(c.parts))
		block.put(below, field>>4)
	}
	if c.parts > 1 {
		block.put(11, uint64(c.parts-1))
		block.put(13, uint64(c.seed))
		start = 29
	}
	if c.dual {
		block.put(below-2, uint64(c.component))
	}
	spans[c.colorSpan].pack(&block, start, c.color[:n])
	return block
}

// extraBits returns how many bits the kinds of parts take below the weights where they
// differ.
func extraBits(parts int) int { return 3*parts - 4 }
