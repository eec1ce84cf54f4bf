package astc

import (
	"math/bits"
	"slices"
)

// A pixelSet is a set of pixels of a block, one bit per pixel.
type pixelSet [4]uint64

func (s *pixelSet) hasPixel(i int) bool { return s[i>>6&3]>>(i&63)&1 != 0 }

func (s *pixelSet) addPixel(i int) { s[i>>6&3] |= 1 << (i & 63) }

func (s *pixelSet) countPixels() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// allPixels returns the set of all pixels of a block.
func (f *format) allPixels() (all pixelSet) {
	for i := range f.pixels {
		all.addPixel(i)
	}
	return all
}

// without returns the pixels of s that are not in other.
func (s pixelSet) without(other *pixelSet) pixelSet {
	for i, word := range other {
		s[i] &^= word
	}
	return s
}

// A partition holds the pixels of each part.
type partition [maxParts]pixelSet

// A splitTable holds the distinct partitions of a block into one number of parts. The words of a
// partition's sets are stored one after another, without unused words.
type splitTable struct {
	seeds        []uint16
	parts, words int
	bits         []uint64
}

// wordsAt returns the words of partition i.
func (t *splitTable) wordsAt(i int) []uint64 {
	n := t.parts * t.words
	return t.bits[n*i : n*i+n]
}

// partitionAt returns partition i.
func (t *splitTable) partitionAt(i int) (p partition) {
	all := t.wordsAt(i)
	for k := range t.parts {
		copy(p[k][:], all[k*t.words:][:t.words])
	}
	return p
}

// splitsOf returns the distinct partitions of a block into n parts, regardless of the order of parts.
func splitsOf(size Size, n int) *splitTable {
	t := &splitTable{parts: n, words: (size.W*size.H + 63) / 64}
	seen := map[partition]bool{}
	for seed := range 1024 {
		p := partitionOf(seed, size, n)
		sorted := p
		slices.SortFunc(sorted[:n], func(a, b pixelSet) int { return slices.Compare(a[:], b[:]) })
		if seen[sorted] || sorted[0] == (pixelSet{}) {
			continue
		}
		seen[sorted] = true
		t.seeds = append(t.seeds, uint16(seed))
		for k := range n {
			t.bits = append(t.bits, p[k][:t.words]...)
		}
	}
	return t
}

// partitionOf returns the parts of a block's pixels.
func partitionOf(seed int, size Size, n int) (p partition) {
	for y := range size.H {
		for x := range size.W {
			p[Partition(seed, x, y, n, size.isSmall())].addPixel(y*size.W + x)
		}
	}
	return p
}

// isSmall reports whether the format doubles the pixel coordinates in partition patterns for this
// block size.
func (s Size) isSmall() bool { return s.W*s.H < 31 }

// maxPartitions is the maximum number of parts in a block.
const maxPartitions = 4

// Partition returns the part of pixel x, y in a block with the given number of parts. small must be
// set for blocks of less than 31 pixels. Source: Khronos Data Format Specification 1.4, chapter 23,
// "Partition Pattern Generation".
func Partition(seed, x, y, parts int, small bool) int {
	if small {
		x, y = 2*x, 2*y
	}
	seed += (parts - 1) * 1024
	n := hash52(uint32(seed))
	var s [8]int
	for i := range s {
		v := int(n >> (4 * i) & 15)
		s[i] = v * v
	}
	first, second := 5, 5
	if seed&2 != 0 {
		first = 4
	}
	if parts == 3 {
		second = 6
	}
	if seed&1 == 0 {
		first, second = second, first
	}
	at := func(i, shift int) int {
		return (s[2*i]>>first*x + s[2*i+1]>>second*y + int(n>>shift)) & 63
	}
	a, b, c, d := at(0, 14), at(1, 10), 0, 0
	if parts >= 3 {
		c = at(2, 6)
	}
	if parts >= 4 {
		d = at(3, 2)
	}
	switch {
	case a >= b && a >= c && a >= d:
		return 0
	case b >= c && b >= d:
		return 1
	case c >= d:
		return 2
	}
	return 3
}

func hash52(p uint32) uint32 {
	p ^= p >> 15
	p -= p << 17
	p += p << 7
	p += p << 4
	p ^= p >> 5
	p += p << 16
	p ^= p >> 7
	p ^= p >> 3
	p ^= p << 6
	p ^= p >> 17
	return p
}
