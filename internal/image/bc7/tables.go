package bc7

import (
	"math/bits"
	"sync"
)

// tables holds the lookup tables.
type tables struct {
	// exact holds, for each byte, the mode 5 endpoints that decode to this byte at index 1.
	exact [256][2]uint8
	// lists holds, for each partition into two, the pixels of subset 0, then of subset 1.
	lists [64][16]uint8
	first [64]uint8 // number of pixels in subset 0
	// near holds, for each set of pixels without pixel 0, the most similar partitions into two.
	near [1 << 15][nearest]uint8
}

// nearest is the number of partitions in each entry of near.
const nearest = 4

var tablesOf = sync.OnceValue(func() *tables {
	t := new(tables)
	for a := range uint8(128) {
		for b := range uint8(128) {
			t.exact[blendEnds(expandBits(a, 7), expandBits(b, 7), 21)] = [2]uint8{a, b}
		}
	}
	for p, mask := range &pairs {
		list := t.lists[p][:0]
		t.first[p] = uint8(16 - bits.OnesCount16(mask))
		for _, subset := range [2]uint16{^mask, mask} {
			for i := range uint8(16) {
				if subset>>i&1 != 0 {
					list = append(list, i)
				}
			}
		}
	}
	for set := range t.near {
		t.near[set] = nearestTo(uint16(set) << 1)
	}
	return t
})

// nearestTo returns the partitions most similar to a set or to its complement.
func nearestTo(set uint16) (near [nearest]uint8) {
	far := [nearest]int{16, 16, 16, 16}
	for p, mask := range &pairs {
		n := bits.OnesCount16(set ^ mask)
		n = min(n, 16-n)
		i := nearest
		for ; i > 0 && n < far[i-1]; i-- {
			if i < nearest {
				far[i], near[i] = far[i-1], near[i-1]
			}
		}
		if i < nearest {
			far[i], near[i] = n, uint8(p)
		}
	}
	return near
}

// exactBlock returns a block that decodes to a single color.
func (t *tables) exactBlock(r, g, b, a uint8) [16]byte {
	c := code{mode: 5}
	t.setColor(&c, lanesOf(uint64(r), uint64(g), uint64(b)))
	c.ends[0][0][3], c.ends[0][1][3] = a, a
	return c.pack()
}

// setColor makes all pixels of a mode 5 code exactly the given color.
func (t *tables) setColor(c *code, rgb uint64) {
	for channel := range 3 {
		ends := t.exact[rgb>>(lane*channel&63)&255]
		c.ends[0][0][channel], c.ends[0][1][channel] = ends[0], ends[1]
	}
	for i := range c.index {
		c.index[i] = 1
	}
}

// The partitions of the format are tabulated in the Khronos Data Format Specification, "BPTC
// compressed texture image formats". A mask has one bit per pixel, row by row, starting with the
// lowest bit.

// pairs holds the pixels of subset 1 for each partition into two subsets.
var pairs = [64]uint16{
	0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80,
	0xc800, 0xffec, 0xfe80, 0xe800, 0xffe8, 0xff00, 0xfff0, 0xf000,
	0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce,
	0x088c, 0x3110, 0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c,
	0xaaaa, 0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696, 0xa55a,
	0x73ce, 0x13c8, 0x324c, 0x3bdc, 0x6996, 0xc33c, 0x9966, 0x0660,
	0x0272, 0x04e4, 0x4e40, 0x2720, 0xc936, 0x936c, 0x39c6, 0x639c,
	0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22,
}

