//go:build !purego

package crcslice8

import (
	"hash/crc32"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// hasPMULL reports whether the processor has the PMULL instruction, a carry-less multiplication.
var hasPMULL = cpu.ARM64.HasPMULL

// fromPMULL is the minimum length of the PMULL kernel.
const fromPMULL = 16

// archTable holds the data that the kernels for this architecture need.
type archTable struct {
	std   *crc32.Table // table that hash/crc32 accelerates; may be nil
	folds *folds       // nil if the processor lacks PMULL
}

// prepare computes the factors for a polynomial of degree 64.
func (a *archTable) prepare(poly uint64, reflected bool) {
	a.std = standardTable(poly, reflected)
	if hasPMULL {
		a.folds = newFolds(poly, reflected)
	}
}

// These are the kernels for Table.Update and Table.Kernel.
const (
	kernelPortable = iota
	kernelHashCRC32
	kernelPMULL
)

var kernelNames = [...]string{"", "hash/crc32", "pmull"}

func (a *archTable) kernel(n int) int {
	switch {
	case a.std != nil:
		return kernelHashCRC32
	case n < fromPMULL || a.folds == nil:
		return kernelPortable
	}
	return kernelPMULL
}

func (t *Table) update(crc uint32, p []byte) uint32 {
	state := t.stateOfSum(crc)
	switch t.arch.kernel(len(p)) {
	case kernelHashCRC32:
		state = updateStandard(t.arch.std, state, p)
	case kernelPMULL:
		state = uint32(t.arch.pmull(uint64(state), p))
	default:
		state = t.portable(state, p)
	}
	return t.sumOfState(state)
}

func (t *Table64) update(crc uint64, p []byte) uint64 {
	state := t.stateOfSum64(crc)
	switch t.arch.kernel(len(p)) {
	case kernelHashCRC32:
		state = uint64(updateStandard(t.arch.std, uint32(state), p))
	case kernelPMULL:
		state = t.arch.pmull(state, p)
	default:
		state = t.portable(state, p)
	}
	return t.sumOfState64(state)
}

// pmull returns the state after p. len(p) must be at least 16.
func (a *archTable) pmull(state uint64, p []byte) uint64 {
	return foldPMULL(state, unsafe.SliceData(p), len(p), (*[11][2]uint64)(a.folds))
}

// archKernel returns the name of the kernel for n bytes, or "" for a portable kernel.
func archKernel(a *archTable, n int) string { return kernelNames[a.kernel(n)] }

// carryless multiplies a and b as polynomials over GF(2).
func carryless(a, b uint64) (hi, lo uint64) {
	if hasPMULL {
		return pmull(a, b)
	}
	return portableCarryless(a, b)
}
