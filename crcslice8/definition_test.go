package crcslice8

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// define computes the checksum of p from the definition of the model, one bit at a time. All tests
// compare with it.
func define(m Model, p []byte) uint32 { return uint32(define64(m, p)) }

// define64 is like define for a model of any width.
func define64(m Model, p []byte) uint64 {
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

func defineBit(m Model, r, bit uint64) uint64 {
	carry := r>>(m.Width-1)&1 ^ bit
	r = r << 1 & (^uint64(0) >> (64 - m.Width))
	if carry == 1 {
		r ^= m.Poly
	}
	return r
}

// defineOut returns the register in its final bit order.
func defineOut(m Model, r uint64) uint64 {
	if m.RefOut {
		return bits.Reverse64(r) >> (64 - m.Width)
	}
	return r
}

// defineResidue returns the register after the text "123456789" and its checksum were processed. The
// highest power comes first.
func defineResidue(m Model) uint64 {
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

// defineZeros returns the checksum after n further zero bytes, by repeated squaring.
func defineZeros(m Model, crc uint32, n uint64) uint32 {
	r, poly := crc^uint32(m.XorOut), uint32(m.Poly)
	if m.RefIn {
		r = bits.Reverse32(r)
	}
	factor := defineTimes(1<<8, 1, poly)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			r = defineTimes(r, factor, poly)
		}
		factor = defineTimes(factor, factor, poly)
	}
	if m.RefIn {
		r = bits.Reverse32(r)
	}
	return r ^ uint32(m.XorOut)
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

// oddModels returns models of poor CRCs that must still be computed correctly: polynomials without
// a constant term, with few or all terms, and asymmetric registers.
func oddModels() []Model {
	return []Model{
		model32("x^32", 0, 0x12345678, true, 0x9abcdef0),
		model32("x^32+1", 1, 0x12345678, false, 0x9abcdef0),
		model32("x^32+x^31", 0x80000000, 0x12345678, true, 0),
		model32("x^32+x", 2, 1, false, 0),
		model32("low terms", 0x19, 0x12345678, true, 0), // multiples of this polynomial also have low terms
		model32("all terms", 0xffffffff, 0x80000000, true, 1),
		model32("random", 0xdeadbeef, 0x00c0ffee, true, 0x0badf00d),
		model32("random, most significant bit first", 0x5bd1e995, 0x00c0ffee, false, 0x0badf00d),
	}
}

func model32(name string, poly, init uint32, reflected bool, xorOut uint32) Model {
	return Model{
		Name: name, Width: 32, Poly: uint64(poly), Init: uint64(init), RefIn: reflected, RefOut: reflected, XorOut: uint64(xorOut),
	}
}

func models32() []Model {
	return slices.DeleteFunc(Catalogue(), func(m Model) bool { return m.Width != 32 })
}

func allModels() []Model { return append(models32(), oddModels()...) }

func randomBytes(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

// oddModels64 returns models with few bits, with incomplete bytes, in all bit orders, and with poor
// polynomials.
func oddModels64() []Model {
	ms := []Model{
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
			ms = append(ms, Model{
				Name: fmt.Sprintf("%d bits, order %d", width, order), Width: width,
				Poly: 0xad93d23594c93659 & high, Init: 0x0123456789abcdef & high, XorOut: 0xf0e1d2c3b4a59687 & high,
				RefIn: order&1 != 0, RefOut: order&2 != 0,
			})
		}
	}
	return ms
}

func allModels64() []Model { return append(Catalogue(), oddModels64()...) }

// unlisted returns a model whose polynomial has a multiple that is not listed.
func unlisted() Model { return model32("unlisted", 0xdeadbeef, 1, true, 0) }
