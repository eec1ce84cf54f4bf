package crcslice8

import (
	"encoding/binary"
	"math/bits"
)

//go:generate go run -C avo . -pkg crcslice8 -out ../fold_amd64.s -stubs ../fold_amd64.go -arm64 ../fold_arm64.s -arm64stubs ../fold_arm64.go

// register is the type of a state: uint32 for Table, uint64 for Table64.
type register interface{ uint32 | uint64 }

// engine is the common part of Table and Table64.
//
// A register of fewer bits than R is handled as a register of 64 bits: multiplying the polynomial
// and the register by a power of x multiplies the remainder by it as well. So all code below
// computes with a polynomial of degree 64. A Table, which has 32 bits, keeps the lower half of
// such a state: the upper half is always 0.
type engine[R register] struct {
	model Model
	shift int    // 64 minus the width
	mask  R      // mask of the bits of a checksum
	poly  uint64 // normal form, shifted up
	order bitOrder

	// slices[k][b] is the state after byte b and k zero bytes, starting from state 0.
	slices [8][256]R

	// powers[k][b] is x^(8·b·256^k) modulo the polynomial, in the form of states: 256^k·b zero
	// bytes multiply a state by it.
	powers [8][256]R

	xorOut, empty R
	arch          archTable // data for this architecture's kernels
	made          bool      // made by New or New64
}

// bitOrder selects how a state is converted to a checksum.
type bitOrder uint8

const (
	reflected      bitOrder = iota // RefIn and RefOut
	msbFirst                       // neither
	reflectedInput                 // RefIn alone
	reflectedSum                   // RefOut alone
)

// prepare computes all data that depends on the model m.
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
		e.empty = R(bits.Reverse64(m.Init << e.shift)) // reversed low Width bits of Init
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

// stateAfterByte returns the state after byte b, from state 0, computed bit by bit from the
// definition.
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

// afterZero returns the state after state s and a zero byte.
func (e *engine[R]) afterZero(s R) R { return s>>8 ^ e.slices[0][byte(s)] }

// stateOf returns the state of a register, given in its final order of bits.
func (e *engine[R]) stateOf(r R) R {
	if e.order == reflected {
		return r & e.mask
	}
	v := uint64(r) << (e.shift & 63)
	if e.order == msbFirst {
		return R(bits.ReverseBytes64(v))
	}
	// Only one of input and output is reflected.
	v = bits.Reverse64(v)
	if e.order == reflectedInput {
		return R(v)
	}
	return R(bits.ReverseBytes64(v << (e.shift & 63)))
}

// registerOf undoes stateOf.
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

// refuseZero panics for the zero Table, whose sums would all be 0. Assembly kernels never run for
// it, because it has no factors.
func (e *engine[R]) refuseZero() {
	if !e.made {
		panic("crcslice8: the Table was not made by New")
	}
}

// bytewise processes one byte per step (Sarwate 1988). The byte is XORed to the low bits of the
// state; the higher bits move down.
func (e *engine[R]) bytewise(s R, p []byte) R {
	for _, b := range p {
		s = s>>8 ^ e.slices[0][byte(s)^b]
	}
	return s
}

// upTo3 updates s with at most three bytes: two by slicing, then one.
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

// upTo7 updates s with at most seven bytes: four by slicing, then one at a time.
func (e *engine[R]) upTo7(s R, p []byte) R {
	if len(p) >= 4 {
		s ^= R(binary.LittleEndian.Uint32(p))
		s = s>>16>>16 ^ (e.slices[3][byte(s)] ^ e.slices[2][byte(s>>8)]) ^
			(e.slices[1][byte(s>>16)] ^ e.slices[0][byte(s>>24)])
		p = p[4:]
	}
	return e.upTo3(s, p)
}
