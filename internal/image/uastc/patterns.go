package uastc

import "math/bits"

// A pattern splits a block among two or three lines.
type pattern struct {
	masks   [3]uint16 // pixels of each subset, the lowest bit for the first; pixels go row by row
	anchors [3]uint8  // the first pixel of each subset, whose index has 0 as its top bit
	lists   [3][]uint8
	subset  [16]uint8 // of each pixel
}

func newPatterns(subsets uint32, seeds []uint32) []pattern {
	all := make([]pattern, len(seeds))
	for i, seed := range seeds {
		p := &all[i]
		for at := range uint32(16) {
			s := subsetOf(seed, at%4, at/4, subsets)
			p.subset[at] = s
			p.masks[s] |= 1 << at
			p.lists[s] = append(p.lists[s], uint8(at))
		}
		for s := range subsets {
			p.anchors[s] = uint8(bits.TrailingZeros16(p.masks[s]))
		}
	}
	return all
}

// subsetOf returns the subset of a pixel of a 4x4 block.
//
// Source: Khronos Data Format Specification, "Partition Pattern Generation".
func subsetOf(seed, x, y, subsets uint32) uint8 {
	x, y = 2*x, 2*y // blocks of fewer than 31 pixels
	seed += (subsets - 1) * 1024
	n := hash52(seed)
	var s [8]uint32 // two for each subset, a square of four bits each
	for i := range s {
		v := n >> (4 * i) & 15
		s[i] = v * v
	}
	first, second := uint32(5), uint32(5)
	if seed&2 != 0 {
		first = 4
	}
	if subsets == 3 {
		second = 6
	}
	if seed&1 == 0 {
		first, second = second, first
	}
	for i := range s {
		if i%2 == 0 {
			s[i] >>= first
		} else {
			s[i] >>= second
		}
	}
	a := (s[0]*x + s[1]*y + n>>14) & 63
	b := (s[2]*x + s[3]*y + n>>10) & 63
	c := (s[4]*x + s[5]*y + n>>6) & 63
	if subsets < 3 {
		c = 0
	}
	switch {
	case a >= b && a >= c:
		return 0
	case b >= c:
		return 1
	}
	return 2
}

// hash52 is the hash of that section.
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
