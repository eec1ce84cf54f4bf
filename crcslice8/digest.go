package crcslice8

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
)

// Size is the length of a checksum in bytes.
const Size = 4

// Hash returns a new hash.Hash32 that has seen no bytes. Its Sum appends the
// checksum most significant byte first.
//
// It is also a hash.Cloner and an encoding.BinaryMarshaler, BinaryAppender and BinaryUnmarshaler: a
// state saved by one takes up its work in another of an equal model, names and
// check values aside.
func (t *Table) Hash() hash.Hash32 { return &digest{t, t.Empty()} }

type digest struct {
	table *Table
	crc   uint32 // the checksum of what was written
}

func (d *digest) Size() int      { return Size }
func (d *digest) BlockSize() int { return 1 }
func (d *digest) Reset()         { d.crc = d.table.Empty() }
func (d *digest) Sum32() uint32  { return d.crc }

func (d *digest) Clone() (hash.Cloner, error) {
	clone := *d
	return &clone, nil
}

func (d *digest) Write(p []byte) (int, error) {
	d.crc = d.table.Update(d.crc, p)
	return len(p), nil
}

func (d *digest) Sum(b []byte) []byte { return binary.BigEndian.AppendUint32(b, d.crc) }

// A saved state is the magic, then, most significant byte first, polynomial,
// initial register, final XOR, order and checksum. The whole model is in it,
// since a checksum of one model is a valid one of any other.
const (
	magic     = "crs8\x01"
	savedSize = len(magic) + 3*4 + 1 + Size
)

func (d *digest) AppendBinary(b []byte) ([]byte, error) {
	return binary.BigEndian.AppendUint32(appendModel(b, d.table.model), d.crc), nil
}

func (d *digest) MarshalBinary() ([]byte, error) {
	return d.AppendBinary(make([]byte, 0, savedSize))
}

func (d *digest) UnmarshalBinary(b []byte) error {
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return errors.New("crcslice8: restore state: not a saved state of this package")
	}
	if len(b) != savedSize {
		return fmt.Errorf("crcslice8: restore state: it has %d bytes instead of %d", len(b), savedSize)
	}
	model, crc := b[:savedSize-Size], b[savedSize-Size:]
	if own := appendModel(nil, d.table.model); string(model) != string(own) {
		return fmt.Errorf("crcslice8: restore state: it was saved by model %x and this is %x (%s); restore it with the table of the model that saved it",
			model[len(magic):], own[len(magic):], d.table.model.Name)
	}
	d.crc = binary.BigEndian.Uint32(crc)
	return nil
}

func appendModel(b []byte, m Model) []byte {
	b = append(b, magic...)
	b = binary.BigEndian.AppendUint32(b, m.Poly)
	b = binary.BigEndian.AppendUint32(b, m.Init)
	b = binary.BigEndian.AppendUint32(b, m.XorOut)
	if m.Reflected {
		return append(b, 1)
	}
	return append(b, 0)
}
