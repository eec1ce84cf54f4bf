// Package murmur3 implements Austin Appleby's MurmurHash3 in its two common variants,
// MurmurHash3_x86_32 and MurmurHash3_x64_128
// (https://github.com/aappleby/smhasher/wiki/MurmurHash3). There are one-shot functions, and
// functions for streams.
//
// The common library (spaolacci/murmur3) reads words directly from memory. This faults on some
// processors if the slice is unaligned, and gives different sums on big-endian processors. Both
// functions here read little-endian words at any address. Plain Go is as fast, because each step of
// the hash waits for the previous step.
package murmur3

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

const (
	mul128a = 0x87c37b91114253d5
	mul128b = 0x4cf5ad432745937f

	// BlockSize128 is the number of bytes that the hash processes at a time.
	BlockSize128 = 16
)

// State128 holds the two words of the state. Initialize both with the seed.
type State128 struct{ H1, H2 uint64 }

// Sum128 returns the two words of the 128-bit hash of b; hi is the first.
func Sum128(b []byte, seed uint32) (hi, lo uint64) {
	s := State128{uint64(seed), uint64(seed)}
	whole := len(b) / BlockSize128 * BlockSize128
	return s.Blocks(b[:whole]).Finish(uint64(len(b)), b[whole:])
}

// Blocks processes whole blocks, two at a time if possible. So the processor can mix the words of
// the second block while it still processes the first.
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

// Finish processes the tail, which is shorter than a block. It returns the sum of the whole input,
// which has total bytes.
func (s State128) Finish(total uint64, tail []byte) (hi, lo uint64) {
	var k1, k2 uint64 // mixing a zero word gives zero
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

// partialWord returns a little-endian word of fewer than 8 bytes. Its reads overlap, so that no
// branch depends on the exact length.
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

const (
	mul32a = 0xcc9e2d51
	mul32b = 0x1b873593

	// BlockSize32 is the number of bytes that the hash processes at a time.
	BlockSize32 = 4
)

// Sum32 returns the 32-bit hash of b.
func Sum32(b []byte, seed uint32) uint32 {
	whole := len(b) / BlockSize32 * BlockSize32
	return Finish32(Blocks32(seed, b[:whole]), uint64(len(b)), b[whole:])
}

// String32 returns Sum32 of the bytes of s, without a copy.
func String32(s string, seed uint32) uint32 {
	// Sum32 neither modifies nor retains the slice.
	return Sum32(unsafe.Slice(unsafe.StringData(s), len(s)), seed)
}

// Blocks32 processes whole blocks with the state h, four at a time if possible. The initial state
// is the seed.
func Blocks32(h uint32, p []byte) uint32 {
	for len(p) >= 4*BlockSize32 {
		b := (*[4 * BlockSize32]byte)(p)
		k1 := scramble(binary.LittleEndian.Uint32(b[0:]))
		k2 := scramble(binary.LittleEndian.Uint32(b[4:]))
		k3 := scramble(binary.LittleEndian.Uint32(b[8:]))
		k4 := scramble(binary.LittleEndian.Uint32(b[12:]))
		h = bits.RotateLeft32(h^k1, 13)*5 + 0xe6546b64
		h = bits.RotateLeft32(h^k2, 13)*5 + 0xe6546b64
		h = bits.RotateLeft32(h^k3, 13)*5 + 0xe6546b64
		h = bits.RotateLeft32(h^k4, 13)*5 + 0xe6546b64
		p = p[4*BlockSize32:]
	}
	for ; len(p) >= BlockSize32; p = p[BlockSize32:] {
		h = bits.RotateLeft32(h^scramble(binary.LittleEndian.Uint32(p)), 13)*5 + 0xe6546b64
	}
	return h
}

func scramble(k uint32) uint32 { return bits.RotateLeft32(k*mul32a, 15) * mul32b }

// Finish32 processes the tail, which is shorter than a block. The length is used modulo 2^32.
func Finish32(h uint32, total uint64, tail []byte) uint32 {
	var block [BlockSize32]byte
	copy(block[:], tail)
	h ^= scramble(binary.LittleEndian.Uint32(block[:])) ^ uint32(total)
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}
