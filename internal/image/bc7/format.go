package bc7

// A layout is the fields of a mode's blocks and their bits. The field order in a block is:
// a 1 bit after as many 0 bits as the number of the mode, partition, rotation, selector,
// all reds, greens, blues, alphas, p-bits, indices. Bits are counted from the lowest of the
// first byte.
type layout struct {
	subsets   uint8
	partition uint8 // bits of the number of the partition
	rotation  uint8 // bits that say which channel changed places with alpha
	selector  uint8 // bits that say which of color and alpha has the longer indices
	color     uint8 // bits of an end in each of red, green and blue, without its p-bit
	alpha     uint8 // the same of alpha; 0: the block is opaque
	own       uint8 // p-bits of each end
	shared    uint8 // p-bits of both ends of a subset together
	index     uint8 // bits of an index
	scalar    uint8 // bits of a second index, where alpha has its own; else 0
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

// weights say, by the bits of an index, how many 64ths of the second end a pixel has.
var weights = [5][16]uint8{
	2: {0, 21, 43, 64},
	3: {0, 9, 18, 27, 37, 46, 55, 64},
	4: {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64},
}

// A code is the fields of a block.
type code struct {
	mode      uint8
	partition uint8
	rotation  uint8 // 0: none; 1 to 3: red, green or blue is stored in place of alpha
	selector  uint8 // 1: alpha has the shorter indices
	ends      [3][2][4]uint8
	p         [3][2]uint8 // shared p-bits stand twice
	index     [16]uint8
	scalar    [16]uint8 // indices of alpha, in modes 4 and 5
}

// setEnds stores the first channels of a line.
func (c *code) setEnds(subset uint8, l *line, channels int) {
	for end := range 2 {
		copy(c.ends[subset][end][:channels], l.stored[end][:channels])
	}
}

// masks returns the pixels of the subsets 1 and 2.
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

// widths returns the bits of the indices of color and of alpha.
func (c *code) widths(l *layout) (color, alpha uint8) {
	switch {
	case l.scalar == 0:
		return l.index, l.index
	case c.selector == 1:
		return l.scalar, l.index
	}
	return l.index, l.scalar
}

// expand makes a byte of the low bits of v: its high bits are repeated below.
// bits is 4 to 8.
func expand(v, bits uint8) uint8 {
	v <<= 8 - bits
	return v | v>>bits
}
