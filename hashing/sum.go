package hashing

import (
	"encoding/binary"
	"encoding/hex"
)

// maxSize is the length of the widest sum in bytes.
const maxSize = 32

// Sum is the sum of any function of the registry: up to 32 bytes, most
// significant first. Sums are comparable with ==; those of functions of different
// sizes are never equal, those of different functions of one size may be by
// chance. The zero Sum is the sum of nothing at all and has no bytes.
type Sum struct {
	// Up to 16 bytes are the number a:b, 32 bytes are four words: most functions
	// make numbers, which need not become bytes before somebody wants to see them.
	a, b, c, d uint64
	size       uint8
}

// Len returns the number of bytes: the Size of the function.
func (s Sum) Len() int { return int(s.size) }

// Append appends the bytes of s to dst.
func (s Sum) Append(dst []byte) []byte {
	switch s.size {
	case 4:
		return binary.BigEndian.AppendUint32(dst, uint32(s.b))
	case 8:
		return binary.BigEndian.AppendUint64(dst, s.b)
	case 16:
		dst = binary.BigEndian.AppendUint64(dst, s.a)
		return binary.BigEndian.AppendUint64(dst, s.b)
	case 32:
		for _, w := range [...]uint64{s.a, s.b, s.c, s.d} {
			dst = binary.BigEndian.AppendUint64(dst, w)
		}
	}
	return dst
}

// Bytes returns the bytes of s.
func (s Sum) Bytes() []byte { return s.Append(make([]byte, 0, maxSize)) }

// String returns s in lower-case hex digits, two for each byte.
func (s Sum) String() string { return hex.EncodeToString(s.Bytes()) }

// Sum128 returns s as a number. It panics if s has more than 16 bytes.
func (s Sum) Sum128() Sum128 {
	if s.size > 16 {
		panic("hashing: Sum128 of a sum of more than 16 bytes")
	}
	return Sum128{s.a, s.b}
}

// sumOf reads the bytes of a sum of 4, 8, 16 or 32 bytes.
func sumOf(b []byte) Sum {
	word := func(i int) uint64 { return binary.BigEndian.Uint64(b[8*i:]) }
	switch len(b) {
	case 4:
		return Sum{size: 4, b: uint64(binary.BigEndian.Uint32(b))}
	case 8:
		return Sum{size: 8, b: word(0)}
	case 16:
		return Sum{size: 16, a: word(0), b: word(1)}
	case 32:
		return Sum{size: 32, a: word(0), b: word(1), c: word(2), d: word(3)}
	}
	panic("hashing: a sum of a length that no function has")
}

// Sum128 is a checksum of up to 128 bits as a number; the sums of narrower
// functions are zero-extended. It detects accidents; it never names content.
type Sum128 struct{ Hi, Lo uint64 }

// Bytes returns s as 16 bytes, most significant first.
func (s Sum128) Bytes() [16]byte {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], s.Hi)
	binary.BigEndian.PutUint64(b[8:], s.Lo)
	return b
}

// String returns s as 32 lower-case hex digits. [Sum.String] gives only as many
// as the function has.
func (s Sum128) String() string {
	b := s.Bytes()
	return hex.EncodeToString(b[:])
}

// IsZero reports whether all bits are zero. Some inputs do have such a sum:
// CRC-32 and MurmurHash3 of nothing, for example.
func (s Sum128) IsZero() bool { return s == Sum128{} }

// sum returns s as the sum of a function of that size, which is at most 16.
func (s Sum128) sum(size int) Sum { return Sum{size: uint8(size), a: s.Hi, b: s.Lo} }
