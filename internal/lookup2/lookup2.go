// Package lookup2 implements Bob Jenkins' 32-bit string hash lookup2, also known as evahash: "A
// Hash Function for Hash Table Lookup", 1996, printed as "Hash Functions" in Dr. Dobb's Journal,
// September 1997, and available at https://www.burtleburtle.net/bob/hash/evahash.html.
//
// The hash reads its input as little-endian words on every machine, so equal bytes have equal sums
// everywhere. It is suitable for hash tables. It does not detect tampering. Since it has only 32
// bits, it does not detect all accidental changes in a large set.
package lookup2

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"unsafe"
)

// Size is the length of a sum in bytes.
const Size = 4

// BlockSize is the number of bytes that the hash processes at a time.
const BlockSize = 12

// golden is the golden ratio as a 32-bit fraction. The paper initializes two of the three words
// with it, because it is an arbitrary value without structure.
const golden = 0x9e3779b9

// Sum32 returns the hash of b. initial is the hash of the preceding bytes or any other number;
// different initial values give independent hashes. The length is used modulo 2^32, like the
// original's 32-bit length.
func Sum32(b []byte, initial uint32) uint32 {
	n := uint32(len(b))
	s := state{golden, golden, initial}
	for len(b) >= BlockSize {
		s = s.mixBlock(b)
		b = b[BlockSize:]
	}
	return s.mixLast(b, n)
}

// String returns the hash of the bytes of s, as Sum32 does, without a copy.
func String(s string, initial uint32) uint32 {
	// Sum32 neither modifies nor retains the slice.
	return Sum32(unsafe.Slice(unsafe.StringData(s), len(s)), initial)
}

// state holds the three words of the hash, as in the paper. It is passed and returned by value so
// that it stays in registers.
type state struct{ a, b, c uint32 }

// mixBlock processes the first BlockSize bytes of p.
func (s state) mixBlock(p []byte) state {
	_ = p[BlockSize-1]
	return mixWords(s.a+binary.LittleEndian.Uint32(p),
		s.b+binary.LittleEndian.Uint32(p[4:]),
		s.c+binary.LittleEndian.Uint32(p[8:]))
}

// mixLast processes the tail, which has fewer than BlockSize bytes, and the length of the whole
// input. It returns the sum. The low byte of c is reserved for the length, so bytes 8 to 10 of the
// tail are added one byte higher.
func (s state) mixLast(tail []byte, length uint32) uint32 {
	a, b, c := s.a, s.b, s.c+length
	switch n := len(tail); {
	case n >= 8:
		a += binary.LittleEndian.Uint32(tail)
		b += binary.LittleEndian.Uint32(tail[4:])
		c += addLastBytes(tail, n-8) << 8
	case n >= 4:
		a += binary.LittleEndian.Uint32(tail)
		b += addLastBytes(tail, n-4)
	case n > 0:
		// If there are fewer than three bytes, some are read twice.
		half, last := n>>1, n-1
		a += uint32(tail[0]) | uint32(tail[half])<<(8*half) | uint32(tail[last])<<(8*last)
	}
	return mixWords(a, b, c).c
}

// addLastBytes returns the last k bytes of p, 0 <= k < 4, as a little-endian number. It reads the
// last four bytes instead of k bytes, so p must have at least 4.
func addLastBytes(p []byte, k int) uint32 {
	return binary.LittleEndian.Uint32(p[len(p)-4:]) >> (8 * (4 - uint(k)))
}

// mixWords mixes 96 bits reversibly, as defined in the paper.
func mixWords(a, b, c uint32) state {
	a = (a - b - c) ^ c>>13
	b = (b - c - a) ^ a<<8
	c = (c - a - b) ^ b>>13
	a = (a - b - c) ^ c>>12
	b = (b - c - a) ^ a<<16
	c = (c - a - b) ^ b>>5
	a = (a - b - c) ^ c>>3
	b = (b - c - a) ^ a<<10
	c = (c - a - b) ^ b>>15
	return state{a, b, c}
}

