package crcslice8

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// Table is a CRC-32 ready for use: what depends on the polynomial, worked out
// once. It never changes as seen from outside and is safe for concurrent use.
// Only [New] makes one that works; with the zero Table all methods that compute
// something panic.
type Table struct {
	model Model

	// slices[k][b] is the state after byte b and k zero bytes, from state 0.
	slices [16][256]uint32

	// powers[k][b] is x^(8·b·256^k) modulo the polynomial, in the form of states:
	// what 256^k·b zero bytes do to a state is one product with it.
	powers [8][256]uint32

	multiple atomic.Pointer[multiple] // for long input; nil: none, or not searched yet
	search   sync.Once                // finds it for polynomials that are not listed

	arch archTable // what the kernels of this architecture need
	made bool      // by New
}

// New works out all that depends on the polynomial of m; that takes some tens of
// microseconds. It takes any model, also one whose polynomial makes a bad CRC.
func New(m Model) *Table {
	t := &Table{model: m, made: true}
	for b := range t.slices[0] {
		t.slices[0][b] = afterByte(m, byte(b))
	}
	for k := 1; k < len(t.slices); k++ {
		for b, s := range t.slices[k-1] {
			t.slices[k][b] = s>>8 ^ t.slices[0][byte(s)]
		}
	}
	t.fillPowers()
	t.multiple.Store(knownMultiple(m.Poly))
	archInit(t)
	return t
}

// afterByte returns the state after byte b, from state 0: the definition, bit by
// bit.
func afterByte(m Model, b byte) uint32 {
	if m.Reflected {
		poly, s := bits.Reverse32(m.Poly), uint32(b)
		for range 8 {
			s = s>>1 ^ poly&-(s&1)
		}
		return s
	}
	r := uint32(b) << 24
	for range 8 {
		r = r<<1 ^ m.Poly&-(r>>31)
	}
	return bits.ReverseBytes32(r)
}

// Model returns what t was made from.
func (t *Table) Model() Model { return t.model }

// Empty returns the checksum of no bytes, with which a chain of [Table.Update]
// begins.
func (t *Table) Empty() uint32 {
	if t.model.Reflected {
		return bits.Reverse32(t.model.Init) ^ t.model.XorOut
	}
	return t.model.Init ^ t.model.XorOut
}

// Checksum returns the checksum of p.
func (t *Table) Checksum(p []byte) uint32 { return t.Update(t.Empty(), p) }

// Update returns the checksum of the bytes whose checksum is crc, followed by p.
// As with hash/crc32, crc is a finished value, not a register; that of no bytes,
// with which a chain begins, is Empty.
func (t *Table) Update(crc uint32, p []byte) uint32 {
	return t.finish(t.update(t.state(crc), p))
}

// state undoes finish.
func (t *Table) state(crc uint32) uint32 { return t.swap(crc ^ t.model.XorOut) }

// finish makes a checksum of a state.
func (t *Table) finish(state uint32) uint32 { return t.swap(state) ^ t.model.XorOut }

// swap changes between register and state, in both directions.
func (t *Table) swap(r uint32) uint32 {
	if t.model.Reflected {
		return r
	}
	return bits.ReverseBytes32(r)
}

// check refuses the zero Table, whose sums would all be 0. The kernels that need
// no check find nothing in it and leave the work to those that do.
func (t *Table) check() {
	if !t.made {
		panic("crcslice8: a Table that was not made by New")
	}
}
