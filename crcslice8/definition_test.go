package crcslice8

import (
	"math/bits"
	"math/rand/v2"
)

// define computes the checksum of p straight from the definition of the model:
// one bit at a time, most significant bit first, reflecting each byte and the
// result where the model says so. Everything is judged by it in the end.
func define(m Model, p []byte) uint32 {
	r := m.Init
	for _, b := range p {
		if m.Reflected {
			b = bits.Reverse8(b)
		}
		r ^= uint32(b) << 24
		for range 8 {
			carry := r >> 31
			r <<= 1
			if carry == 1 {
				r ^= m.Poly
			}
		}
	}
	if m.Reflected {
		r = bits.Reverse32(r)
	}
	return r ^ m.XorOut
}

// defineZeros returns the checksum of n zero bytes after the bytes whose checksum
// is crc, by repeated squaring.
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

// oddModels are models that nobody should use, but that must be right all the
// same: polynomials without a constant term, with few terms or with all of them,
// and registers that are not the same read from both ends.
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

// unlisted is a model with a polynomial that is not in Models and has a multiple.
func unlisted() Model { return Model{Name: "unlisted", Poly: 0xdeadbeef, Init: 1, Reflected: true} }
