package murmur3

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

const (
	mul32a = 0xcc9e2d51
	mul32b = 0x1b873593

	// BlockSize32 is the number of bytes that the hash mixes in at a time.
	BlockSize32 = 4
)

// Sum32 returns the 32-bit hash of b.
func Sum32(b []byte, seed uint32) uint32 {
	whole := len(b) / BlockSize32 * BlockSize32
	return Finish32(Blocks32(seed, b[:whole]), uint64(len(b)), b[whole:])
}

// String32 is Sum32 of the bytes of s, without a copy.
func String32(s string, seed uint32) uint32 {
	// The slice is neither written nor kept.
	return Sum32(unsafe.Slice(unsafe.StringData(s), len(s)), seed)
}

// Blocks32 mixes whole blocks into the state h, which begins as the seed, four at a time if
// possible, like State128.Blocks.
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

// Finish32 mixes in the tail, less than a block. The length enters modulo 2^32.
func Finish32(h uint32, total uint64, tail []byte) uint32 {
	var block [BlockSize32]byte
	copy(block[:], tail)
	h ^= scramble(binary.LittleEndian.Uint32(block[:])) ^ uint32(total)
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}
