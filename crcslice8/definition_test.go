package crcslice8

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// define computes the checksum of p straight from the definition of the model: one bit at a time,
// most significant bit first, reflecting each byte and the result as the model says. It is the
// oracle of all tests.
func define(m Model, p []byte) uint32 { return uint32(define64(m.wide(), p)) }

// define64 is define for a model of any width.
func define64(m Model64, p []byte) uint64 {
	r := m.Init
	for _, b := range p {
		if m.RefIn {
			b = bits.Reverse8(b)
		}
		for i := 7; i >= 0; i-- {
			r = defineBit(m, r, uint64(b>>i&1))
		}
	}
	return defineOut(m, r) ^ m.XorOut
}

// defineBit returns the register after one more bit.
func defineBit(m Model64, r, bit uint64) uint64 {
	carry := r>>(m.Width-1)&1 ^ bit
	r = r << 1 & (^uint64(0) >> (64 - m.Width))
	if carry == 1 {
		r ^= m.Poly
	}
	return r
}

// defineOut returns the register in its final order.
func defineOut(m Model64, r uint64) uint64 {
	if m.RefOut {
		return bits.Reverse64(r) >> (64 - m.Width)
	}
	return r
}

// defineResidue returns the register after "123456789" and its checksum, highest power first.
func defineResidue(m Model64) uint64 {
	r := m.Init
	for _, b := range []byte("123456789") {
		if m.RefIn {
			b = bits.Reverse8(b)
		}
		for i := 7; i >= 0; i-- {
			r = defineBit(m, r, uint64(b>>i&1))
		}
	}
	sum := defineOut(m, m.Check)
	for i := m.Width - 1; i >= 0; i-- {
		r = defineBit(m, r, sum>>i&1)
	}
	return defineOut(m, r)
}

// defineZeros returns the checksum crc after n more zero bytes, by repeated squaring.
func defineZeros(m Model, crc uint32, n uint64) uint32 {
	r := crc ^ m.XorOut
	if m.Reflected {
		r = bits.Reverse32(r)
	}
	factor := defineTimes(1<<8, 1, m.Poly) // x^8
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			r = defineTimes(r, factor, m.Poly)
		}
		factor = defineTimes(factor, factor, m.Poly)
	}
	if m.Reflected {
		r = bits.Reverse32(r)
	}
	return r ^ m.XorOut
}

// defineTimes multiplies two polynomials in normal form modulo poly.
func defineTimes(a, b, poly uint32) uint32 {
	var product uint32
	for i := 31; i >= 0; i-- {
		carry := product >> 31
		product <<= 1
		if carry == 1 {
			product ^= poly
		}
		if b>>i&1 == 1 {
			product ^= a
		}
	}
	return product
}

// oddModels returns models that are poor choices, but must be computed correctly: polynomials
// without a constant term, with few terms or with all of them, and asymmetric registers.
func oddModels() []Model {
	return []Model{
		{Name: "x^32", Poly: 0, Init: 0x12345678, Reflected: true, XorOut: 0x9abcdef0},
		{Name: "x^32+1", Poly: 1, Init: 0x12345678, XorOut: 0x9abcdef0},
		{Name: "x^32+x^31", Poly: 0x80000000, Init: 0x12345678, Reflected: true},
		{Name: "x^32+x", Poly: 2, Init: 1},
		{Name: "low terms", Poly: 0x19, Init: 0x12345678, Reflected: true}, // its multiples have low terms as well
		{Name: "all terms", Poly: ones, Init: 0x80000000, Reflected: true, XorOut: 1},
		{Name: "random", Poly: 0xdeadbeef, Init: 0x00c0ffee, Reflected: true, XorOut: 0x0badf00d},
		{Name: "random, most significant bit first", Poly: 0x5bd1e995, Init: 0x00c0ffee, XorOut: 0x0badf00d},
	}
}

func allModels() []Model { return append(Models(), oddModels()...) }

func randomBytes(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

// oddModels64 have registers of few bits, of incomplete bytes, of all bit orders, and polynomials
// that make a bad CRC.
func oddModels64() []Model64 {
	ms := []Model64{
		{Name: "x", Width: 1},
		{Name: "parity", Width: 1, Poly: 1, RefIn: true, RefOut: true},
		{Name: "33 bits", Width: 33, Poly: 0x1_23456789, Init: 0x1_0badf00d, RefIn: true, RefOut: true, XorOut: 1},
		{Name: "63 bits", Width: 63, Poly: 0x7eadbeefcafef00d, Init: 0x123456789abcdef, XorOut: 0x7edcba9876543210},
		{Name: "x^64", Width: 64, Init: 0x123456789abcdef, RefIn: true, RefOut: true},
		{Name: "all terms", Width: 64, Poly: ^uint64(0), Init: 1, XorOut: 2},
		{Name: "no constant term", Width: 64, Poly: 0xdeadbeefcafef00e, Init: 3, RefIn: true, RefOut: true},
	}
	for _, width := range []int{5, 16, 32, 64} {
		for order := range 4 {
			high := ^uint64(0) >> (64 - width)
			ms = append(ms, Model64{
				Name: fmt.Sprintf("%d bits, order %d", width, order), Width: width,
				Poly: 0xad93d23594c93659 & high, Init: 0x0123456789abcdef & high, XorOut: 0xf0e1d2c3b4a59687 & high,
				RefIn: order&1 != 0, RefOut: order&2 != 0,
			})
		}
	}
	return ms
}

func allModels64() []Model64 { return append(Catalogue(), oddModels64()...) }

// unlisted is a model with an unlisted polynomial that has a multiple.
func unlisted() Model { return Model{Name: "unlisted", Poly: 0xdeadbeef, Init: 1, Reflected: true} }
