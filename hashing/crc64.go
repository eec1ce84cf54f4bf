package hashing

import (
	"hash"
	"hash/crc64"
	"sync"
)

// crc64Table is made on first use: it takes longer than the rest of the registry.
var crc64Table = sync.OnceValue(func() *crc64.Table { return crc64.MakeTable(crc64.ECMA) })

func crc64Func() Func {
	narrow := func(b []byte) Sum128 { return Sum128{Lo: crc64.Checksum(b, crc64Table())} }
	return Func{
		Name:   "crc64",
		Size:   crc64.Size,
		Source: "ECMA-182's polynomial as xz uses it, reflected, with ones before and after; CRC-64/XZ in the RevEng catalogue",
		Check:  "995dc9bbdf1939fa",
		narrow: narrow,
		stream: func() hash.Hash { return crc64.New(crc64Table()) },
		joints: narrowJoints(crc64.Size, narrow, crc64Combiner),
	}
}

// crc64Combiner returns a function that gives the sum of a followed by b from
// their sums, as the remainder of a*x^(8*lenB) plus that of b; the ones before and
// after cancel. It remembers the power of the last length, since all blocks of a
// file but the last have one.
func crc64Combiner() func(a, b uint64, lenB int64) uint64 {
	var length int64
	power := crc64One
	return func(a, b uint64, lenB int64) uint64 {
		if lenB != length {
			length, power = lenB, crc64Power(lenB)
		}
		return crc64Multiply(a, power) ^ b
	}
}

// Polynomials over GF(2) modulo ECMA-182's, lowest power first: the highest bit is
// the coefficient of x^0.
const crc64One = uint64(1) << 63

// crc64Power returns x^(8n) for n >= 0 by squaring.
func crc64Power(n int64) uint64 {
	power, square := crc64One, crc64One>>8
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			power = crc64Multiply(power, square)
		}
		square = crc64Multiply(square, square)
	}
	return power
}

func crc64Multiply(a, b uint64) uint64 {
	var product uint64
	for ; a != 0; a <<= 1 {
		product ^= b & -(a >> 63)
		b = b>>1 ^ crc64.ECMA&-(b&1)
	}
	return product
}
