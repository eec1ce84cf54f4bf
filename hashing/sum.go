package hashing

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
)

// maxSize is the maximum length of a checksum in bytes.
const maxSize = 64

// Sum is the checksum of any function of the registry. It has up to 64 bytes, with the most
// significant byte first. Sums are comparable with ==. Sums of different sizes are never equal.
// Sums of different functions with the same size may be equal by chance. The zero Sum has no bytes.
type Sum struct {
	// A checksum of up to 16 bytes is a 128-bit number with the words a and b. A longer checksum
	// consists of big-endian words; the last word is filled from its top byte. Most functions
	// compute numbers, which are converted to bytes only when they are printed.
	a, b uint64
	rest [maxSize/8 - 2]uint64
	size uint8
}

// Len returns the number of bytes, which is the Size of the function.
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
	}
	if s.size < 8 { // a CRC of an unusual width
		for i := int(s.size) - 1; i >= 0; i-- {
			dst = append(dst, byte(s.b>>(8*i)))
		}
	} else if s.size > 16 {
		end := len(dst) + int(s.size)
		dst = binary.BigEndian.AppendUint64(dst, s.a)
		dst = binary.BigEndian.AppendUint64(dst, s.b)
		for i := 0; len(dst) < end; i++ {
			dst = binary.BigEndian.AppendUint64(dst, s.rest[i])
		}
		dst = dst[:end]
	}
	return dst
}

// Bytes returns the bytes of s.
func (s Sum) Bytes() []byte { return s.Append(make([]byte, 0, maxSize)) }

// String returns s as lower-case hex digits, two for each byte.
func (s Sum) String() string { return hex.EncodeToString(s.Bytes()) }

// Sum128 returns s as a number. It panics if s has more than 16 bytes.
func (s Sum) Sum128() Sum128 {
	if s.size > 16 {
		panic("hashing: Sum128: the sum has more than 16 bytes")
	}
	return Sum128{s.a, s.b}
}

// sumOf converts 1 to 8, 16, 20, 32 or 64 bytes to a Sum.
func sumOf(b []byte) Sum {
	word := func(i int) uint64 { return binary.BigEndian.Uint64(b[8*i:]) }
	switch len(b) {
	case 1, 2, 3, 4, 5, 6, 7, 8:
		var number uint64
		for _, c := range b {
			number = number<<8 | uint64(c)
		}
		return Sum{size: uint8(len(b)), b: number}
	case 16:
		return Sum{size: 16, a: word(0), b: word(1)}
	case 20:
		return Sum{size: 20, a: word(0), b: word(1), rest: [6]uint64{uint64(binary.BigEndian.Uint32(b[16:])) << 32}}
	case 32:
		return Sum{size: 32, a: word(0), b: word(1), rest: [6]uint64{word(2), word(3)}}
	case 64:
		return Sum{size: 64, a: word(0), b: word(1), rest: [6]uint64{word(2), word(3), word(4), word(5), word(6), word(7)}}
	}
	panic("hashing: no function has sums of this length")
}

// Sum128 is a checksum of up to 128 bits as a number. Shorter checksums are zero-extended. It
// detects accidental changes and must not name content.
type Sum128 struct{ Hi, Lo uint64 }

// Bytes returns s as 16 bytes, with the most significant byte first.
func (s Sum128) Bytes() [16]byte {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], s.Hi)
	binary.BigEndian.PutUint64(b[8:], s.Lo)
	return b
}

// String returns s as 32 lower-case hex digits. [Sum.String] returns only the digits of the
// function's own length.
func (s Sum128) String() string {
	b := s.Bytes()
	return hex.EncodeToString(b[:])
}

// IsZero reports whether all bits are zero. Some inputs have such a checksum. For example, CRC-32
// and MurmurHash3 are zero for no bytes.
func (s Sum128) IsZero() bool { return s == Sum128{} }

// sum converts s to a Sum of size bytes; size must be at most 16.
func (s Sum128) sum(size int) Sum { return Sum{size: uint8(size), a: s.Hi, b: s.Lo} }

// maxEmptyReads limits the number of consecutive reads that return neither bytes nor an error.
const maxEmptyReads = 100

// readPieces reads r to its end, passes each piece to take, and returns the number of bytes. It
// checks ctx before each read of at most len(buf) bytes.
func readPieces(ctx context.Context, r io.Reader, buf []byte, take func([]byte)) (int64, error) {
	var size int64
	for {
		n, err := readSome(ctx, r, buf)
		take(buf[:n])
		size += int64(n)
		switch {
		case err == io.EOF: // a wrapped io.EOF is an error
			return size, nil
		case err != nil:
			return 0, err
		}
	}
}

// readSome reads at least one byte, or returns an error. It may do both.
func readSome(ctx context.Context, r io.Reader, buf []byte) (int, error) {
	for range maxEmptyReads {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n, err := r.Read(buf)
		if n < 0 || n > len(buf) {
			return 0, fmt.Errorf("sum: reader returned %d of %d bytes", n, len(buf))
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// SumReader reads r to its end, and returns the checksum and the number of bytes. It checks ctx
// before each read.
func SumReader(ctx context.Context, f Func, r io.Reader) (Sum, int64, error) {
	h := f.New()
	buf := takeBlock()
	defer giveBlock(buf)
	size, err := readPieces(ctx, r, buf[:], func(p []byte) { h.Write(p) })
	if err != nil {
		return Sum{}, 0, err
	}
	return sumOfStream(h), size, nil
}
