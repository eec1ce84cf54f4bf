package crcslice8

import (
	"math/bits"
	"unsafe"
)

// combineSums shifts the sum of A by the length of B, and adds the sum of B. Each sum includes the
// initial register, shifted by the length of the input. To cancel the initial register in B's sum,
// combineSums removes it from A's sum before the shift. B's sum already includes XorOut.
func (e *engine[R]) combineSums(crcA, crcB, power R) R {
	return e.registerOf(e.multiplyStates(e.stateOf(crcA^e.empty), power)) ^ crcB
}

// zeros returns x^(8n) modulo the polynomial, as a state. A state times this factor is the state
// after n more zero bytes.
func (e *engine[R]) zeros(n int64) R {
	e.refuseZero()
	if n < 0 {
		panic("crcslice8: combine: the length is negative")
	}
	if n == 0 {
		return e.powerOfXBelow(0)
	}
	k := bits.TrailingZeros64(uint64(n)) / 8
	n >>= 8 * k
	power := e.powers[k][byte(n)]
	for n >>= 8; n != 0; n >>= 8 {
		k++
		if b := byte(n); b != 0 {
			power = e.multiplyStates(power, e.powers[k][b])
		}
	}
	return power
}

func (e *engine[R]) fillPowers() {
	base := e.powerOfXBelow(8)
	for k := range e.powers {
		power := e.powerOfXBelow(0)
		for b := range e.powers[k] {
			e.powers[k][b] = power
			power = e.multiplyStates(power, base)
		}
		base = power
	}
}

// powerOfXBelow returns x^i as a state. i must be less than the number of bits of R.
func (e *engine[R]) powerOfXBelow(i int) R {
	if e.model.RefIn {
		return 1 << (8*unsafe.Sizeof(R(0)) - 1 - uintptr(i))
	}
	return R(bits.ReverseBytes64(1<<i) >> (64 - 8*unsafe.Sizeof(R(0))))
}

// multiplyStates multiplies two states as polynomials, modulo the polynomial.
//
// The low half of the product holds its upper coefficients, like input bytes. The tables multiply
// them by x^32 or x^64, modulo the polynomial.
func (e *engine[R]) multiplyStates(a, b R) R {
	if unsafe.Sizeof(a) == 8 {
		hi, lo := e.product128(uint64(a), uint64(b))
		return R(hi) ^ e.slices[7][byte(lo)] ^ e.slices[6][byte(lo>>8)] ^
			e.slices[5][byte(lo>>16)] ^ e.slices[4][byte(lo>>24)] ^
			e.slices[3][byte(lo>>32)] ^ e.slices[2][byte(lo>>40)] ^
			e.slices[1][byte(lo>>48)] ^ e.slices[0][lo>>56]
	}
	var ab uint64
	if e.model.RefIn {
		// The product of two reflected 32-bit factors is reflected and has 63 bits.
		_, ab = carryless(uint64(a), uint64(b))
		ab <<= 1
	} else {
		_, ab = carryless(uint64(bits.ReverseBytes32(uint32(a))), uint64(bits.ReverseBytes32(uint32(b))))
		ab = bits.ReverseBytes64(ab)
	}
	return R(ab>>32) ^
		e.slices[3][byte(ab)] ^
		e.slices[2][byte(ab>>8)] ^
		e.slices[1][byte(ab>>16)] ^
		e.slices[0][byte(ab>>24)]
}

// product128 returns the full product of two 64-bit states.
func (e *engine[R]) product128(a, b uint64) (hi, lo uint64) {
	if e.model.RefIn {
		hi, lo = carryless(a, b)
		return hi<<1 | lo>>63, lo << 1
	}
	hi, lo = carryless(bits.ReverseBytes64(a), bits.ReverseBytes64(b))
	return bits.ReverseBytes64(lo), bits.ReverseBytes64(hi)
}

// portableCarryless multiplies a and b as polynomials over GF(2) by Karatsuba's method.
func portableCarryless(a, b uint64) (hi, lo uint64) {
	a1, b1 := uint32(a>>32), uint32(b>>32)
	lo = carryless32(uint32(a), uint32(b))
	if a1|b1 == 0 {
		return 0, lo
	}
	hi = carryless32(a1, b1)
	middle := carryless32(uint32(a)^a1, uint32(b)^b1) ^ lo ^ hi
	return hi ^ middle>>32, lo ^ middle<<32
}

// carryless32 multiplies a and b as polynomials over GF(2) with integer multiplications, as T.
// Pornin does in BearSSL (ghash_ctmul). Each integer product uses only every fourth bit of the
// factors. A sum of at most eight ones cannot carry into the next used bit, and the bits in between
// are masked off.
func carryless32(a, b uint32) uint64 {
	const column = 0x1111111111111111
	a0, a1, a2, a3 := uint64(a&0x11111111), uint64(a&0x22222222), uint64(a&0x44444444), uint64(a&0x88888888)
	b0, b1, b2, b3 := uint64(b&0x11111111), uint64(b&0x22222222), uint64(b&0x44444444), uint64(b&0x88888888)
	return (a0*b0^a1*b3^a2*b2^a3*b1)&column |
		(a0*b1^a1*b0^a2*b3^a3*b2)&(column<<1) |
		(a0*b2^a1*b1^a2*b0^a3*b3)&(column<<2) |
		(a0*b3^a1*b2^a2*b1^a3*b0)&(column<<3)
}
