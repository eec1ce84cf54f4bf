package crcslice8

import (
	"encoding/binary"
	"math/bits"
)

//go:generate go run -C avo . -pkg crcslice8 -out ../fold_amd64.s -stubs ../fold_amd64.go -arm64 ../fold_arm64.s -arm64stubs ../fold_arm64.go

// A register is the type of a state: uint32 for Table, uint64 for Table64.
type register interface{ uint32 | uint64 }

// An engine is the common part of Table and Table64.
//
// The code computes with polynomials of degree 64. A shorter polynomial and its register are
// multiplied by a power of x, which multiplies the remainder by the same power. A Table keeps only
// the lower 32 bits of a state, because the upper bits are always 0.
type engine[R register] struct {
	model Model
	shift int    // 64 minus the width
	mask  R      // mask of the bits of a checksum
	poly  uint64 // polynomial in normal form, shifted up to 64 bits
	order bitOrder

	// slices[k][b] is the state after byte b and k zero bytes, from state 0.
	slices [8][256]R

	// powers[k][b] is x^(8·b·256^k) modulo the polynomial, as a state. A state times this factor is
	// the state after 256^k·b more zero bytes.
	powers [8][256]R

	xorOut, empty R
	arch          archTable // data for the architecture's kernels
	made          bool      // set by New and New64
}

// bitOrder determines how a state is converted to a checksum.
type bitOrder uint8

const (
	reflected      bitOrder = iota // RefIn and RefOut are set
	msbFirst                       // neither RefIn nor RefOut is set
	reflectedInput                 // only RefIn is set
	reflectedSum                   // only RefOut is set
)

// prepare computes all data that depends on the model.
func (e *engine[R]) prepare(m Model) {
	if err := m.checkWidths(); err != nil {
		panic(err.Error())
	}
	e.model, e.made = m, true
	e.shift = 64 - m.Width
	e.mask = R(^uint64(0) >> e.shift)
	e.poly = m.Poly << e.shift
	switch {
	case m.RefIn && m.RefOut:
		e.order = reflected
	case m.RefIn:
		e.order = reflectedInput
	case m.RefOut:
		e.order = reflectedSum
	default:
		e.order = msbFirst
	}
	e.xorOut = R(m.XorOut)
	e.empty = R(m.Init)
	if m.RefOut {
		e.empty = R(bits.Reverse64(m.Init << e.shift)) // the low Width bits of Init, reversed
	}
	e.empty ^= e.xorOut
	for b := range e.slices[0] {
		e.slices[0][b] = R(stateAfterByte(e.poly, m.RefIn, byte(b)))
	}
	for k := 1; k < len(e.slices); k++ {
		for b, s := range e.slices[k-1] {
			e.slices[k][b] = e.afterZero(s)
		}
	}
	e.fillPowers()
	e.arch.prepare(e.poly, m.RefIn)
}

// stateAfterByte returns the state after byte b, from state 0. It computes the state bit by bit
// from the definition.
func stateAfterByte(poly uint64, reflected bool, b byte) uint64 {
	if reflected {
		b = bits.Reverse8(b)
	}
	r := uint64(b) << 56
	for range 8 {
		r = r<<1 ^ poly&-(r>>63)
	}
	if reflected {
		return bits.Reverse64(r)
	}
	return bits.ReverseBytes64(r)
}

// afterZero returns the state after a zero byte, from state s.
func (e *engine[R]) afterZero(s R) R { return s>>8 ^ e.slices[0][byte(s)] }

// stateOf converts a register, in its final bit order, to a state.
func (e *engine[R]) stateOf(r R) R {
	if e.order == reflected {
		return r & e.mask
	}
	v := uint64(r) << (e.shift & 63)
	if e.order == msbFirst {
		return R(bits.ReverseBytes64(v))
	}
	// Only one of RefIn and RefOut is set.
	v = bits.Reverse64(v)
	if e.order == reflectedInput {
		return R(v)
	}
	return R(bits.ReverseBytes64(v << (e.shift & 63)))
}

// registerOf is the inverse of stateOf.
func (e *engine[R]) registerOf(s R) R {
	if e.order == reflected {
		return s
	}
	v := uint64(s)
	if e.order == reflectedInput {
		return R(bits.Reverse64(v) >> (e.shift & 63))
	}
	v = bits.ReverseBytes64(v)
	if e.order == reflectedSum {
		return R(bits.Reverse64(v))
	}
	return R(v >> (e.shift & 63))
}

// sumSize returns the length of a checksum in bytes.
func (e *engine[R]) sumSize() int { return (e.model.Width + 7) / 8 }

// refuseZero panics for the zero Table, whose checksums would all be 0. Assembly kernels never run
// for the zero Table.
func (e *engine[R]) refuseZero() {
	if !e.made {
		panic("crcslice8: the Table was not made by New")
	}
}

// bytewise processes one byte per step (Sarwate 1988). It XORs the byte to the low bits of the
// state, and shifts the higher bits down.
func (e *engine[R]) bytewise(s R, p []byte) R {
	for _, b := range p {
		s = s>>8 ^ e.slices[0][byte(s)^b]
	}
	return s
}

// upTo3 processes at most three bytes: two by slicing, then one.
func (e *engine[R]) upTo3(s R, p []byte) R {
	if len(p) >= 2 {
		s ^= R(binary.LittleEndian.Uint16(p))
		s = s>>16 ^ e.slices[1][byte(s)] ^ e.slices[0][byte(s>>8)]
		p = p[2:]
	}
	for _, b := range p {
		s = s>>8 ^ e.slices[0][byte(s)^b]
	}
	return s
}

// upTo7 processes at most seven bytes: four by slicing, then one at a time.
func (e *engine[R]) upTo7(s R, p []byte) R {
	if len(p) >= 4 {
		s ^= R(binary.LittleEndian.Uint32(p))
		s = s>>16>>16 ^ (e.slices[3][byte(s)] ^ e.slices[2][byte(s>>8)]) ^
			(e.slices[1][byte(s>>16)] ^ e.slices[0][byte(s>>24)])
		p = p[4:]
	}
	return e.upTo3(s, p)
}
