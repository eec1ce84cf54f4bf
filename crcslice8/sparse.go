package crcslice8

import (
	"encoding/binary"
	"sync"
)

const (
	chunk = 64 // bytes per step of the kernel

	// A block and the bytes before it fit a small first-level cache (32 KiB) beside the input.
	blockSize = 8 << 10
)

type buffer [maxDegree + blockSize]byte

// buffers avoids clearing a buffer on the stack, which takes as long as summing some hundred
// bytes.
var buffers = sync.Pool{New: func() any { return new(buffer) }}

// sparse folds p with m and sums the remainder by slicing-16.
func (t *Table) sparse(m *multiple, s uint32, p []byte) uint32 {
	ragged := len(p) % chunk
	if len(p)-ragged <= m.rest() {
		return t.slicing16(s, p)
	}
	s = t.slicing16(s, p[:ragged])
	buf := buffers.Get().(*buffer)
	s = t.slicing16(0, m.fold(buf, s, p[ragged:]))
	buffers.Put(buf)
	return s
}

// rest returns the length of fold's result: the degree, in whole chunks.
func (m *multiple) rest() int { return (m.degree + chunk - 1) / chunk * chunk }

// from returns the length from which folding is faster than slicing-16 alone, as BenchmarkCutoffs
// measures it; it is more than rest and a chunk.
func (m *multiple) from() int { return m.degree + m.degree/2 + 256 }

// fold returns a message of m.rest() bytes, in buf, that leads from state 0 to the same state as
// p leads from s. p must be longer than that, in whole chunks.
func (m *multiple) fold(buf *buffer, s uint32, p []byte) []byte {
	rest := m.rest()
	// The first bytes of buf are those before the current block. Before the first byte of p there
	// is only the state. The largest tap alone leads from the first four bytes of p to the first
	// four of buf, so the state is added there.
	clear(buf[:m.degree])
	binary.LittleEndian.PutUint32(buf[:], s)
	for len(p) > rest {
		n := min(len(p)-rest, blockSize)
		m.addTaps(buf[m.degree:], buf[:], p[:n])
		copy(buf[:m.degree], buf[n:])
		p = p[n:]
	}
	// The remainder gets only the taps that reach back to folded bytes. It overwrites the bytes
	// before it, which are read at the same place or further on.
	clear(buf[m.degree : m.degree+rest])
	m.addTaps(buf[:], buf[:], p)
	return buf[:rest]
}

// native: only bytes are added to bytes, so their order in a word does not matter.
var native = binary.NativeEndian

// addTaps sets dst to the sum of in, in whole chunks, and of the bytes at the taps. For in[0] the
// largest tap leads to before[0]; dst may begin there too, or further on.
//
// Both pairs of taps are eight bytes apart: a word at one tap of a pair is the next word at the
// other tap. So the sum of two words is kept instead of loading them again. The equal lengths and
// the full slice expressions leave one bounds check per slice and chunk.
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
