package intern

import (
	"math/bits"
	"sync/atomic"
)

// A group is eight positions of the hash table. It stores the places of eight records, and a word
// with their tags, the first in the lowest byte. A tag is seven bits of the name's hash below a set
// bit. The tag 0 marks a free position. Positions are filled in order.
type group struct {
	tags   atomic.Uint64
	places [groupLen]uint32
}

const (
	groupLen  = 8
	groupSize = 8 + 4*groupLen
	everyByte = 0x0101010101010101
	topBits   = 0x80 * everyByte
)

// tagsOf returns a word that contains the tag of a hash in each byte.
func tagsOf(hash uint64) uint64 { return (hash&0x7f | 0x80) * everyByte }

// candidates compares each byte of tags with the same byte of wanted, and sets the top bit of the
// result's byte if they are equal. It may also set the top bit of a byte that differs, above an
// equal byte. It never sets the bit of a free position, whose tag has a different top bit.
func candidates(tags, wanted uint64) uint64 {
	x := tags ^ wanted
	return (x - everyByte) &^ x & topBits
}

// position returns the position of the first candidate.
func position(found uint64) int { return bits.TrailingZeros64(found) / 8 }

// full reports whether no position is free.
func full(tags uint64) bool { return tags&topBits == topBits }

// groupOf returns the first group of the search for a hash, a number from 0 to n-1.
func groupOf(hash uint64, n int) int { return int(hash >> 32 * uint64(n) >> 32) }

// groupsFor returns the number of groups for a number of names. On average 3.6 of 8 positions are
// used, and one group in about 90 overflows.
func groupsFor(names int) int { return names*5/18 + 1 }
