package crcslice8

import "math/bits"

// Combine returns the checksum of a followed by b, given the checksum of each and
// the length of b in bytes. It panics if lenB is negative.
//
// The time grows with the number of bytes that lenB takes, not with its value.
func (t *Table) Combine(crcA, crcB uint32, lenB int64) uint32 {
	return t.combine(crcA, crcB, t.zeros(lenB))
}

// Shift is what appending a fixed number of bytes does to a checksum. It saves
// most of the work of [Table.Combine] where many blocks have one length. Only
// [Table.Shift] makes one that works.
type Shift struct {
	table *Table
	power uint32
}

// Shift returns the operator for lenB bytes. It panics if lenB is negative.
func (t *Table) Shift(lenB int64) Shift { return Shift{t, t.zeros(lenB)} }

// Combine is [Table.Combine] with the length of the operator.
func (s Shift) Combine(crcA, crcB uint32) uint32 { return s.table.combine(crcA, crcB, s.power) }

// combine moves A up by the length of B and adds B. Each sum holds the initial
// register, moved up by the length of what was summed: of A's, moved further by
// the length of B, the whole wants exactly as much as it has, but B's own is one
// too many. Taking it off A before the move takes it off there. The final XorOut
// comes with B.
func (t *Table) combine(crcA, crcB, power uint32) uint32 {
	return t.swap(t.product(t.swap(crcA^t.Empty()), power)) ^ crcB
}

// zeros returns x^(8n) modulo the polynomial, in the form of states: the factor
// by which n zero bytes multiply a state.
func (t *Table) zeros(n int64) uint32 {
	t.check()
	if n < 0 {
		panic("crcslice8: combine: negative length")
	}
	if n == 0 {
		return t.unit(0)
	}
	k := bits.TrailingZeros64(uint64(n)) / 8
	n >>= 8 * k
	power := t.powers[k][byte(n)]
	for n >>= 8; n != 0; n >>= 8 {
		k++
		if b := byte(n); b != 0 {
			power = t.product(power, t.powers[k][b])
		}
	}
	return power
}

func (t *Table) fillPowers() {
	base := t.unit(8)
	for k := range t.powers {
		power := t.unit(0)
		for b := range t.powers[k] {
			t.powers[k][b] = power
			power = t.product(power, base)
		}
		base = power
	}
}

// unit returns x^i, i below 32, in the form of states.
func (t *Table) unit(i int) uint32 {
	if t.model.Reflected {
		return 1 << (31 - i)
	}
	return bits.ReverseBytes32(1 << i)
}

// product multiplies two states as polynomials, modulo the polynomial of t.
func (t *Table) product(a, b uint32) uint32 {
	// The upper 32 coefficients of the product, as a state, are in the low half of
	// ab, as four bytes of input would be: multiplying them by x^32 modulo the
	// polynomial is what the tables do.
	var ab uint64
	if t.model.Reflected {
		// Two reflected factors give a reflected product of 63 bits.
		ab = carryless(a, b) << 1
	} else {
		ab = bits.ReverseBytes64(carryless(bits.ReverseBytes32(a), bits.ReverseBytes32(b)))
	}
	return uint32(ab>>32) ^
		t.slices[3][byte(ab)] ^
		t.slices[2][byte(ab>>8)] ^
		t.slices[1][byte(ab>>16)] ^
		t.slices[0][byte(ab>>24)]
}

// portableCarryless multiplies a and b as polynomials over GF(2) with the processor's
// ordinary multiplication, as T. Pornin does in BearSSL (ghash_ctmul): every
// fourth bit of each factor is multiplied at a time, so that at most eight ones
// meet in a column and their carries stay in the three columns between, which
// are masked off.
func portableCarryless(a, b uint32) uint64 {
	const column = 0x1111111111111111
	a0, a1, a2, a3 := uint64(a&0x11111111), uint64(a&0x22222222), uint64(a&0x44444444), uint64(a&0x88888888)
	b0, b1, b2, b3 := uint64(b&0x11111111), uint64(b&0x22222222), uint64(b&0x44444444), uint64(b&0x88888888)
	return (a0*b0^a1*b3^a2*b2^a3*b1)&column |
		(a0*b1^a1*b0^a2*b3^a3*b2)&(column<<1) |
		(a0*b2^a1*b1^a2*b0^a3*b3)&(column<<2) |
		(a0*b3^a1*b2^a2*b1^a3*b0)&(column<<3)
}
