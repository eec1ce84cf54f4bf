package lookup2

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
)

// Digest is the running hash of the written bytes; it equals Sum32 of the same bytes, however they
// were split. Use New: the zero Digest has no initial value. It is not safe for concurrent use.
type Digest struct {
	s       state
	initial uint32
	length  uint64 // bytes written; length % BlockSize of them are in pending
	pending [BlockSize]byte
}

var _ hash.Hash32 = (*Digest)(nil)

// New returns an empty Digest that starts from the initial value.
func New(initial uint32) *Digest {
	d := &Digest{initial: initial}
	d.Reset()
	return d
}

// Reset returns d to the state that New gave it.
func (d *Digest) Reset() { *d = Digest{s: state{golden, golden, d.initial}, initial: d.initial} }

// Clone implements hash.Cloner.
func (d *Digest) Clone() (hash.Cloner, error) {
	c := *d
	return &c, nil
}

// Size returns the length of a sum, 4 bytes.
func (d *Digest) Size() int { return Size }

// BlockSize returns 12, the number of bytes that are mixed in at a time.
func (d *Digest) BlockSize() int { return BlockSize }

// Write adds p to the hash. It never fails and does not keep p.
func (d *Digest) Write(p []byte) (int, error) {
	n := len(p)
	held := d.held()
	d.length += uint64(n)
	if held > 0 {
		k := copy(d.pending[held:], p)
		if held+k < BlockSize {
			return n, nil
		}
		d.s = d.s.block(d.pending[:])
		p = p[k:]
	}
	s := d.s
	for len(p) >= BlockSize {
		s = s.block(p)
		p = p[BlockSize:]
	}
	d.s = s
	copy(d.pending[:], p)
	return n, nil
}

// Sum32 returns the hash of the bytes written so far; more may follow.
func (d *Digest) Sum32() uint32 { return d.s.finish(d.pending[:d.held()], uint32(d.length)) }

// Sum appends the sum to b, most significant byte first.
func (d *Digest) Sum(b []byte) []byte { return binary.BigEndian.AppendUint32(b, d.Sum32()) }

func (d *Digest) held() int { return int(d.length % BlockSize) }

// The saved state: magic, initial, a, b, c, length, and pending bytes padded with zeros; integers
// are big-endian, as in the standard library's hashes.
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
	b = append(b, d.pending[:d.held()]...)
	return append(b, make([]byte, BlockSize-d.held())...), nil
}

// MarshalBinary implements encoding.BinaryMarshaler.
func (d *Digest) MarshalBinary() ([]byte, error) {
	return d.AppendBinary(make([]byte, 0, marshalSize))
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. It also restores the initial value. On an
// error d is unchanged.
func (d *Digest) UnmarshalBinary(b []byte) error {
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return errors.New("lookup2: unmarshal: not a saved state of this hash")
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
	for _, c := range restored.pending[restored.held():] {
		if c != 0 {
			return errors.New("lookup2: unmarshal: bytes after the pending ones are not zero")
		}
	}
	*d = restored
	return nil
}
