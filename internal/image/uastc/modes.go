package uastc

import (
	"math/bits"
	"sync"

	"github.com/assetcook/assetcook/internal/image/astc"
)

// A layout holds the number of bits of each field in a mode's blocks. The order of the fields is:
// the mode's prefix, hints, pattern, the channel of the second plane, digits of endpoints, bits of
// endpoints, weights. Bits are counted from the lowest bit of the first byte.
type layout struct {
	prefix     uint8 // first bits of each block of the mode
	prefixBits uint8 // number of bits of the prefix
	subsets    uint8
	planes     uint8
	channels   uint8 // number of endpoint channels; 2 for gray (one value for red, green and blue) and alpha
	weight     uint8 // number of bits of a weight index
	ends       *scale
	patterns   []pattern // patterns that split the pixels into subsets; nil for one subset
	bias       bool      // true if the mode has a hint for the bias of ETC1, and the second hint for BC1
	loss       int64     // half of the squared error that transcoding to BC7 adds; 0 if it is small
}

// modeSolid is the mode of blocks of one color, which store only the color and hints.
const modeSolid = 8

func newModeLayouts() [19]layout {
	return [...]layout{
		0:  {prefix: 0x1, prefixBits: 4, subsets: 1, planes: 1, channels: 3, weight: 4, ends: scale192, bias: true},
		1:  {prefix: 0x35, prefixBits: 6, subsets: 1, planes: 1, channels: 3, weight: 2, ends: scale256, bias: true},
		2:  {prefix: 0x1d, prefixBits: 5, subsets: 2, planes: 1, channels: 3, weight: 3, ends: scale16, patterns: pairs, bias: true},
		3:  {prefix: 0x3, prefixBits: 5, subsets: 3, planes: 1, channels: 3, weight: 2, ends: scale12, patterns: triples, bias: true},
		4:  {prefix: 0x13, prefixBits: 5, subsets: 2, planes: 1, channels: 3, weight: 2, ends: scale40, patterns: pairs, bias: true},
		5:  {prefix: 0xb, prefixBits: 5, subsets: 1, planes: 1, channels: 3, weight: 3, ends: scale256, bias: true},
		6:  {prefix: 0x1b, prefixBits: 5, subsets: 1, planes: 2, channels: 3, weight: 2, ends: scale160, bias: true},
		7:  {prefix: 0x7, prefixBits: 5, subsets: 2, planes: 1, channels: 3, weight: 2, ends: scale40, patterns: otherPairs, bias: true, loss: 80},
		8:  {prefix: 0x17, prefixBits: 5},
		9:  {prefix: 0xf, prefixBits: 5, subsets: 2, planes: 1, channels: 4, weight: 2, ends: scale16, patterns: pairs, bias: true},
		10: {prefix: 0x2, prefixBits: 3, subsets: 1, planes: 1, channels: 4, weight: 4, ends: scale48},
		11: {prefix: 0x0, prefixBits: 2, subsets: 1, planes: 2, channels: 4, weight: 2, ends: scale48},
		12: {prefix: 0x6, prefixBits: 3, subsets: 1, planes: 1, channels: 4, weight: 3, ends: scale192},
		13: {prefix: 0x1f, prefixBits: 5, subsets: 1, planes: 2, channels: 4, weight: 1, ends: scale256, bias: true},
		14: {prefix: 0xd, prefixBits: 5, subsets: 1, planes: 1, channels: 4, weight: 2, ends: scale256, bias: true},
		15: {prefix: 0x5, prefixBits: 7, subsets: 1, planes: 1, channels: 2, weight: 4, ends: scale256, bias: true},
		16: {prefix: 0x15, prefixBits: 6, subsets: 2, planes: 1, channels: 2, weight: 2, ends: scale256, patterns: pairs, bias: true, loss: 70},
		17: {prefix: 0x25, prefixBits: 6, subsets: 1, planes: 2, channels: 2, weight: 2, ends: scale256, bias: true},
		18: {prefix: 0x9, prefixBits: 4, subsets: 1, planes: 1, channels: 3, weight: 5, ends: scale32, bias: true, loss: 70},
	}
}

// hasAlphaEnds reports whether endpoints have alpha.
func (l *layout) hasAlphaEnds() bool { return l.channels != 3 }

// channelOrder lists the channels of endpoints in stored order.
func (l *layout) channelOrder() []uint8 {
	switch l.channels {
	case 2:
		return orders[2][:]
	case 3:
		return orders[0][:]
	}
	return orders[1][:]
}

var orders = [3][]uint8{{0, 1, 2}, {0, 1, 2, 3}, {0, 3}}

// weights holds the weight of the second endpoint, in 64ths. The first index is the number of index
// bits.
var weights = [6][32]uint8{
	1: {0, 64},
	2: {0, 21, 43, 64},
	3: {0, 9, 18, 27, 37, 46, 55, 64},
	4: {0, 4, 8, 12, 17, 21, 25, 29, 35, 39, 43, 47, 52, 56, 60, 64},
	5: {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62, 64},
}

// A code holds the fields of a block.
type code struct {
	mode    uint8
	pattern uint8
	plane   uint8          // channel of the second plane, in modes with two planes
	ends    [3][2][4]uint8 // quantized endpoints; for gray, red represents all three colors
	index   [2][16]uint8   // indices of the first plane and of the second plane
	solid   [4]uint8       // color of a block in the solid mode
}

// newModes returns the table of modes by the lowest seven bits of a block. Mode 19 is reserved.
func newModes() (t [128]uint8) {
	for first := range t {
		t[first] = 19
		for mode, l := range &layouts {
			if first&(1<<l.prefixBits-1) == int(l.prefix) {
				t[first] = uint8(mode)
			}
		}
	}
	return t
}

// A pattern splits a block into two or three subsets.
type pattern struct {
	masks   [3]uint16 // mask of the pixels of each subset; bits are row by row from the lowest
	anchors [3]uint8  // pixel in each subset whose index has a top bit of 0
	lists   [3][]uint8
	subset  [16]uint8 // subset of each pixel
}

// newPatterns returns ASTC's patterns for the given seeds.
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

// prepare computes these tables.
var (
	layouts [19]layout
	modeOf  [128]uint8
	indexAt [6][1025]uint8

	// These patterns exist in both ASTC and BC7. pairs and triples are equal in both formats.
	// otherPairs holds patterns with three subsets in BC7; two of them are merged.
	//
	// Source: "UASTC LDR 4x4 Texture Specification", tables of common partition patterns.
	pairs, otherPairs, triples []pattern

	// The scales that modes use, by number of levels.
	scale12, scale16, scale32, scale40, scale48, scale160, scale192, scale256 *scale
)

// prepare computes the tables on its first call.
var prepare = sync.OnceFunc(func() {
	pairSeeds := astc.PairSeeds()
	pairs = newPatterns(2, pairSeeds[:])
	otherPairs = newPatterns(2, []int{
		36, 48, 61, 137, 161, 183, 226, 281, 302, 307, 479, 495, 593, 594, 605, 799, 812, 988, 993,
	})
	triples = newPatterns(3, []int{260, 74, 32, 156, 183, 15, 745, 0, 335, 902, 254})
	scale12, scale16, scale32, scale40 = tabulateScale(2, 3), tabulateScale(4, 1), tabulateScale(5, 1), tabulateScale(3, 5)
	scale48, scale160, scale192, scale256 = tabulateScale(4, 3), tabulateScale(5, 5), tabulateScale(6, 3), tabulateScale(8, 1)
	layouts = newModeLayouts()
	modeOf, indexAt = newModes(), newIndices()
})
