package crcslice8

import (
	"encoding/binary"
	"sync"
)

const (
	chunk = 64 // bytes per step of the folding kernel

	// A block, the bytes before it and the input fit into a small L1 cache of 32 KiB.
	blockSize = 8 << 10
)

type buffer [maxDegree + blockSize]byte

// buffers is a pool, because clearing a buffer on the stack would take as long as processing some
// hundred bytes.
var buffers = sync.Pool{New: func() any { return new(buffer) }}

// foldSparse folds p with m, and computes the state after the remainder by slicing-16.
func (t *Table) foldSparse(m *multiple, s uint32, p []byte) uint32 {
	ragged := len(p) % chunk
	if len(p)-ragged <= m.foldedLength() {
		return t.slicing16(s, p)
	}
	s = t.slicing16(s, p[:ragged])
	buf := buffers.Get().(*buffer)
	s = t.slicing16(0, m.foldChunks(buf, s, p[ragged:]))
	buffers.Put(buf)
	return s
}

// foldedLength returns the length of foldChunks' result, which is the degree rounded up to whole
// chunks.
func (m *multiple) foldedLength() int { return (m.degree + chunk - 1) / chunk * chunk }

// fastestFrom returns the minimum length for folding, as measured. From this length, folding is
// faster than slicing-16; see BenchmarkCutoffs. The minimum is greater than foldedLength plus a
// chunk.
func (m *multiple) fastestFrom() int { return m.degree + m.degree/2 + 256 }

// foldChunks folds p to an equivalent message of m.foldedLength() bytes, in buf. From state 0, this
// message gives the state that p gives from state s. p must be longer than the message and consist
// of whole chunks.
func (m *multiple) foldChunks(buf *buffer, s uint32, p []byte) []byte {
	rest := m.foldedLength()
	// The first bytes of buf precede the current block. Before the first byte of p, they hold only
	// the state. Only the largest tap connects the first four bytes of p with the first four bytes
	// of buf, so the state is added there.
	clear(buf[:m.degree])
	binary.LittleEndian.PutUint32(buf[:], s)
	for len(p) > rest {
		n := min(len(p)-rest, blockSize)
		m.addTaps(buf[m.degree:], buf[:], p[:n])
		copy(buf[:m.degree], buf[n:])
		p = p[n:]
	}
	// Only taps that reach back to folded bytes change the remainder. The remainder overwrites
	// bytes of buf that later reads do not need.
	clear(buf[m.degree : m.degree+rest])
	m.addTaps(buf[:], buf[:], p)
	return buf[:rest]
}

// native is the native byte order. Bytes are only added to bytes, so their order in a word does not
// matter.
var native = binary.NativeEndian

// addTaps sets dst to the sum of in, in whole chunks, and the bytes at the taps. For in[0], the
// byte at the largest tap is before[0]. dst may begin at that byte or after it.
//
// Both pairs of taps are eight bytes apart, so the word at one tap of a pair is the next word at
// the other tap. The code therefore keeps the sum of two words instead of loading them again. The
// equal lengths and the full slice expressions leave one bounds check per slice and chunk.
func (m *multiple) addTaps(dst, before, in []byte) {
	near, far := before[m.degree-m.near-8:], before[m.degree-m.far-8:]
	s0 := native.Uint64(near) ^ native.Uint64(far)
	near, far = near[8:], far[8:]

	size := len(in)
	dst, before, near, far = dst[:size], before[:size], near[:size], far[:size]
	for i := 0; i <= size-chunk; i += chunk {
		w := dst[i : i+chunk : i+chunk]
		v := in[i : i+chunk : i+chunk]
		l := before[i : i+chunk : i+chunk]
		n := near[i : i+chunk : i+chunk]
		f := far[i : i+chunk : i+chunk]
		s1 := native.Uint64(n[0:]) ^ native.Uint64(f[0:])
		native.PutUint64(w[0:], native.Uint64(v[0:])^native.Uint64(l[0:])^s0^s1)
		s2 := native.Uint64(n[8:]) ^ native.Uint64(f[8:])
		native.PutUint64(w[8:], native.Uint64(v[8:])^native.Uint64(l[8:])^s1^s2)
		s3 := native.Uint64(n[16:]) ^ native.Uint64(f[16:])
		native.PutUint64(w[16:], native.Uint64(v[16:])^native.Uint64(l[16:])^s2^s3)
		s4 := native.Uint64(n[24:]) ^ native.Uint64(f[24:])
		native.PutUint64(w[24:], native.Uint64(v[24:])^native.Uint64(l[24:])^s3^s4)
		s5 := native.Uint64(n[32:]) ^ native.Uint64(f[32:])
		native.PutUint64(w[32:], native.Uint64(v[32:])^native.Uint64(l[32:])^s4^s5)
		s6 := native.Uint64(n[40:]) ^ native.Uint64(f[40:])
		native.PutUint64(w[40:], native.Uint64(v[40:])^native.Uint64(l[40:])^s5^s6)
		s7 := native.Uint64(n[48:]) ^ native.Uint64(f[48:])
		native.PutUint64(w[48:], native.Uint64(v[48:])^native.Uint64(l[48:])^s6^s7)
		s8 := native.Uint64(n[56:]) ^ native.Uint64(f[56:])
		native.PutUint64(w[56:], native.Uint64(v[56:])^native.Uint64(l[56:])^s7^s8)
		s0 = s8
	}
}

