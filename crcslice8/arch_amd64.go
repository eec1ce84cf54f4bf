//go:build !purego

package crcslice8

import (
	"math"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// Processor extensions that kernels need. x/sys/cpu reports AVX-512 only if the operating system
// saves its registers.
var (
	hasSSE42      = cpu.X86.HasSSE42
	hasPCLMULQDQ  = cpu.X86.HasPCLMULQDQ && cpu.X86.HasAVX
	hasAVX512     = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL
	hasVPCLMULQDQ = hasPCLMULQDQ && hasAVX512 && cpu.X86.HasAVX512VPCLMULQDQ
)

// Lengths in bytes from which a kernel is the fastest, as measured; see bench/results/crc32.md.
const (
	fromPCLMULQDQ  = 16  // minimum of the kernel
	fromVPCLMULQDQ = 128 // higher than the minimum, 64, because the last steps take long
	fromRegisters  = 8 << 10
	untilCRC32Q    = 128 // fewer bytes are faster with CRC32Q, if the processor has both
)

// archTable holds the data of a table for the kernels in assembly.
//
// It names the kernel to call instead of pointing to it: bytes passed to a function pointer
// escape, and the caller would have to allocate them on the heap.
type archTable struct {
	folds     *folds // nil without PCLMULQDQ
	wide      bool   // the processor has VPCLMULQDQ
	registers bool   // AVX-512 without VPCLMULQDQ, and a polynomial with a kernel
	crc32q    int    // CRC32Q is used for fewer bytes than this
	tiny      int    // fewer bytes than this are processed without a call
}

// prepare computes the kernels' factors for a polynomial of degree 64.
func (a *archTable) prepare(poly uint64, reflected bool) {
	narrow := uint32(poly) == 0 // a polynomial of at most 32 bits, shifted up
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

// The kernels. archTable.kernel chooses one for update and for Table.Kernel.
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

// update implements Update.
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

// update implements Update.
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

// pclmulqdq returns the state after p, which has 16 bytes or more.
func (a *archTable) pclmulqdq(state uint64, p []byte) uint64 {
	return fold16(state, unsafe.SliceData(p), len(p), (*[11][2]uint64)(a.folds))
}

// vpclmulqdq returns the state after p, which has 64 bytes or more.
func (a *archTable) vpclmulqdq(state uint64, p []byte) uint64 {
	return fold64(state, unsafe.SliceData(p), len(p), (*[11][2]uint64)(a.folds))
}

// hasRegisters reports whether a polynomial has a register kernel. The kernel works for both bit
// orders.
func hasRegisters(poly uint64) bool {
	return poly == polyIEEE || poly == polyCastagnoli || poly == polyKoopman
}

// registers returns the state after p, which has 4 KiB or more. The register kernel reduces the
// whole units of p to a remainder of 2 KiB. The ordinary kernels process this remainder and then
// the bytes after the whole units.
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

// archKernel names the kernel for n bytes, "" for a portable one.
func archKernel(a *archTable, n int) string { return kernelNames[a.kernel(n)] }

// carryless multiplies a and b as polynomials over GF(2).
func carryless(a, b uint64) (hi, lo uint64) {
	if hasPCLMULQDQ {
		return clmul(a, b)
	}
	return portableCarryless(a, b)
}
