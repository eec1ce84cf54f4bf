package uastc

import "sync"

// Tables that prepare makes.
var (
	layouts [19]layout
	modeOf  [128]uint8
	indexAt [6][1025]uint8

	// The patterns are those of ASTC that BC7 has as well, by their seeds in ASTC. pairs and
	// triples are the same in both; otherPairs are BC7's of three subsets, two of them taken
	// together.
	//
	// Source: "UASTC LDR 4x4 Texture Specification", tables of common partition patterns.
	pairs, otherPairs, triples []pattern

	// The scales that modes use, by their number of levels.
	scale12, scale16, scale32, scale40, scale48, scale160, scale192, scale256 *scale
)

// prepare makes the tables, once. Programs that make no such textures do not pay for them.
var prepare = sync.OnceFunc(func() {
	pairs = newPatterns(2, []int{
		28, 20, 16, 29, 91, 9, 107, 72, 149, 204, 50, 114, 496, 17, 78, 39,
		252, 828, 43, 156, 116, 210, 476, 273, 684, 359, 246, 195, 694, 524,
	})
	otherPairs = newPatterns(2, []int{
		36, 48, 61, 137, 161, 183, 226, 281, 302, 307, 479, 495, 593, 594, 605, 799, 812, 988, 993,
	})
	triples = newPatterns(3, []int{260, 74, 32, 156, 183, 15, 745, 0, 335, 902, 254})
	scale12, scale16, scale32, scale40 = newScale(2, 3), newScale(4, 1), newScale(5, 1), newScale(3, 5)
	scale48, scale160, scale192, scale256 = newScale(4, 3), newScale(5, 5), newScale(6, 3), newScale(8, 1)
	layouts = newLayouts()
	modeOf, indexAt = newModes(), newIndices()
})
