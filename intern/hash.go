package intern

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/zeebo/xxh3"

	"github.com/assetcook/assetcook/internal/lookup2"
	"github.com/assetcook/assetcook/internal/murmur3"
)

// Hash selects the hash function of a table.
type Hash uint8

const (
	// Seeded is this package's own hash. Each table has a random seed, so names that collide in one
	// table do not collide in another.
	Seeded Hash = iota
	// XXH3 is XXH3-64 without a seed, by Yann Collet,
	// https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md.
	XXH3
	// Lookup2 is Bob Jenkins's lookup2 with initial value 0,
	// https://www.burtleburtle.net/bob/hash/evahash.html.
	Lookup2
	// Murmur3 is MurmurHash3_x86_32 with seed 0, by Austin Appleby,
	// https://github.com/aappleby/smhasher/wiki/MurmurHash3.
	Murmur3

	hashes
)

// String returns the hash's name: seeded, xxh3, lookup2 or murmur3.
func (h Hash) String() string {
	switch h {
	case Seeded:
		return "seeded"
	case XXH3:
		return "xxh3"
	case Lookup2:
		return "lookup2"
	case Murmur3:
		return "murmur3"
	}
	return fmt.Sprintf("Hash(%d)", uint8(h))
}

// hasher computes the hashes of one table. The upper half of a hash selects the group; the lowest
// seven bits are the tag.
type hasher struct {
	hash Hash
	seed seed // the seed for Seeded
}

func (h *hasher) sum(name string) uint64 {
	switch h.hash {
	case XXH3:
		return xxh3.HashString(name)
	case Lookup2:
		return twice(lookup2.String(name, 0))
	case Murmur3:
		return twice(murmur3.String32(name, 0))
	}
	return h.seed.sum(name)
}

// twice repeats a 32-bit hash to make a 64-bit hash.
func twice(sum uint32) uint64 { return uint64(sum)<<32 | uint64(sum) }

// seed is four random words, none of them 0. If a word were 0, all names with zero bytes at one
// position would have the same hash.
type seed [4]uint64

// newSeed computes the seed with the given number, by SplitMix64.
func newSeed(number uint64) (s seed) {
	for i := range s {
		for s[i] == 0 {
			number += 0x9e3779b97f4a7c15
			x := (number ^ number>>30) * 0xbf58476d1ce4e5b9
			x = (x ^ x>>27) * 0x94d049bb133111eb
			s[i] = x ^ x>>31
		}
	}
	return s
}

// fold multiplies two words, and returns the XOR of the two halves of the 128-bit product.
func fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

// sum hashes 16 bytes with each folded multiplication, and finally mixes in the length. The last 16
// bytes may overlap earlier bytes. Words are little-endian, so a seed gives the same hashes on
// every machine.
func (s *seed) sum(name string) uint64 {
	n, p := len(name), unsafe.Pointer(unsafe.StringData(name))
	switch {
	case n > 32:
		var x, y uint64
		for rest := n; rest > 32; rest -= 32 {
			x, y = s.mix(p, 0, x), s.mix(unsafe.Add(p, 16), 2, y)
			p = unsafe.Add(p, 32)
		}
		e := unsafe.Add(unsafe.Pointer(unsafe.StringData(name)), n-32)
		return s.finish(s.mix(e, 0, x)^s.mix(unsafe.Add(e, 16), 2, y), n)
	case n > 16:
		return s.finish(s.mix(p, 0, 0)^s.mix(unsafe.Add(p, n-16), 2, 0), n)
	case n >= 8:
		return s.short(word(p, 0), word(p, n-8), n)
	case n >= 4:
		return s.short(uint64(half(p, 0)), uint64(half(p, n-4)), n)
	case n > 0:
		return s.short(uint64(name[0])|uint64(name[n/2])<<8|uint64(name[n-1])<<16, 0, n)
	}
	return s.short(0, 0, 0)
}

// mix mixes 16 bytes into a state, using words i and i+1 of the seed.
func (s *seed) mix(p unsafe.Pointer, i int, state uint64) uint64 {
	return fold(word(p, 0)^s[i]^state, word(p, 8)^s[i+1])
}

// short returns the hash of a name of up to 16 bytes. The words a and b together contain all bytes
// of the name.
func (s *seed) short(a, b uint64, n int) uint64 { return s.finish(fold(a^s[0], b^s[1]), n) }

func (s *seed) finish(state uint64, n int) uint64 { return fold(state^s[2], uint64(n)^s[3]) }