// Let Q be a multiple of the polynomial P,
//
//	Q = x^d + x^e + ... + 1, all exponents divisible by 8.
//
// Adding Q, shifted to the first byte of a message, leaves the remainder modulo P unchanged and
// sets the byte to zero. The message must have more than d/8 bytes. The byte is added again at each
// lower term of Q: (d-e)/8 bytes later for x^e, and so on. Applied from the front, this turns byte
// i into
//
//	w[i] = in[i] ^ w[i-t1] ^ w[i-t2] ^ ...
//
// with a tap t for each lower term. Finally the last d/8 bytes hold the remainder of the message.
// This needs only XOR, on words of any width and in any bit order.
//
// If Q is a multiple of P, then so is its eighth power, whose exponents are eight times the exponents
// of Q (the Frobenius map). So the search finds exponents in bits, and the code uses them in bytes.
//
// Four terms would be the fastest. But polynomials for long messages detect all four-bit errors, so
// they have no such multiple. Nearly all have a multiple of this form, whose five taps take the
// time of three (see addTaps):
//
//	x^d + (x^a + x^(a-8)) + (x^c + x^(c-8)) + 1, a > c

// A multiple holds the exponents of a multiple of the polynomial in the form above, as distances in
// bytes.
type multiple struct {
	near   int // d-a; the second tap of the pair is 8 bytes farther
	far    int // d-c; the second tap of the pair is 8 bytes farther
	degree int // d, which is the largest tap
}

const (
	// minTap keeps reads away from recent writes. A read of a word that overlaps two words in the
	// store buffer must wait for both writes. For correctness, 8 would suffice.
	minTap = 128

	// minTerm keeps all taps but the largest away from four bytes of the buffer. foldChunks hides
	// the state there.
	minTerm = 4

	// maxDegree limits the search. One in a few hundred random polynomials with a constant term has
	// no multiple up to this degree. The usual degree is half of it.
	maxDegree = 5120
)

func newMultiple(d, a, c int) *multiple {
	return &multiple{near: d - a, far: d - c, degree: d}
}

// knownMultiple returns the result of searchMultiple for the CRC-32 polynomials in the catalogue,
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

// searchMultiple returns the multiple of poly with the smallest d, or nil if there is none up to
// maxDegree. A polynomial without a constant term has no such multiple, because its multiples have
// no constant term. The search takes a few milliseconds.
//
// A pair of terms is represented by its sum modulo poly. For each d, the search tries each pair and
// looks up the pair that completes the multiple.
func searchMultiple(poly uint32) *multiple {
	if poly&1 == 0 {
		return nil
	}
	powers := powersOfX(poly, maxDegree)
	var (
		pairs [maxDegree + 1]uint32             // pairs[a] is x^a + x^(a-8)
		index = make(map[uint32]int, maxDegree) // maps the sum of a pair to its exponent a
		maybe [1 << 12]uint64                   // one bit for each hash of a pair; most lookups need only this table
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
			// If two pairs touch, two of their terms cancel.
			if c, ok := index[missing]; ok && c < a && c != a-8 {
				return newMultiple(d, a, c)
			}
		}
	}
	return nil
}

func powersOfX(poly uint32, n int) []uint32 {
	powers := make([]uint32, n+1)
	powers[0] = 1
	for i := range n {
		powers[i+1] = powers[i]<<1 ^ poly&-(powers[i]>>31)
	}
	return powers
}
