// Package murmur3 is Austin Appleby's MurmurHash3 in its two common forms, MurmurHash3_x86_32 and
// MurmurHash3_x64_128 (https://github.com/aappleby/smhasher/wiki/MurmurHash3), in one call and, for
// streams, in steps.
//
// The common library (spaolacci/murmur3) reads words at the address of the slice, which faults on
// some processors and gives other sums on big-endian ones. Both functions here read little-endian
// words at any address. Plain Go is as fast, because each step waits for the one before.
package murmur3

import (
	"encoding/binary"
	"math/bits"
)

const (
	mul128a = 0x87c37b91114253d5
	mul128b = 0x4cf5ad432745937f

	// BlockSize128 is the number of bytes that the hash mixes in at a time.
	BlockSize128 = 16
)

// State128 is the running pair of words; both begin as the seed.
type State128 struct{ H1, H2 uint64 }

// Sum128 returns the two words of the 128-bit hash of b, the first as hi.
func Sum128(b []byte, seed uint32) (hi, lo uint64) {
	s := State128{uint64(seed), uint64(seed)}
	whole := len(b) / BlockSize128 * BlockSize128
	return s.Blocks(b[:whole]).Finish(uint64(len(b)), b[whole:])
}

// Blocks mixes in whole blocks, two at a time if possible: the second block's words are scrambled
// while the first is still being mixed in.
func (s State128) Blocks(p []byte) State128 {
	h1, h2 := s.H1, s.H2
	for len(p) >= 2*BlockSize128 {
		b := (*[2 * BlockSize128]byte)(p)
		k1 := scramble1(binary.LittleEndian.Uint64(b[0:]))
		k2 := scramble2(binary.LittleEndian.Uint64(b[8:]))
		k3 := scramble1(binary.LittleEndian.Uint64(b[16:]))
		k4 := scramble2(binary.LittleEndian.Uint64(b[24:]))
		h1 = (bits.RotateLeft64(h1^k1, 27)+h2)*5 + 0x52dce729
		h2 = (bits.RotateLeft64(h2^k2, 31)+h1)*5 + 0x38495ab5
		h1 = (bits.RotateLeft64(h1^k3, 27)+h2)*5 + 0x52dce729
		h2 = (bits.RotateLeft64(h2^k4, 31)+h1)*5 + 0x38495ab5
		p = p[2*BlockSize128:]
	}
	if len(p) >= BlockSize128 {
		b := (*[BlockSize128]byte)(p)
		k1 := scramble1(binary.LittleEndian.Uint64(b[0:]))
		k2 := scramble2(binary.LittleEndian.Uint64(b[8:]))
		h1 = (bits.RotateLeft64(h1^k1, 27)+h2)*5 + 0x52dce729
		h2 = (bits.RotateLeft64(h2^k2, 31)+h1)*5 + 0x38495ab5
	}
	return State128{h1, h2}
}

func scramble1(k uint64) uint64 { return bits.RotateLeft64(k*mul128a, 31) * mul128b }
func scramble2(k uint64) uint64 { return bits.RotateLeft64(k*mul128b, 33) * mul128a }

// Finish mixes in the tail, less than a block, and returns the sum of the whole input of total
// bytes.
func (s State128) Finish(total uint64, tail []byte) (hi, lo uint64) {
	var k1, k2 uint64 // scrambling zero gives zero
	if len(tail) >= 8 {
		k1, k2 = binary.LittleEndian.Uint64(tail), partialWord(tail[8:])
	} else {
		k1 = partialWord(tail)
	}
	h1 := s.H1 ^ scramble1(k1) ^ total
	h2 := s.H2 ^ scramble2(k2) ^ total
	h1 += h2
	h2 += h1
	h1, h2 = fmix64(h1), fmix64(h2)
	h1 += h2
	h2 += h1
	return h1, h2
}

// partialWord returns a little-endian word of fewer than 8 bytes. Reads overlap in the middle, so
// that no branch depends on the exact length.
func partialWord(b []byte) uint64 {
	n := len(b)
	switch {
	case n >= 4:
		return uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<(8*(n-4))
	case n > 0:
		return uint64(b[0]) | uint64(b[n/2])<<(8*(n/2)) | uint64(b[n-1])<<(8*(n-1))
	}
	return 0
}

func fmix64(k uint64) uint64 {
	k = (k ^ k>>33) * 0xff51afd7ed558ccd
	k = (k ^ k>>33) * 0xc4ceb9fe1a85ec53
	return k ^ k>>33
}
