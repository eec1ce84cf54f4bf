//go:build (amd64 || arm64) && !purego

package crcslice8

import "math/bits"

// folds holds a polynomial's factors for the multiplying kernels, in pairs of 64 bits. Each
// distance has a pair: one factor folds the low half of a block of 16 bytes, and the other factor
// the high half. The last rows are for the final reduction. The generator in avo depends on the
// layout.
type folds [11][2]uint64

const (
	foldBy2048 = iota // the numbers are distances in bits
	foldBy1536
	foldBy1024
	foldBy512
	foldBy384
	foldBy256
	foldBy128
	foldNone
	foldReduce   // folds the upper 64 of 128 bits, or 65 bits if the most significant bit is first
	foldBarrett  // quotient and polynomial for Barrett's method
	foldConstant // all ones if a reflected polynomial has the term x^0
)

func newFolds(poly uint64, reflected bool) *folds {
	f := new(folds)
	for row, distance := range []int{2048, 1536, 1024, 512, 384, 256, 128} {
		if reflected {
			// The low half holds the 64 higher powers. The product of two reflected factors is one
			// power of x too high, hence the -1.
			f[row] = [2]uint64{
				bits.Reverse64(powerOfX(poly, distance+63)),
				bits.Reverse64(powerOfX(poly, distance-1)),
			}
		} else {
			f[row] = [2]uint64{powerOfX(poly, distance), powerOfX(poly, distance+64)}
		}
	}
	if reflected {
		// Quotient and polynomial have 65 terms. They are stored without the last term x^0, so that
		// the products need no shift. The quotient's last term never matters; foldConstant adds the
		// polynomial's last term.
		f[foldReduce][0] = bits.Reverse64(powerOfX(poly, 127))
		f[foldBarrett] = [2]uint64{bits.Reverse64(quotientOfX(poly, 127)), bits.Reverse64(poly)<<1 | 1}
		f[foldConstant][1] = -(poly & 1)
	} else {
		f[foldReduce] = [2]uint64{powerOfX(poly, 128), 1}
		f[foldBarrett] = [2]uint64{quotientOfX(poly, 128), poly}
	}
	return f
}

// powerOfX returns x^n modulo a polynomial of degree 64.
func powerOfX(poly uint64, n int) uint64 {
	r := uint64(1)
	for range n {
		r = r<<1 ^ poly&-(r>>63)
	}
	return r
}

// quotientOfX returns the 64 low terms of x^n divided by a polynomial of degree 64.
func quotientOfX(poly uint64, n int) uint64 {
	q, r := uint64(0), uint64(1)
	for range n {
		q = q<<1 | r>>63
		r = r<<1 ^ poly&-(r>>63)
	}
	return q
}