// Digest computes the hash of the bytes written to it. It equals Sum32 of the same bytes,
// regardless of how they were split. Use New, because the zero Digest has no initial value. A
// Digest is not safe for concurrent use.
type Digest struct {
	s       state
	initial uint32
	length  uint64 // number of bytes written; the last length % BlockSize bytes are in pending
	pending [BlockSize]byte
}

var _ hash.Hash32 = (*Digest)(nil)

// New returns an empty Digest with the given initial value.
func New(initial uint32) *Digest {
	d := &Digest{initial: initial}
	d.Reset()
	return d
}

// Reset restores the state that New returned.
func (d *Digest) Reset() { *d = Digest{s: state{golden, golden, d.initial}, initial: d.initial} }

// Clone implements hash.Cloner.
func (d *Digest) Clone() (hash.Cloner, error) {
	c := *d
	return &c, nil
}

// Size returns the length of a sum, 4 bytes.
func (d *Digest) Size() int { return Size }

// BlockSize returns 12, the number of bytes that are processed at a time.
func (d *Digest) BlockSize() int { return BlockSize }

// Write adds p to the hash. It never fails and does not retain p.
func (d *Digest) Write(p []byte) (int, error) {
	n := len(p)
	held := d.heldBytes()
	d.length += uint64(n)
	if held > 0 {
		k := copy(d.pending[held:], p)
		if held+k < BlockSize {
			return n, nil
		}
		d.s = d.s.mixBlock(d.pending[:])
		p = p[k:]
	}
	s := d.s
	for len(p) >= BlockSize {
		s = s.mixBlock(p)
		p = p[BlockSize:]
	}
	d.s = s
	copy(d.pending[:], p)
	return n, nil
}

// Sum32 returns the hash of the bytes written so far. More bytes may be written afterwards.
func (d *Digest) Sum32() uint32 { return d.s.mixLast(d.pending[:d.heldBytes()], uint32(d.length)) }

// Sum appends the sum to b, most significant byte first.
func (d *Digest) Sum(b []byte) []byte { return binary.BigEndian.AppendUint32(b, d.Sum32()) }

func (d *Digest) heldBytes() int { return int(d.length % BlockSize) }

// The saved state consists of a magic, initial, a, b, c, length, and pending bytes padded with
// zeros. Integers are big-endian, as in the standard library's hashes.
const (
	magic       = "lk2\x01"
	marshalSize = len(magic) + 4*4 + 8 + BlockSize
)

// AppendBinary implements encoding.BinaryAppender.
func (d *Digest) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, magic...)
	for _, v := range [...]uint32{d.initial, d.s.a, d.s.b, d.s.c} {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	b = binary.BigEndian.AppendUint64(b, d.length)
	b = append(b, d.pending[:d.heldBytes()]...)
	return append(b, make([]byte, BlockSize-d.heldBytes())...), nil
}

// MarshalBinary implements encoding.BinaryMarshaler.
func (d *Digest) MarshalBinary() ([]byte, error) {
	return d.AppendBinary(make([]byte, 0, marshalSize))
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. It also restores the initial value. On
// error it does not change d.
func (d *Digest) UnmarshalBinary(b []byte) error {
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return errors.New("lookup2: unmarshal: the data is not a saved state of this hash")
	}
	if len(b) != marshalSize {
		return fmt.Errorf("lookup2: unmarshal: state has %d bytes, want %d", len(b), marshalSize)
	}
	b = b[len(magic):]
	u := func(i int) uint32 { return binary.BigEndian.Uint32(b[4*i:]) }
	restored := Digest{
		s:       state{u(1), u(2), u(3)},
		initial: u(0),
		length:  binary.BigEndian.Uint64(b[16:]),
		pending: [BlockSize]byte(b[24:]),
	}
	for _, c := range restored.pending[restored.heldBytes():] {
		if c != 0 {
			return errors.New("lookup2: unmarshal: bytes after the pending ones are not zero")
		}
	}
	*d = restored
	return nil
}
