package uastc

import (
	"math/bits"

	"github.com/assetcook/assetcook/internal/image/astc"
)

// A pattern splits a block among two or three lines.
type pattern struct {
	masks   [3]uint16 // pixels of each subset, the lowest bit for the first; pixels go row by row
	anchors [3]uint8  // the first pixel of each subset, whose index has 0 as its top bit
	lists   [3][]uint8
	subset  [16]uint8 // of each pixel
}

// newPatterns returns those of ASTC that have the seeds.
func newPatterns(subsets int, seeds []int) []pattern {
	all := make([]pattern, len(seeds))
	for i, seed := range seeds {
		p := &all[i]
		for at := range 16 {
			s := uint8(astc.Partition(seed, at%4, at/4, subsets, true))
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
