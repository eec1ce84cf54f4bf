//go:build !purego && (arm64 || loong64 || ppc64le || s390x)

package crcslice8

import "hash/crc32"

// archTable is the table with which hash/crc32 uses this architecture's
// instructions for CRCs or carry-less products; nil if it has none for the model.
type archTable struct{ std *crc32.Table }

// archInit: hash/crc32 has kernels for two polynomials, reflected.
func archInit(t *Table) {
	switch {
	case t.model.Reflected && t.model.Poly == polyIEEE:
		t.arch.std = crc32.IEEETable
	case t.model.Reflected && t.model.Poly == polyCastagnoli:
		t.arch.std = crc32.MakeTable(crc32.Castagnoli)
	}
}

// update returns the state after p.
func (t *Table) update(state uint32, p []byte) uint32 {
	if t.arch.std == nil {
		return t.portable(state, p)
	}
	return ^crc32.Update(^state, t.arch.std, p) // it complements before and after
}

// archKernel names the kernel that update takes for n bytes, "" for a portable one.
func archKernel(t *Table, n int) string {
	if t.arch.std == nil {
		return ""
	}
	return "hash/crc32"
}

// carryless multiplies a and b as polynomials over GF(2).
func carryless(a, b uint32) uint64 { return portableCarryless(a, b) }
