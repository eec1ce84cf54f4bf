//go:build !purego

package crcslice8

import "golang.org/x/sys/cpu"

//go:generate go run -C avo . -pkg crcslice8 -out ../fold_amd64.s -stubs ../fold_amd64.go

// What the kernels need of the processor. x/sys/cpu reports AVX-512 only if the
// operating system saves its registers.
var (
	hasPCLMULQDQ  = cpu.X86.HasPCLMULQDQ && cpu.X86.HasAVX
	hasAVX512     = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL
	hasVPCLMULQDQ = hasPCLMULQDQ && hasAVX512 && cpu.X86.HasAVX512VPCLMULQDQ
)

// Lengths in bytes from which a kernel is the fastest, as measured; see
// bench/results/crc32.md.
const (
	fromPCLMULQDQ  = 16 // the least it can do
	fromVPCLMULQDQ = 64 // the least it can do
	fromRegisters  = 16 << 10
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
}

func archInit(t *Table) {
	if hasPCLMULQDQ {
		t.arch = archTable{
			folds:     newFolds(t.model.Poly, t.model.Reflected),
			wide:      hasVPCLMULQDQ,
			registers: hasAVX512 && !hasVPCLMULQDQ && hasRegisters(t.model.Poly),
		}
	}
}

func archUpdate(t *Table, state uint32, p []byte) (uint32, bool) {
	a := &t.arch
	switch n := len(p); {
	case n < fromPCLMULQDQ || a.folds == nil:
		return 0, false
	case n >= fromVPCLMULQDQ && a.wide:
		return t.vpclmulqdq(state, p), true
	case n >= fromRegisters && a.registers:
		return t.registers(state, p), true
	}
	return t.pclmulqdq(state, p), true
}

// pclmulqdq returns the state after p, of 16 bytes and more.
func (t *Table) pclmulqdq(state uint32, p []byte) uint32 {
	f := (*[10][2]uint64)(t.arch.folds)
	if t.model.Reflected {
		return fold16Reflected(state, &p[0], len(p), f)
	}
	return fold16MSB(state, &p[0], len(p), f)
}

// vpclmulqdq returns the state after p, of 64 bytes and more.
func (t *Table) vpclmulqdq(state uint32, p []byte) uint32 {
	f := (*[10][2]uint64)(t.arch.folds)
	if t.model.Reflected {
		return fold64Reflected(state, &p[0], len(p), f)
	}
	return fold64MSB(state, &p[0], len(p), f)
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

// archKernel names the kernel that archUpdate takes for n bytes, "" for none.
func archKernel(t *Table, n int) string {
	a := &t.arch
	switch {
	case n < fromPCLMULQDQ || a.folds == nil:
		return ""
	case n >= fromVPCLMULQDQ && a.wide:
		return "vpclmulqdq"
	case n >= fromRegisters && a.registers:
		return "registers"
	}
	return "pclmulqdq"
}
