package crcslice8

import (
	"cmp"
	"fmt"
	"hash"
	"strings"
)

// Model64 describes a CRC of 1 to 64 bits in the terms of the RevEng catalogue of
// parametrised CRC algorithms (Greg Cook,
// https://reveng.sourceforge.io/crc-catalogue/).
type Model64 struct {
	Name    string // such as "CRC-64/XZ"; for display only
	Width   int    // bits of the register, 1 to 64
	Poly    uint64 // normal form: bit i is x^i, without x^Width
	Init    uint64 // register before the first byte, always most significant bit first
	RefIn   bool   // a byte's lowest bit comes first
	RefOut  bool   // the register is reflected at the end
	XorOut  uint64 // XORed to the final register
	Check   uint64 // checksum of "123456789"; New64 ignores it
	Residue uint64 // register after message and checksum, before XorOut; ignored
}

// String returns the model in the catalogue's terms, numbers in hex: "CRC-16/ARC(width=16
// poly=0x8005 init=0x0000 refin=true refout=true xorout=0x0000 check=0xbb3d)". A zero Check, as
// in a custom model, is left out.
func (m Model64) String() string {
	digits := (m.Width + 3) / 4
	check := ""
	if m.Check != 0 {
		check = fmt.Sprintf(" check=0x%0*x", digits, m.Check)
	}
	return fmt.Sprintf("%s(width=%d poly=0x%0*x init=0x%0*x refin=%t refout=%t xorout=0x%0*x%s)",
		cmp.Or(m.Name, fmt.Sprintf("CRC-%d", m.Width)), m.Width, digits, m.Poly, digits, m.Init,
		m.RefIn, m.RefOut, digits, m.XorOut, check)
}

// check returns an error for an invalid model.
func (m Model64) check() error {
	name := cmp.Or(m.Name, "a model")
	if m.Width < 1 || m.Width > 64 {
		return fmt.Errorf("crcslice8: %s: the width is %d bits; it must be 1 to 64", name, m.Width)
	}
	var tooLong []string
	for _, field := range []struct {
		name  string
		value uint64
	}{{"Poly", m.Poly}, {"Init", m.Init}, {"XorOut", m.XorOut}} {
		if field.value>>(m.Width-1)>>1 != 0 {
			tooLong = append(tooLong, fmt.Sprintf("%s %#x", field.name, field.value))
		}
	}
	if tooLong != nil {
		return fmt.Errorf("crcslice8: %s: %s has more than %d bits; leave out the polynomial's highest term",
			name, strings.Join(tooLong, ", "), m.Width)
	}
	return nil
}

// ModelByName returns the model with this name in [Catalogue], such as "CRC-16/MODBUS". The case
// of letters does not matter.
func ModelByName(name string) (Model64, bool) {
	for _, m := range catalogue {
		if strings.EqualFold(m.Name, name) {
			return m, true
		}
	}
	return Model64{}, false
}

// Table64 is a CRC of 1 to 64 bits ready for use. It never changes and is safe for concurrent
// use. Use [New64]; computing methods of the zero Table64 panic.
type Table64 struct{ engine[uint64] }

// New64 computes the data for the polynomial of m, which takes some tens of microseconds. It
// accepts any polynomial, even one that makes a bad CRC. It panics if the width is not 1 to 64 or
// a number has more bits than the width.
func New64(m Model64) *Table64 {
	t := new(Table64)
	t.prepare(m)
	return t
}

// newNamed makes the table of a model of the catalogue.
func newNamed(name string) *Table64 {
	m, ok := ModelByName(name)
	if !ok {
		panic("crcslice8: " + name + " is not in the catalogue")
	}
	return New64(m)
}

// Model returns the model that t was made from.
func (t *Table64) Model() Model64 { return t.model }

// Empty returns the checksum of no bytes. A chain of [Table64.Update] begins with it.
func (t *Table64) Empty() uint64 { return t.empty }

// Checksum returns the checksum of p.
func (t *Table64) Checksum(p []byte) uint64 { return t.Update(t.empty, p) }

// Update returns the checksum of the bytes with checksum crc, followed by p. As with hash/crc64,
// crc is a finished value, not a register. A chain begins with Empty. Bits of crc above the width
// are ignored.
func (t *Table64) Update(crc uint64, p []byte) uint64 {
	return t.update(crc, p)
}

// state undoes finish. Bits of crc above the width are ignored.
func (t *Table64) state(crc uint64) uint64 {
	if crc ^= t.xorOut; t.order != reflected {
		return t.stateOf(crc)
	}
	return crc & t.mask
}

// finish converts a state to a checksum.
func (t *Table64) finish(state uint64) uint64 {
	if t.order != reflected {
		state = t.registerOf(state)
	}
	return state ^ t.xorOut
}

// Hash returns a new hash.Hash64 that has seen no bytes. Its Sum appends the checksum most
// significant byte first, in as many bytes as the width needs.
//
// It is also a hash.Cloner and an encoding.BinaryMarshaler, BinaryAppender and BinaryUnmarshaler:
// a saved state can be continued by a hash of an equal model; names, check values and residues
// may differ.
func (t *Table64) Hash() hash.Hash64 { return &digest64{digest[uint64]{t, t.Empty()}} }

// Combine returns the checksum of a followed by b, given the checksum of each and the length of b
// in bytes. It panics if lenB is negative.
//
// Its time grows with the number of bytes of lenB, not with its value.
func (t *Table64) Combine(crcA, crcB uint64, lenB int64) uint64 {
	return t.combine(crcA, crcB, t.zeros(lenB))
}

// Shift64 is a [Shift] of a [Table64]. Only [Table64.Shift] makes a usable one.
type Shift64 struct {
	table *Table64
	power uint64
}

// Shift returns the operator for lenB bytes. It panics if lenB is negative.
func (t *Table64) Shift(lenB int64) Shift64 { return Shift64{t, t.zeros(lenB)} }

// Combine is [Table64.Combine] with the length of the operator.
func (s Shift64) Combine(crcA, crcB uint64) uint64 { return s.table.combine(crcA, crcB, s.power) }
