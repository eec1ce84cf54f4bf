package crcslice8

import (
	"cmp"
	"encoding/binary"
)

// searchFrom is the minimum input length in bytes for searching a multiple of an unlisted
// polynomial. The search takes some milliseconds, once per Table. 32 KiB is the size of io.Copy's
// writes.
const searchFrom = 32 << 10

// portable returns the state after p with a portable kernel. Each architecture's update may call it
// or an assembly kernel.
func (t *Table) portable(state uint32, p []byte) uint32 {
	t.refuseZero()
	if len(p) < 8 {
		return t.upTo7(state, p)
	}
	if m := t.multipleFor(len(p)); m != nil {
		return t.foldSparse(m, state, p)
	}
	return t.slicing16(state, p)
}

func (t *Table64) portable(state uint64, p []byte) uint64 {
	t.refuseZero()
	if len(p) < 8 {
		return t.upTo7(state, p)
	}
	return t.slicing8(state, p)
}

// multipleFor returns the multiple for folding n bytes. It returns nil if slicing is faster or no
// multiple is known.
func (t *Table) multipleFor(n int) *multiple {
	m := t.multiple.Load()
	if m == nil && n >= searchFrom {
		t.search.Do(func() { t.multiple.Store(searchMultiple(uint32(t.model.Poly))) })
		m = t.multiple.Load()
	}
	if m == nil || n < m.fastestFrom() {
		return nil
	}
	return m
}

// Kernel returns the name of the code that computes the checksum of n bytes: "slicing-4",
// "slicing-8", "slicing-16", "sparse", "hash/crc32", or an assembly kernel.
//
// For a polynomial without a listed multiple, "sparse" is available after the first input of at
// least 32 KiB, or after the first call of Kernel for such a length.
func (t *Table) Kernel(n int) string {
	if name := archKernel(&t.arch, n); name != "" {
		return name
	}
	switch {
	case t.multipleFor(n) != nil:
		return "sparse"
	case n >= 16:
		return "slicing-16"
	}
	return shortKernel(n)
}

// Kernel returns the name of the code that computes the checksum of n bytes: "slicing-4",
// "slicing-8" or an assembly kernel.
func (t *Table64) Kernel(n int) string {
	return cmp.Or(archKernel(&t.arch, n), shortKernel(n))
}

// shortKernel returns the name of the slicing kernel for n bytes.
func shortKernel(n int) string {
	if n >= 8 {
		return "slicing-8"
	}
	return "slicing-4"
}

// Slicing8 is like [Table.Update] but always uses slicing-by-8. It is a reference for tests of
// other kernels.
func (t *Table) Slicing8(crc uint32, p []byte) uint32 {
	t.refuseZero()
	return t.sumOfState(t.slicing8(t.stateOfSum(crc), p))
}

// Slicing16 is like [Table.Update] but always uses slicing-by-16.
func (t *Table) Slicing16(crc uint32, p []byte) uint32 {
	t.refuseZero()
	return t.sumOfState(t.slicing16(t.stateOfSum(crc), p))
}

// Slicing8 is like [Table64.Update] but always uses slicing-by-8. It is a reference for tests of
// other kernels.
func (t *Table64) Slicing8(crc uint64, p []byte) uint64 {
	t.refuseZero()
	return t.sumOfState64(t.slicing8(t.stateOfSum64(crc), p))
}

// slicing8 processes eight bytes per step. A CRC is linear, so the state after eight bytes is the
// sum of their contributions. A byte followed by k more bytes contributes slices[k]. The state is
// added to all eight bytes. The additions form a tree, because all lookups depend on the previous
// step.
func (t *Table64) slicing8(s uint64, p []byte) uint64 {
	for ; len(p) >= 8; p = p[8:] {
		s ^= binary.LittleEndian.Uint64(p)
		s = (t.slices[0][s>>56] ^ t.slices[1][byte(s>>48)] ^
			(t.slices[2][byte(s>>40)] ^ t.slices[3][byte(s>>32)])) ^
			(t.slices[4][byte(s>>24)] ^ t.slices[5][byte(s>>16)] ^
				(t.slices[6][byte(s>>8)] ^ t.slices[7][byte(s)]))
	}
	return t.upTo7(s, p)
}

// slicing8 is like Table64.slicing8, but adds its 32-bit state only to the first four bytes. The
// lookups of these bytes depend on the previous step, so they come last in the sum.
func (t *Table) slicing8(s uint32, p []byte) uint32 {
	for ; len(p) >= 8; p = p[8:] {
		s ^= binary.LittleEndian.Uint32(p)
		s = t.slices[0][p[7]] ^
			t.slices[1][p[6]] ^
			t.slices[2][p[5]] ^
			t.slices[3][p[4]] ^
			t.slices[4][s>>24] ^
			t.slices[5][byte(s>>16)] ^
			t.slices[6][byte(s>>8)] ^
			t.slices[7][byte(s)]
	}
	return t.upTo7(s, p)
}

// slicing16 is like slicing8 but processes 16 bytes per step. Single-byte loads are faster here
// than splitting a word.
func (t *Table) slicing16(s uint32, p []byte) uint32 {
	for ; len(p) >= 16; p = p[16:] {
		s ^= binary.LittleEndian.Uint32(p)
		s = t.slices[0][p[15]] ^
			t.slices[1][p[14]] ^
			t.slices[2][p[13]] ^
			t.slices[3][p[12]] ^
			t.slices[4][p[11]] ^
			t.slices[5][p[10]] ^
			t.slices[6][p[9]] ^
			t.slices[7][p[8]] ^
			t.upper[0][p[7]] ^
			t.upper[1][p[6]] ^
			t.upper[2][p[5]] ^
			t.upper[3][p[4]] ^
			t.upper[4][s>>24] ^
			t.upper[5][byte(s>>16)] ^
			t.upper[6][byte(s>>8)] ^
			t.upper[7][byte(s)]
	}
	return t.slicing8(s, p)
}
