//go:build !purego

package crcslice8

import (
	"math"
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:generate go run -C avo . -pkg crcslice8 -out ../fold_amd64.s -stubs ../fold_amd64.go

// What the kernels need of the processor. x/sys/cpu reports AVX-512 only if the
// operating system saves its registers.
var (
	hasSSE42      = cpu.X86.HasSSE42
	hasPCLMULQDQ  = cpu.X86.HasPCLMULQDQ && cpu.X86.HasAVX
	hasAVX512     = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL
	hasVPCLMULQDQ = hasPCLMULQDQ && hasAVX512 && cpu.X86.HasAVX512VPCLMULQDQ
)

// Lengths in bytes from which a kernel is the fastest, as measured; see
// bench/results/crc32.md.
const (
	fromPCLMULQDQ  = 16  // the least it can do
	fromVPCLMULQDQ = 128 // it can do 64, but takes longer to come to the sum
	fromRegisters  = 8 << 10
	untilCRC32Q    = 128 // where there are both
)

// archTable is what the kernels in assembly need of a table.
//
// It says which to call and does not point to them: what is handed to a function
// by pointer is taken to escape, and the caller's bytes would have to be on the
// heap.
type archTable struct {
	folds     *folds // nil if the processor has no PCLMULQDQ
	wide      bool   // VPCLMULQDQ
	registers bool   // AVX-512 without it, and a polynomial that has a kernel
	crc32q    int    // CRC32Q for less than so many bytes
}

func archInit(t *Table) {
	a := &t.arch
	if hasSSE42 && t.model.Poly == polyCastagnoli && t.model.Reflected {
		a.crc32q = math.MaxInt
	}
	if hasPCLMULQDQ {
		a.folds = newFolds(t.model.Poly, t.model.Reflected)
		a.wide = hasVPCLMULQDQ
		a.registers = hasAVX512 && !hasVPCLMULQDQ && hasRegisters(t.model.Poly)
		a.crc32q = min(a.crc32q, untilCRC32Q)
	}
}

// The kernels. What archTable.kernel chooses is what update runs and what
// Table.Kernel tells.
const (
	kernelPortable = iota
	kernelCRC32Q
	kernelPCLMULQDQ
	kernelVPCLMULQDQ
	kernelRegisters
)

var kernelNames = [...]string{"", "crc32q", "pclmulqdq", "vpclmulqdq", "registers"}

// kernel chooses the kernel for n bytes.
func (a *archTable) kernel(n int) int {
	switch {
	case n < a.crc32q:
		return kernelCRC32Q
	case n < fromPCLMULQDQ || a.folds == nil:
		return kernelPortable
	case n >= fromVPCLMULQDQ && a.wide:
		return kernelVPCLMULQDQ
	case n >= fromRegisters && a.registers:
		return kernelRegisters
	}
	return kernelPCLMULQDQ
}

// update returns the state after p.
func (t *Table) update(state uint32, p []byte) uint32 {
	switch t.arch.kernel(len(p)) {
	case kernelCRC32Q:
		return crc32q(state, unsafe.SliceData(p), len(p))
	case kernelPCLMULQDQ:
		return t.pclmulqdq(state, p)
	case kernelVPCLMULQDQ:
		return t.vpclmulqdq(state, p)
	case kernelRegisters:
		return t.registers(state, p)
	}
	return t.portable(state, p)
}

// pclmulqdq returns the state after p, of 16 bytes and more.
func (t *Table) pclmulqdq(state uint32, p []byte) uint32 {
	return fold16(state, unsafe.SliceData(p), len(p), (*[11][2]uint64)(t.arch.folds))
}

// vpclmulqdq returns the state after p, of 64 bytes and more.
func (t *Table) vpclmulqdq(state uint32, p []byte) uint32 {
	return fold64(state, unsafe.SliceData(p), len(p), (*[11][2]uint64)(t.arch.folds))
}

// hasRegisters reports whether a polynomial has a kernel in registers. It does
// not matter to it in which order bits are taken.
func hasRegisters(poly uint32) bool {
	return poly == polyIEEE || poly == polyCastagnoli || poly == polyKoopman
}

// registers returns the state after p, of 4 KiB and more: the registers take
// whole units, what they leave and what is left over goes the ordinary way.
func (t *Table) registers(state uint32, p []byte) uint32 {
	var rest [2048]byte
	whole := len(p) &^ (len(rest) - 1)
	switch t.model.Poly {
	case polyIEEE:
		registersIEEE(state, &p[0], whole, &rest)
	case polyCastagnoli:
		registersCastagnoli(state, &p[0], whole, &rest)
	case polyKoopman:
		registersKoopman(state, &p[0], whole, &rest)
	}
	state = t.pclmulqdq(0, rest[:])
	if p = p[whole:]; len(p) < fromPCLMULQDQ {
		return t.bytewise(state, p)
	}
	return t.pclmulqdq(state, p)
}

// archKernel names the kernel that update takes for n bytes, "" for a portable one.
func archKernel(t *Table, n int) string { return kernelNames[t.arch.kernel(n)] }

// carryless multiplies a and b as polynomials over GF(2).
func carryless(a, b uint32) uint64 {
	if hasPCLMULQDQ {
		return clmul(a, b)
	}
	return portableCarryless(a, b)
}
