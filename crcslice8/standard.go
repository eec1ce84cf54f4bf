//go:build !purego && (arm64 || loong64 || ppc64le || s390x)

package crcslice8

import "hash/crc32"

// standardTable returns the table that hash/crc32 processes with special instructions of this
// architecture. It returns nil except for two reflected polynomials of 32 bits.
func standardTable(poly uint64, reflected bool) *crc32.Table {
	switch {
	case reflected && poly == polyIEEE<<32:
		return crc32.IEEETable
	case reflected && poly == polyCastagnoli<<32:
		return crc32.MakeTable(crc32.Castagnoli)
	}
	return nil
}

// updateStandard returns the state after p. It undoes the complements that hash/crc32 applies
// before and after.
func updateStandard(t *crc32.Table, state uint32, p []byte) uint32 {
	return ^crc32.Update(^state, t, p)
}
