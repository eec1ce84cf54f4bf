package crcslice8

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
)

// Size is the length of a CRC-32 in bytes.
const Size = 4

// A digest is the hash.Hash of a Table or Table64.
type digest[R register] struct {
	table updater[R]
	crc   R // checksum of the bytes so far
}

// An updater is a Table or a Table64.
type updater[R register] interface {
	Update(crc R, p []byte) R
	asEngine() *engine[R]
}

func (e *engine[R]) asEngine() *engine[R] { return e }

func (d *digest[R]) Size() int      { return d.table.asEngine().sumSize() }
func (d *digest[R]) BlockSize() int { return 1 }
func (d *digest[R]) Reset()         { d.crc = d.table.asEngine().empty }

func (d *digest[R]) Write(p []byte) (int, error) {
	d.crc = d.table.Update(d.crc, p)
	return len(p), nil
}

func (d *digest[R]) Sum(b []byte) []byte {
	for i := d.Size() - 1; i >= 0; i-- {
		b = append(b, byte(uint64(d.crc)>>(8*i)))
	}
	return b
}

type digest32 struct{ digest[uint32] }

func (d *digest32) Sum32() uint32 { return d.crc }

func (d *digest32) Clone() (hash.Cloner, error) {
	clone := *d
	return &clone, nil
}

type digest64 struct{ digest[uint64] }

func (d *digest64) Sum64() uint64 { return d.crc }

func (d *digest64) Clone() (hash.Cloner, error) {
	clone := *d
	return &clone, nil
}

// A saved state is a magic, the model and the checksum, with the most significant byte first. It
// includes the whole model, because a checksum alone would be valid for any model.
const (
	magic   = "crs8\x01" // followed by polynomial, initial register, XorOut and order, in 32 bits each
	magic64 = "crs8\x02" // followed by the same fields in 64 bits, and the width
)

func (d *digest[R]) AppendBinary(b []byte) ([]byte, error) {
	return appendRegister(d.table.asEngine().appendModel(b), d.crc), nil
}

func (d *digest[R]) MarshalBinary() ([]byte, error) {
	return d.AppendBinary(make([]byte, 0, 48))
}

func (d *digest[R]) UnmarshalBinary(b []byte) error {
	e := d.table.asEngine()
	own := e.appendModel(nil)
	if len(b) < len(magic) || string(b[:len(magic)]) != string(own[:len(magic)]) {
		return errors.New("crcslice8: restore state: the data is not a saved state of this package")
	}
	size := len(own) + binary.Size(d.crc)
	if len(b) != size {
		return fmt.Errorf("crcslice8: restore state: the state has %d bytes instead of %d", len(b), size)
	}
	model, crc := b[:len(own)], b[len(own):]
	if string(model) != string(own) {
		return fmt.Errorf("crcslice8: restore state: the state was saved by model %x, and this model is %x (%s); use the table of the model that saved the state",
			model[len(magic):], own[len(magic):], e.model.Name)
	}
	d.crc = 0
	for _, c := range crc {
		d.crc = d.crc<<8 | R(c)
	}
	return nil
}

func (e *engine[R]) appendModel(b []byte) []byte {
	m := e.model
	wide := binary.Size(e.empty) == 8
	if wide {
		b = append(b, magic64...)
	} else {
		b = append(b, magic...)
	}
	b = appendRegister(b, R(m.Poly))
	b = appendRegister(b, R(m.Init))
	b = appendRegister(b, e.xorOut)
	order := byte(0)
	if m.RefIn {
		order |= 1
	}
	if m.RefIn != m.RefOut {
		order |= 2
	}
	b = append(b, order)
	if wide {
		b = append(b, byte(m.Width))
	}
	return b
}

func appendRegister[R register](b []byte, r R) []byte {
	if binary.Size(r) == 8 {
		return binary.BigEndian.AppendUint64(b, uint64(r))
	}
	return binary.BigEndian.AppendUint32(b, uint32(r))
}
