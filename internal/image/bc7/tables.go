package bc7

import (
	"math/bits"
	"sync"
)

// tables are what is looked up.
type tables struct {
	// exact has the ends of mode 5 whose blend at index 1 is a byte.
	exact [256][2]uint8
	// lists has the pixels of subset 0 and then of subset 1, of the partitions into two.
	lists [64][16]uint8
	first [64]uint8 // pixels of subset 0
	// near has the partitions into two that differ least from each set of pixels; a set
	// is without its bit 0, which is 0.
	near [1 << 15][nearest]uint8
}

// nearest is how many partitions are listed as near.
const nearest = 4

var tablesOf = sync.OnceValue(func() *tables {
	t := new(tables)
	for a := range uint8(128) {
		for b := range uint8(128) {
			t.exact[blend(expand(a, 7), expand(b, 7), 21)] = [2]uint8{a, b}
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

// nearestTo returns the partitions that are nearest to a set or to what it leaves.
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

// solid returns the block of one color, which is exact.
func (t *tables) solid(r, g, b, a uint8) [16]byte {
	c := code{mode: 5}
	t.setColor(&c, lanesOf(uint64(r), uint64(g), uint64(b)))
	c.ends[0][0][3], c.ends[0][1][3] = a, a
	return c.pack()
}

// setColor makes the color of a code in mode 5 the same in all pixels, and exact.
func (t *tables) setColor(c *code, rgb uint64) {
	for channel := range 3 {
		ends := t.exact[rgb>>(lane*channel&63)&255]
		c.ends[0][0][channel], c.ends[0][1][channel] = ends[0], ends[1]
	}
	for i := range c.index {
		c.index[i] = 1
	}
}
