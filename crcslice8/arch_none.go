//go:build purego || !(amd64 || arm64 || loong64 || ppc64le || s390x)

package crcslice8

// archTable is empty, because this architecture has no kernels.
type archTable struct{}

func (*archTable) prepare(uint64, bool) {}

func (t *Table) update(crc uint32, p []byte) uint32 {
	return t.sumOfState(t.portable(t.stateOfSum(crc), p))
}

func (t *Table64) update(crc uint64, p []byte) uint64 {
	return t.sumOfState64(t.portable(t.stateOfSum64(crc), p))
}

func archKernel(*archTable, int) string { return "" }

// carryless multiplies a and b as polynomials over GF(2).
func carryless(a, b uint64) (hi, lo uint64) { return portableCarryless(a, b) }
