package intern

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// murmur3x86 is MurmurHash3_x86_32 with seed 0. It stands here because the
// library at hand reads words at any address through an unsafe cast, which the
// checks of the race detector refuse.
func murmur3x86(s string) uint32 {
	const c1, c2 = 0xcc9e2d51, 0x1b873593
	b := unsafe.Slice(unsafe.StringData(s), len(s)) // only read, and not kept
	var h uint32
	for ; len(b) >= 4; b = b[4:] {
		h ^= bits.RotateLeft32(binary.LittleEndian.Uint32(b)*c1, 15) * c2
		h = bits.RotateLeft32(h, 13)*5 + 0xe6546b64
	}
	var tail uint32
	for i, c := range b {
		tail |= uint32(c) << (8 * i)
	}
	h ^= bits.RotateLeft32(tail*c1, 15) * c2
	h ^= uint32(len(s))
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}
