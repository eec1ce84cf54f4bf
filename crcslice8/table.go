package crcslice8

import (
	"hash"
	"math/bits"
	"sync"
	"sync/atomic"
)

// Table is a CRC-32 ready for use: the precomputed data of a polynomial. It never changes as seen
// from outside and is safe for concurrent use. Use [New]; computing methods of the zero Table
// panic.
type Table struct {
	engine[uint32]

	upper [8][256]uint32 // slices 8 to 15, for slicing-16

	multiple atomic.Pointer[multiple] // for long input; nil if none or not searched yet
	search   sync.Once                // guards the search for unlisted polynomials
}

// New computes the data for the polynomial of m, which takes some tens of microseconds. It
// accepts any model, even one whose polynomial makes a bad CRC.
func New(m Model) *Table {
	t := new(Table)
	t.prepare(m.wide())
	previous := &t.slices[7]
	for k := range t.upper {
		for b, s := range previous {
			t.upper[k][b] = t.afterZero(s)
		}
		previous = &t.upper[k]
	}
	t.multiple.Store(knownMultiple(m.Poly))
	return t
}

// Model returns the model that t was made from.
func (t *Table) Model() Model {
	m := t.model
	return Model{m.Name, uint32(m.Poly), uint32(m.Init), m.RefIn, uint32(m.XorOut), uint32(m.Check)}
}

// Empty returns the checksum of no bytes. A chain of [Table.Update] begins with it.
func (t *Table) Empty() uint32 { return t.empty }

// Checksum returns the checksum of p.
func (t *Table) Checksum(p []byte) uint32 { return t.Update(t.empty, p) }

// Update returns the checksum of the bytes with checksum crc, followed by p. As with hash/crc32,
// crc is a finished value, not a register. A chain begins with Empty.
func (t *Table) Update(crc uint32, p []byte) uint32 {
	return t.update(crc, p)
}

// state undoes finish.
func (t *Table) state(crc uint32) uint32 { return t.swap(crc ^ t.xorOut) }

// finish converts a state to a checksum.
func (t *Table) finish(state uint32) uint32 { return t.swap(state) ^ t.xorOut }

// swap is stateOf and registerOf, which are equal for 32 bits, without a call.
func (t *Table) swap(r uint32) uint32 {
	if t.order != reflected {
		r = bits.ReverseBytes32(r)
	}
	return r
}

// combine is engine.combine with swap.
func (t *Table) combine(crcA, crcB, power uint32) uint32 {
	return t.swap(t.product(t.swap(crcA^t.empty), power)) ^ crcB
}

// Hash returns a new hash.Hash32 that has seen no bytes. Its Sum appends the checksum most
// significant byte first.
//
// It is also a hash.Cloner and an encoding.BinaryMarshaler, BinaryAppender and BinaryUnmarshaler:
// a saved state can be continued by a hash of an equal model; names and check values may differ.
func (t *Table) Hash() hash.Hash32 { return &digest32{digest[uint32]{t, t.Empty()}} }

// Combine returns the checksum of a followed by b, given the checksum of each and the length of b
// in bytes. It panics if lenB is negative.
//
// Its time grows with the number of bytes of lenB, not with its value.
func (t *Table) Combine(crcA, crcB uint32, lenB int64) uint32 {
	return t.combine(crcA, crcB, t.zeros(lenB))
}

// Shift is the operator that appends a fixed number of bytes to a checksum. It saves most of the
// work of [Table.Combine] for many blocks of one length. Only [Table.Shift] makes a usable one.
type Shift struct {
	table *Table
	power uint32
}

// Shift returns the operator for lenB bytes. It panics if lenB is negative.
func (t *Table) Shift(lenB int64) Shift { return Shift{t, t.zeros(lenB)} }

// Combine is [Table.Combine] with the length of the operator.
func (s Shift) Combine(crcA, crcB uint32) uint32 { return s.table.combine(crcA, crcB, s.power) }
