package crcslice8

// A multiple of the polynomial P,
//
//	Q = x^d + x^e + ... + 1, all exponents divisible by 8,
//
// removes the first byte of a message of more than d/8 bytes: adding Q, moved up to that byte,
// changes nothing modulo P and leaves zero there. The byte reappears once per lower term of Q,
// (d-e)/8 bytes later and so forth. Applied from the front on, byte i finally becomes
//
//	w[i] = in[i] ^ w[i-t1] ^ w[i-t2] ^ ...
//
// with a tap t for each lower term. This needs only XOR, on words of any width and in any bit
// order, until the last d/8 bytes hold the remainder of all.
//
// If Q is a multiple then so is its eighth power, whose exponents are eight times the exponents of
// Q (the Frobenius map). So the search finds exponents in bits, and the code uses them in bytes.
//
// Four terms would be best, but the polynomials chosen for long messages detect all errors of
// four bits in them, so they have no such multiple. Nearly all have one of this form, with five
// taps for the price of three (see addTaps):
//
//	x^d + (x^a + x^(a-8)) + (x^c + x^(c-8)) + 1, a > c

// multiple is such a multiple, with taps in bytes.
type multiple struct {
	near   int // d-a; the pair's second tap is 8 bytes further
	far    int // d-c; likewise
	degree int // d, the largest tap
}

const (
	// minTap keeps reads clear of recent writes: a word that overlaps two words still on their
	// way to the cache has to wait for both. For correctness 8 would suffice.
	minTap = 128

	// minTerm keeps all taps but the largest clear of the state, which fold hides in the four
	// bytes that only the largest tap may reach.
	minTerm = 4

	// maxDegree bounds the search. Of random polynomials with a constant term, one in a few
	// hundred has no multiple up to it; the usual degree is half of it.
	maxDegree = 5120
)

// newMultiple makes a multiple from its exponents d, a and c.
func newMultiple(d, a, c int) *multiple {
	return &multiple{near: d - a, far: d - c, degree: d}
}

// knownMultiple returns the result of searchMultiple for the polynomials of Models, and nil for
// others.
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

// searchMultiple returns the multiple of poly with the smallest d, nil if there is none up to
// maxDegree. A poly without constant term has none, because no multiple of it has a constant term
// either. It takes a few milliseconds.
//
// A pair of terms is one number, its sum modulo poly. For each d the search goes over the pairs
// and looks up the missing one.
func searchMultiple(poly uint32) *multiple {
	if poly&1 == 0 {
		return nil
	}
	powers := powersOfX(poly, maxDegree)
	var (
		pairs [maxDegree + 1]uint32             // x^a + x^(a-8) by a
		index = make(map[uint32]int, maxDegree) // the first a of a pair
		maybe [1 << 12]uint64                   // one bit per pair's hash: ends most look-ups
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
			// If pairs touch, two of the terms would cancel.
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
