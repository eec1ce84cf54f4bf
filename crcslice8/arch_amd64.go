//go:build !purego

package crcslice8

import (
	"math"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// These are the processor extensions that kernels need. x/sys/cpu reports AVX-512 only if the
// operating system saves its registers.
var (
	hasSSE42      = cpu.X86.HasSSE42
	hasPCLMULQDQ  = cpu.X86.HasPCLMULQDQ && cpu.X86.HasAVX
	hasAVX512     = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL
	hasVPCLMULQDQ = hasPCLMULQDQ && hasAVX512 && cpu.X86.HasAVX512VPCLMULQDQ
)

// Each constant is the measured length in bytes where a kernel becomes the fastest; see
// bench/results/crc32.md.
const (
	fromPCLMULQDQ  = 16  // the kernel's minimum length
	fromVPCLMULQDQ = 128 // the kernel's minimum length is 64, but its last steps take long
	fromRegisters  = 8 << 10
	untilCRC32Q    = 128 // CRC32Q is faster for fewer bytes, if the processor has both extensions
)

// archTable holds the data that the assembly kernels need.
//
// It has the number of a kernel instead of a function pointer: bytes passed to a function pointer
// escape, and the caller would have to allocate them on the heap.
type archTable struct {
	folds     *folds // nil if the processor lacks PCLMULQDQ
	wide      bool   // the processor has VPCLMULQDQ
	registers bool   // the processor has AVX-512 without VPCLMULQDQ, and the polynomial has a register kernel
	crc32q    int    // lengths below this use CRC32Q
	tiny      int    // lengths below this are processed without a function call
}

// prepare computes the kernels' factors for a polynomial of degree 64.
func (a *archTable) prepare(poly uint64, reflected bool) {
	narrow := uint32(poly) == 0 // the polynomial has at most 32 bits, and is shifted up
	if hasSSE42 && narrow && poly>>32 == polyCastagnoli && reflected {
		a.crc32q = math.MaxInt
	}
	if hasPCLMULQDQ {
		a.folds = newFolds(poly, reflected)
		a.wide = hasVPCLMULQDQ
		a.registers = hasAVX512 && !hasVPCLMULQDQ && narrow && hasRegisters(poly>>32)
		a.crc32q = min(a.crc32q, untilCRC32Q)
	}
	if a.crc32q == 0 {
		a.tiny = 4
	}
}

// These are the kernels for Table.Update and Table.Kernel.
const (
	kernelPortable = iota
	kernelCRC32Q
	kernelPCLMULQDQ
	kernelVPCLMULQDQ
	kernelRegisters
)

var kernelNames = [...]string{"", "crc32q", "pclmulqdq", "vpclmulqdq", "registers"}

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

func (t *Table) update(crc uint32, p []byte) uint32 {
	state := t.stateOfSum(crc)
	if len(p) < t.arch.tiny {
		return t.sumOfState(t.upTo3(state, p))
	}
	switch t.arch.kernel(len(p)) {
	case kernelCRC32Q:
		state = crc32q(state, unsafe.SliceData(p), len(p))
	case kernelPCLMULQDQ:
		state = uint32(t.arch.pclmulqdq(uint64(state), p))
	case kernelVPCLMULQDQ:
		state = uint32(t.arch.vpclmulqdq(uint64(state), p))
	case kernelRegisters:
		state = t.registers(state, p)
	default:
		state = t.portable(state, p)
	}
	return t.sumOfState(state)
}

func (t *Table64) update(crc uint64, p []byte) uint64 {
	state := t.stateOfSum64(crc)
	if len(p) < t.arch.tiny {
		return t.sumOfState64(t.upTo3(state, p))
	}
	switch t.arch.kernel(len(p)) {
	case kernelCRC32Q:
		state = uint64(crc32q(uint32(state), unsafe.SliceData(p), len(p)))
	case kernelPCLMULQDQ:
		state = t.arch.pclmulqdq(state, p)
	case kernelVPCLMULQDQ:
		state = t.arch.vpclmulqdq(state, p)
	case kernelRegisters:
		state = t.registers(state, p)
	default:
		state = t.portable(state, p)
	}
	return t.sumOfState64(state)
}

// pclmulqdq returns the state after p. len(p) must be at least 16.
func (a *archTable) pclmulqdq(state uint64, p []byte) uint64 {
	return fold16(state, unsafe.SliceData(p), len(p), (*[11][2]uint64)(a.folds))
}

// vpclmulqdq returns the state after p. len(p) must be at least 64.
func (a *archTable) vpclmulqdq(state uint64, p []byte) uint64 {
	return fold64(state, unsafe.SliceData(p), len(p), (*[11][2]uint64)(a.folds))
}

// hasRegisters reports whether a polynomial has a register kernel. The kernel supports both bit
// orders.
func hasRegisters(poly uint64) bool {
	return poly == polyIEEE || poly == polyCastagnoli || poly == polyKoopman
}

// registers returns the state after p. len(p) must be at least 4096. The register kernel reduces p
// to a remainder of 2 KiB. Other kernels process this remainder, and the bytes of p after the last
// whole unit.
func (e *engine[R]) registers(state R, p []byte) R {
	var rest [2048]byte
	whole := len(p) &^ (len(rest) - 1)
	switch e.poly >> 32 {
	case polyIEEE:
		registersIEEE(uint32(state), &p[0], whole, &rest)
	case polyCastagnoli:
		registersCastagnoli(uint32(state), &p[0], whole, &rest)
	case polyKoopman:
		registersKoopman(uint32(state), &p[0], whole, &rest)
	}
	state = R(e.arch.pclmulqdq(0, rest[:]))
	if p = p[whole:]; len(p) < fromPCLMULQDQ {
		return e.bytewise(state, p)
	}
	return R(e.arch.pclmulqdq(uint64(state), p))
}

// archKernel returns the name of the kernel for n bytes, or "" for a portable kernel.
func archKernel(a *archTable, n int) string { return kernelNames[a.kernel(n)] }

// carryless multiplies a and b as polynomials over GF(2).
func carryless(a, b uint64) (hi, lo uint64) {
	if hasPCLMULQDQ {
		return clmul(a, b)
	}
	return portableCarryless(a, b)
}
