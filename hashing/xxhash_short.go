package hashing

import (
	"encoding/binary"
	"math/bits"

	"github.com/cespare/xxhash/v2"
	"github.com/zeebo/xxh3"
)

// The functions below process short inputs, and leave longer ones to the libraries. A call to a
// library would add 1.3 ns, which is half of the time that XXH3 takes for 16 bytes. Constants have
// the names of the xxHash specification.

const (
	xxhPrime32x2 = 0x85ebca77

	xxhPrime64x1 = 0x9e3779b185ebca87
	xxhPrime64x2 = 0xc2b2ae3d27d4eb4f
	xxhPrime64x3 = 0x165667b19e3779f9
	xxhPrime64x4 = 0x85ebca77c2b2ae63
	xxhPrime64x5 = 0x27d4eb2f165667c5

	xxhPrimeMX1 = 0x165667919e3779f9
	xxhPrimeMX2 = 0x9fb21c651e98df25
)

// These are words of XXH3's default secret, named by their offsets.
const (
	xxh3Secret0  = 0xbe4ba423396cfeb8
	xxh3Secret8  = 0x1cad21f72c81017c
	xxh3Secret16 = 0xdb979083e96dd4de
	xxh3Secret24 = 0x1f67b3b7a4a44072
	xxh3Secret32 = 0x78e5c0cc4ee679cb
	xxh3Secret40 = 0x2172ffcc7dd05a82
	xxh3Secret48 = 0x8e2443f7744608b8
	xxh3Secret56 = 0x4c263a81e69035e0
)

func xxh3Sum(b []byte) uint64 {
	n := len(b)
	switch {
	case 9 <= n && n <= 16:
		low := binary.LittleEndian.Uint64(b) ^ xxh3Secret24 ^ xxh3Secret32
		high := binary.LittleEndian.Uint64(b[n-8:]) ^ xxh3Secret40 ^ xxh3Secret48
		productHigh, productLow := bits.Mul64(low, high)
		return xxh3Avalanche(uint64(n) + bits.ReverseBytes64(low) + high + (productHigh ^ productLow))
	case 4 <= n && n <= 8:
		v := uint64(binary.LittleEndian.Uint32(b))<<32 + uint64(binary.LittleEndian.Uint32(b[n-4:]))
		v ^= xxh3Secret8 ^ xxh3Secret16
		v ^= bits.RotateLeft64(v, 49) ^ bits.RotateLeft64(v, 24)
		v *= xxhPrimeMX2
		v ^= v>>35 + uint64(n)
		v *= xxhPrimeMX2
		return v ^ v>>28
	case 17 <= n && n <= 64:
		v := uint64(n) * xxhPrime64x1
		if n > 32 {
			v += xxh3Mix(b[16:], xxh3Secret32, xxh3Secret40) + xxh3Mix(b[n-32:], xxh3Secret48, xxh3Secret56)
		}
		v += xxh3Mix(b, xxh3Secret0, xxh3Secret8) + xxh3Mix(b[n-16:], xxh3Secret16, xxh3Secret24)
		return xxh3Avalanche(v)
	}
	return xxh3.Hash(b)
}

// xxh3Mix mixes 16 bytes with two words of the secret.
func xxh3Mix(b []byte, secret1, secret2 uint64) uint64 {
	high, low := bits.Mul64(binary.LittleEndian.Uint64(b)^secret1, binary.LittleEndian.Uint64(b[8:])^secret2)
	return high ^ low
}

func xxh128Sum(b []byte) Sum128 {
	n := len(b)
	switch {
	case 9 <= n && n <= 16:
		last := binary.LittleEndian.Uint64(b[n-8:])
		high, low := bits.Mul64(binary.LittleEndian.Uint64(b)^last^xxh3Secret32^xxh3Secret40, xxhPrime64x1)
		last ^= xxh3Secret48 ^ xxh3Secret56
		low += uint64(n-1) << 54
		high += last>>32<<32 + uint64(uint32(last))*xxhPrime32x2
		low ^= bits.ReverseBytes64(high)
		carry, low := bits.Mul64(low, xxhPrime64x2)
		return Sum128{xxh3Avalanche(carry + high*xxhPrime64x2), xxh3Avalanche(low)}
	case 4 <= n && n <= 8:
		v := uint64(binary.LittleEndian.Uint32(b[n-4:]))<<32 + uint64(binary.LittleEndian.Uint32(b))
		high, low := bits.Mul64(v^xxh3Secret16^xxh3Secret24, xxhPrime64x1+uint64(n)<<2)
		high += low << 1
		low ^= high >> 3
		low = (low ^ low>>35) * xxhPrimeMX2
		return Sum128{xxh3Avalanche(high), low ^ low>>28}
	}
	sum := xxh3.Hash128(b)
	return Sum128{sum.Hi, sum.Lo}
}

func xxh3Avalanche(v uint64) uint64 {
	v = (v ^ v>>37) * xxhPrimeMX1
	return v ^ v>>32
}

// xxh64Sum returns the XXH64 of b. Inputs shorter than a block of 32 bytes do not use the lanes.
func xxh64Sum(b []byte) uint64 {
	if len(b) >= 32 {
		return xxhash.Sum64(b)
	}
	v := xxhPrime64x5 + uint64(len(b))
	if len(b) >= 16 {
		v = xxh64Lane(xxh64Lane(v, binary.LittleEndian.Uint64(b)), binary.LittleEndian.Uint64(b[8:]))
		b = b[16:]
	}
	if len(b) >= 8 {
		v = xxh64Lane(v, binary.LittleEndian.Uint64(b))
		b = b[8:]
	}
	if len(b) >= 4 {
		v ^= uint64(binary.LittleEndian.Uint32(b)) * xxhPrime64x1
		v = bits.RotateLeft64(v, 23)*xxhPrime64x2 + xxhPrime64x3
		b = b[4:]
	}
	for _, c := range b {
		v = bits.RotateLeft64(v^uint64(c)*xxhPrime64x5, 11) * xxhPrime64x1
	}
	v = (v ^ v>>33) * xxhPrime64x2
	v = (v ^ v>>29) * xxhPrime64x3
	return v ^ v>>32
}

func xxh64Lane(v, word uint64) uint64 {
	v ^= bits.RotateLeft64(word*xxhPrime64x2, 31) * xxhPrime64x1
	return bits.RotateLeft64(v, 27)*xxhPrime64x1 + xxhPrime64x4
}
