package crcslice8

// A multiple of the polynomial P,
//
//	Q = x^d + x^e + ... + 1, all exponents divisible by 8,
//
// removes the first byte of a message that has more than d/8 of them: adding Q,
// moved up to that byte, changes nothing modulo P and leaves zero there; the
// byte reappears once per lower term of Q, (d-e)/8 bytes further on and so forth.
// Doing so from the front on, byte i is by its turn
//
//	w[i] = in[i] ^ w[i-t1] ^ w[i-t2] ^ ...
//
// with a tap t for each lower term: only XOR, on words as wide as one likes and in
// any bit order, until the last d/8 bytes hold the remainder of all.
//
// If Q is a multiple then so is its eighth power, whose exponents are those of Q
// times eight (the Frobenius map): what is searched are exponents in bits, and
// they are used in bytes.
//
// Four terms would be best, but the polynomials chosen for long messages find all
// errors of four bits in them, which is to say that they have no such multiple.
// Nearly all have one of this form, with five taps for the price of three (see
// add):
//
//	x^d + (x^a + x^(a-8)) + (x^c + x^(c-8)) + 1, a > c

// multiple is such a multiple: taps in bytes.
type multiple struct {
	near   int // d-a; the second of the pair is 8 bytes further
	far    int // d-c; likewise
	degree int // d, the largest tap
}

const (
	// minTap keeps what is read clear of what was just written: a word that lies
	// across two that are still on their way to the cache has to wait for both.
	// For the result alone 8 would do.
	minTap = 128

	// minTerm keeps the lowest tap but the largest clear of the state, which fold
	// hides in the four bytes that only the largest is to find.
	minTerm = 4

	// maxDegree bounds the search. Of random polynomials with a constant term, one
	// in a few hundred has no multiple up to it, and the usual degree is half of it.
	maxDegree = 5120
)

// newMultiple makes a multiple of its exponents d, a and c.
func newMultiple(d, a, c int) *multiple {
	return &multiple{near: d - a, far: d - c, degree: d}
}

// knownMultiple returns what searchMultiple finds for the polynomials of Models,
// and nil for others.
func knownMultiple(poly uint32) *multiple {
	switch poly {
	case polyIEEE:
		return newMultiple(1405, 1149, 450)
	case polyCastagnoli:
		return newMultiple(2120, 1905, 1521)
	case polyKoopman:
		return newMultiple(691, 364, 335)
	case polyAIXM:
		return newMultiple(2503, 1501, 548)
	case polyAUTOSAR:
		return newMultiple(2168, 920, 624)
	case polyBASE91D:
		return newMultiple(605, 323, 290)
	case polyCDROMEDC:
		return newMultiple(968, 456, 200)
	case polyXFER:
		return newMultiple(2560, 2252, 1384)
	}
	return nil
}

// searchMultiple returns the multiple of poly with the smallest d, nil if there
// is none up to maxDegree: certainly where poly has no constant term, as no
// multiple of it has one either. It takes a few milliseconds.
//
// A pair of terms is one number, its sum modulo poly. For each d it goes over the
// pairs and looks up the one that is missing.
func searchMultiple(poly uint32) *multiple {
	if poly&1 == 0 {
		return nil
	}
	powers := powersOfX(poly, maxDegree)
	var (
		pairs [maxDegree + 1]uint32             // x^a + x^(a-8) by a
		index = make(map[uint32]int, maxDegree) // the first a of a pair
		maybe [1 << 12]uint64                   // a bit for the hash of each pair: most look-ups end here
	)
	hash := func(v uint32) uint32 { return v * 0x9e3779b1 >> 14 } // Fibonacci hashing to 18 bits
	for d := minTap + 8 + minTerm; d <= maxDegree; d++ {
		last := d - minTap
		pair := powers[last] ^ powers[last-8]
		pairs[last] = pair
		maybe[hash(pair)/64] |= 1 << (hash(pair) % 64)
		if _, ok := index[pair]; !ok {
			index[pair] = last
		}
		for a := 8 + minTerm; a <= last; a++ {
			missing := powers[d] ^ 1 ^ pairs[a]
			if h := hash(missing); maybe[h/64]>>(h%64)&1 == 0 {
				continue
			}
			// Where pairs touch, two of the terms would cancel.
			if c, ok := index[missing]; ok && c < a && c != a-8 {
				return newMultiple(d, a, c)
			}
		}
	}
	return nil
}

// powersOfX returns x^0 to x^n modulo poly, in normal form.
func powersOfX(poly uint32, n int) []uint32 {
	powers := make([]uint32, n+1)
	powers[0] = 1
	for i := range n {
		powers[i+1] = powers[i]<<1 ^ poly&-(powers[i]>>31)
	}
	return powers
}
