//go:build !purego

package crcslice8

import (
	"math/bits"
)

// folds holds what the multiplication kernels need of a polynomial, in pairs of
// 64 bits: for each distance by which a block of 16 bytes is folded, one factor
// for its low half and one for its high half, and what the last step takes. Its
// layout is known to avo/gen.go.
type folds [11][2]uint64

// The rows of folds.
const (
	foldBy2048 = iota // bits
	foldBy1536
	foldBy1024
	foldBy512
	foldBy384
	foldBy256
	foldBy128
	foldNone
	foldTo96
	foldBarrett
	foldOrder // not 0: most significant bit first
)

func newFolds(poly uint32, reflected bool) *folds {
	f := new(folds)
	for row, distance := range []int{2048, 1536, 1024, 512, 384, 256, 128} {
		if reflected {
			// The low half holds the 64 higher powers. A product of reflected
			// factors comes out one power too high, hence the -1; a 32-bit
			// remainder has its highest power in bit 32 of the 64.
			f[row] = [2]uint64{
				uint64(bits.Reverse32(power(poly, distance+63))) << 32,
				uint64(bits.Reverse32(power(poly, distance-1))) << 32,
			}
		} else {
			f[row] = [2]uint64{uint64(power(poly, distance)), uint64(power(poly, distance+64))}
		}
	}
	if reflected {
		f[foldTo96][0] = uint64(bits.Reverse32(power(poly, 96))) << 1
		f[foldBarrett][0] = bits.Reverse64(quotient(poly, 95))
		f[foldBarrett][1] = uint64(bits.Reverse32(poly)) << 1
	} else {
		f[foldOrder][0] = 1
		f[foldTo96][0] = uint64(power(poly, 96)) << 32
		f[foldBarrett][0] = quotient(poly, 96)
		f[foldBarrett][1] = uint64(poly) << 32
	}
	return f
}

// power is x^n modulo the polynomial, in normal form.
func power(poly uint32, n int) uint32 {
	r := uint64(1)
	for range n {
		if r <<= 1; r>>32 != 0 {
			r ^= 1<<32 | uint64(poly)
		}
	}
	return uint32(r)
}

// quotient is x^n divided by the polynomial, its 64 low bits, in normal form.
func quotient(poly uint32, n int) uint64 {
	q, r := uint64(0), uint64(1)
	for range n {
		q <<= 1
		if r <<= 1; r>>32 != 0 {
			r ^= 1<<32 | uint64(poly)
			q |= 1
		}
	}
	return q
}
