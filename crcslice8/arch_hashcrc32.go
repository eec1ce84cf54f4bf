//go:build !purego && (loong64 || ppc64le || s390x)

package crcslice8

import "hash/crc32"

// archTable is the table with which hash/crc32 uses this architecture's
// instructions for CRCs or carry-less products; nil if it has none for the model.
type archTable struct{ std *crc32.Table }

// prepare: hash/crc32 has kernels for two polynomials of 32 bits, reflected.
func (a *archTable) prepare(poly uint64, reflected bool) { a.std = standardTable(poly, reflected) }

// update is Update.
func (t *Table) update(crc uint32, p []byte) uint32 {
	state := t.state(crc)
	if t.arch.std != nil {
		return t.finish(updateStandard(t.arch.std, state, p))
	}
	return t.finish(t.portable(state, p))
}

// update is Update.
func (t *Table64) update(crc uint64, p []byte) uint64 {
	state := t.state(crc)
	if t.arch.std != nil {
		return t.finish(uint64(updateStandard(t.arch.std, uint32(state), p)))
	}
	return t.finish(t.portable(state, p))
}

// archKernel names the kernel that update takes for n bytes, "" for a portable one.
func archKernel(a *archTable, n int) string {
	if a.std == nil {
		return ""
	}
	return "hash/crc32"
}

// carryless multiplies a and b as polynomials over GF(2).
func carryless(a, b uint64) (hi, lo uint64) { return portableCarryless(a, b) }
