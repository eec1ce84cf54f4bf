//go:build !purego

package crcslice8

import (
	"math"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// The extensions of the processor that kernels need. x/sys/cpu reports AVX-512 only if the
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
	fromVPCLMULQDQ = 128 // it can do 64, but its last steps take longer
	fromRegisters  = 8 << 10
	untilCRC32Q    = 128 // where there are both
)

// archTable holds the data of a table for the kernels in assembly.
//
// It says which kernel to call and does not point to one: bytes that are handed to
// a function by pointer escape, and the caller would have to keep them on the heap.
type archTable struct {
	folds     *folds // nil if the processor has no PCLMULQDQ
	wide      bool   // VPCLMULQDQ
	registers bool   // AVX-512 without it, and a polynomial that has a kernel
	crc32q    int    // CRC32Q for fewer bytes than this
	tiny      int    // no call for fewer bytes than this
}

// prepare makes the factors for a polynomial of degree 64.
func (a *archTable) prepare(poly uint64, reflected bool) {
	narrow := uint32(poly) == 0 // one of at most 32 bits, shifted up
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

// update is Update.
func (t *Table) update(crc uint32, p []byte) uint32 {
	state := t.state(crc)
	if len(p) < t.arch.tiny {
		return t.finish(t.upTo3(state, p))
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
	return t.finish(state)
}

// update is Update.
func (t *Table64) update(crc uint64, p []byte) uint64 {
	state := t.state(crc)
	if len(p) < t.arch.tiny {
		return t.finish(t.upTo3(state, p))
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
	return t.finish(state)
}

// pclmulqdq returns the state after p, of 16 bytes and more.
func (a *archTable) pclmulqdq(state uint64, p []byte) uint64 {
	return fold16(state, unsafe.SliceData(p), len(p), (*[11][2]uint64)(a.folds))
}

// vpclmulqdq returns the state after p, of 64 bytes and more.
func (a *archTable) vpclmulqdq(state uint64, p []byte) uint64 {
	return fold64(state, unsafe.SliceData(p), len(p), (*[11][2]uint64)(a.folds))
}

// hasRegisters reports whether a polynomial has a kernel in registers. It does
// not matter to it in which order bits are taken.
func hasRegisters(poly uint64) bool {
	return poly == polyIEEE || poly == polyCastagnoli || poly == polyKoopman
}

// registers returns the state after p, of 4 KiB and more: the registers take
// whole units, what they leave and what is left over goes the ordinary way.
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

// archKernel names the kernel that update takes for n bytes, "" for a portable one.
func archKernel(a *archTable, n int) string { return kernelNames[a.kernel(n)] }

// carryless multiplies a and b as polynomials over GF(2).
func carryless(a, b uint64) (hi, lo uint64) {
	if hasPCLMULQDQ {
		return clmul(a, b)
	}
	return portableCarryless(a, b)
}
