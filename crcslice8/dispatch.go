package crcslice8

import "cmp"

// searchFrom is the length in bytes from which an unlisted polynomial's multiple is searched. The
// search takes some milliseconds, once per Table. 32 KiB is the size of io.Copy's writes.
const searchFrom = 32 << 10

// portable returns the state after p by code that runs anywhere. Each architecture has an update
// that chooses between it and its own kernels.
func (t *Table) portable(state uint32, p []byte) uint32 {
	t.refuseZero()
	if len(p) < 8 {
		return t.upTo7(state, p)
	}
	if m := t.multipleFor(len(p)); m != nil {
		return t.sparse(m, state, p)
	}
	return t.slicing16(state, p)
}

// portable is Table.portable for a Table64.
func (t *Table64) portable(state uint64, p []byte) uint64 {
	t.refuseZero()
	if len(p) < 8 {
		return t.upTo7(state, p)
	}
	return t.slicing8(state, p)
}

// multipleFor returns the multiple for folding n bytes, nil if slicing alone is faster or there
// is none.
func (t *Table) multipleFor(n int) *multiple {
	m := t.multiple.Load()
	if m == nil && n >= searchFrom {
		t.search.Do(func() { t.multiple.Store(searchMultiple(uint32(t.model.Poly))) })
		m = t.multiple.Load()
	}
	if m == nil || n < m.from() {
		return nil
	}
	return m
}

// Kernel names the code that computes the checksum of n bytes: "slicing-4", "slicing-8",
// "slicing-16", "sparse", "hash/crc32", or a kernel in assembly.
//
// For a polynomial outside [Models], "sparse" is available after the first input, or the first
// call of Kernel, with at least 32 KiB.
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

// Kernel names the code that computes the checksum of n bytes: "slicing-4",
// "slicing-8" or a kernel in assembly.
func (t *Table64) Kernel(n int) string {
	return cmp.Or(archKernel(&t.arch, n), shortKernel(n))
}

// shortKernel names the part of slicing-8 that handles n bytes.
func shortKernel(n int) string {
	if n >= 8 {
		return "slicing-8"
	}
	return "slicing-4"
}
