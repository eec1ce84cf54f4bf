//go:build !purego && (loong64 || ppc64le || s390x)

package crcslice8

import "hash/crc32"

// archTable holds the table that hash/crc32 processes with special instructions of this
// architecture; nil if there is none.
type archTable struct{ std *crc32.Table }

// prepare looks up the table. hash/crc32 has kernels for two reflected polynomials of 32 bits.
func (a *archTable) prepare(poly uint64, reflected bool) { a.std = standardTable(poly, reflected) }

func (t *Table) update(crc uint32, p []byte) uint32 {
	state := t.state(crc)
	if t.arch.std != nil {
		return t.finish(updateStandard(t.arch.std, state, p))
	}
	return t.finish(t.portable(state, p))
}

func (t *Table64) update(crc uint64, p []byte) uint64 {
	state := t.state(crc)
	if t.arch.std != nil {
		return t.finish(uint64(updateStandard(t.arch.std, uint32(state), p)))
	}
	return t.finish(t.portable(state, p))
}

// archKernel returns the name of the kernel for n bytes, or "" for a portable kernel.
func archKernel(a *archTable, n int) string {
	if a.std == nil {
		return ""
	}
	return "hash/crc32"
}

// carryless multiplies a and b as polynomials over GF(2).
func carryless(a, b uint64) (hi, lo uint64) { return portableCarryless(a, b) }
