package intern

import (
	"fmt"

	"github.com/zeebo/xxh3"

	"github.com/assetcook/assetcook/internal/lookup2"
	"github.com/assetcook/assetcook/internal/murmur3"
)

// Hash says which 32-bit hash of the names a table uses.
type Hash uint8

const (
	// XXH3 is the low half of XXH3-64 without seed, by Yann Collet,
	// https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md.
	XXH3 Hash = iota
	// Lookup2 is Bob Jenkins' lookup2 with initial value 0,
	// https://www.burtleburtle.net/bob/hash/evahash.html.
	Lookup2
	// Murmur3 is MurmurHash3_x86_32 with seed 0, by Austin Appleby,
	// https://github.com/aappleby/smhasher/wiki/MurmurHash3.
	Murmur3

	hashes // their number
)

// String returns the hash's name: xxh3, lookup2 or murmur3.
func (h Hash) String() string {
	switch h {
	case XXH3:
		return "xxh3"
	case Lookup2:
		return "lookup2"
	case Murmur3:
		return "murmur3"
	}
	return fmt.Sprintf("Hash(%d)", uint8(h))
}

// Sum32 returns the hash of s. It panics if h is none of the constants.
func (h Hash) Sum32(s string) uint32 {
	switch h {
	case XXH3:
		return uint32(xxh3.HashString(s))
	case Lookup2:
		return lookup2.String(s, 0)
	case Murmur3:
		return murmur3.String32(s, 0)
	}
	panic("intern: " + h.String() + " is no hash")
}