// triples holds the pixels of subsets 1 and 2 for each partition into three subsets.
var triples = [2][64]uint16{{
	0x08cc, 0x8cc8, 0xcc80, 0xec00, 0x3300, 0x00cc, 0xff00, 0xcccc,
	0x0f00, 0x0ff0, 0x00f0, 0x4444, 0x6666, 0x2222, 0x136c, 0x008c,
	0x36c8, 0x08ce, 0x3330, 0xf000, 0x00ee, 0x8888, 0x22c0, 0x4430,
	0x0c22, 0x0344, 0x6996, 0x9960, 0x0330, 0x0066, 0xc22c, 0x8c00,
	0x1300, 0xc400, 0x004c, 0x2222, 0x00f0, 0x2492, 0x2942, 0xc30c,
	0xc03c, 0x00aa, 0xaa00, 0x3030, 0xc0c0, 0x9090, 0xa00a, 0xaaa0,
	0x0aaa, 0xe0e0, 0x7070, 0x6660, 0x0ee0, 0x0770, 0x0666, 0x6600,
	0x0066, 0x0cc0, 0x0330, 0x6000, 0x8080, 0x1010, 0x000a, 0x08ce,
}, {
	0xf600, 0x7300, 0x3310, 0x00ce, 0xcc00, 0xcc00, 0x00cc, 0x3300,
	0xf000, 0xf000, 0xff00, 0x8888, 0x8888, 0xcccc, 0xec80, 0x7310,
	0xc800, 0x3100, 0xccc0, 0x0ccc, 0xee00, 0x7700, 0xcc00, 0x3300,
	0x00cc, 0xfc88, 0x0660, 0x6600, 0xc88c, 0xf900, 0x0cc0, 0x7310,
	0xec80, 0x08ce, 0xec80, 0x4444, 0x0f00, 0x4924, 0x4294, 0x0c30,
	0x03c0, 0xff00, 0x5500, 0xcccc, 0x0c0c, 0x6666, 0x0ff0, 0x5550,
	0xf000, 0x0e0e, 0x8888, 0x9990, 0xe00e, 0x8888, 0xf000, 0x9900,
	0xff00, 0xc00c, 0xcccc, 0x9000, 0x0808, 0xeeee, 0xfff0, 0x7310,
}}

// The index of an anchor pixel is stored without its top bit, which is 0. The anchor of subset 0 is
// always pixel 0.

// pairAnchors holds the anchor of subset 1 for each partition into two subsets.
var pairAnchors = [64]uint8{
	15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
	15, 2, 8, 2, 2, 8, 8, 15, 2, 8, 2, 2, 8, 8, 2, 2,
	15, 15, 6, 8, 2, 8, 15, 15, 2, 8, 2, 2, 2, 15, 15, 6,
	6, 2, 6, 8, 15, 15, 2, 2, 15, 15, 15, 15, 15, 2, 2, 15,
}

// tripleAnchors holds the anchors of subsets 1 and 2 for each partition into three subsets.
var tripleAnchors = [2][64]uint8{{
	3, 3, 15, 15, 8, 3, 15, 15, 8, 8, 6, 6, 6, 5, 3, 3,
	3, 3, 8, 15, 3, 3, 6, 10, 5, 8, 8, 6, 8, 5, 15, 15,
	8, 15, 3, 5, 6, 10, 8, 15, 15, 3, 15, 5, 15, 15, 15, 15,
	3, 15, 5, 5, 5, 8, 5, 10, 5, 10, 8, 13, 15, 12, 3, 3,
}, {
	15, 8, 8, 3, 15, 15, 3, 8, 15, 15, 15, 15, 15, 15, 15, 8,
	15, 8, 15, 3, 15, 8, 15, 8, 3, 15, 6, 10, 15, 15, 10, 8,
	15, 3, 15, 10, 10, 8, 9, 10, 6, 15, 8, 15, 3, 6, 6, 8,
	15, 3, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 3, 15, 15, 8,
}}

// Pair returns the pixels of subset 1 in a partition into two subsets, and the anchor of subset 1.
// BC6H uses the first 32 partitions as well.
func Pair(partition uint8) (mask uint16, anchor uint8) {
	return pairs[partition&63], pairAnchors[partition&63]
}
