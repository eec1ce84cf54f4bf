package hashing

import (
	"hash"
	"hash/adler32"
)

func adlerFunc() Func {
	narrow := func(b []byte) Sum128 { return Sum128{Lo: uint64(adler32.Checksum(b))} }
	return Func{
		Name:   "adler32",
		Size:   adler32.Size,
		Source: "RFC 1950 section 8.2, zlib",
		Check:  "091e01de",
		narrow: narrow,
		stream: func() hash.Hash { return adler32.New() },
		joints: narrowJoints(adler32.Size, narrow, func() func(a, b uint64, lenB int64) uint64 { return adlerCombine }),
	}
}

// adlerCombine returns the sum of a followed by b. Each half is a sum modulo the largest prime
// below 2^16: the low half of 1 and all bytes, the high half of all values of the low half. Both
// inputs began with a low half of 1. So in the concatenation each low half of b is greater by a's
// low half minus 1.
func adlerCombine(a, b uint64, lenB int64) uint64 {
	const prime = 65521
	above := (a&0xffff + prime - 1) % prime
	low := (above + b&0xffff) % prime
	high := (a>>16 + b>>16 + above*(uint64(lenB)%prime)) % prime
	return high<<16 | low
}
