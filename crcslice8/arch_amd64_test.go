//go:build !purego

package crcslice8

import (
	"testing"
	"unsafe"
)

// archKernels returns every kernel in assembly that this processor can run, also
// where it would not be chosen. Below the length that a kernel needs they leave
// the work to slicing-8.
func archKernels(t *Table) []kernel {
	var ks []kernel
	add := func(name string, least int, run func(uint32, []byte) uint32) {
		ks = append(ks, kernel{name, func(s uint32, p []byte) uint32 {
			if len(p) < least {
				return t.slicing8(s, p)
			}
			return run(s, p)
		}})
	}
	if hasSSE42 && t.model.Poly == polyCastagnoli && t.model.Reflected {
		add("crc32q", 0, func(s uint32, p []byte) uint32 { return crc32q(s, unsafe.SliceData(p), len(p)) })
	}
	if hasPCLMULQDQ {
		add("pclmulqdq", 16, t.pclmulqdq)
	}
	if hasVPCLMULQDQ {
		add("vpclmulqdq", 64, t.vpclmulqdq)
	}
	if hasPCLMULQDQ && hasAVX512 && hasRegisters(t.model.Poly) {
		add("registers", 4096, t.registers)
	}
	return ks
}

// archLengths are those around which something changes in the kernels.
func archLengths() []int {
	return []int{4095, 4096, 4097, 6143, 6144, 6145, 8192, fromRegisters - 1, fromRegisters + 1}
}

// TestArchKernelByLength: which kernel runs for which length, on each kind of
// processor.
func TestArchKernelByLength(t *testing.T) {
	sse, has, avx512, wide := hasSSE42, hasPCLMULQDQ, hasAVX512, hasVPCLMULQDQ
	t.Cleanup(func() { hasSSE42, hasPCLMULQDQ, hasAVX512, hasVPCLMULQDQ = sse, has, avx512, wide })
	other := Model{Name: "other", Poly: 0xdeadbeef}
	data := randomBytes(1 << 20)
	for _, tt := range []struct {
		name              string
		has, avx512, wide bool
		model             Model
		n                 int
		want              string
	}{
		{"none", false, false, false, ModelISOHDLC(), 1 << 20, "sparse"},
		{"SSE4.2", false, false, false, ModelISCSI(), 0, "crc32q"},
		{"SSE4.2", false, false, false, ModelISCSI(), 1 << 20, "crc32q"},
		{"PCLMULQDQ", true, false, false, ModelISCSI(), untilCRC32Q - 1, "crc32q"},
		{"PCLMULQDQ", true, false, false, ModelISCSI(), untilCRC32Q, "pclmulqdq"},
		{"PCLMULQDQ", true, false, false, ModelISOHDLC(), 15, "slicing-8"},
		{"PCLMULQDQ", true, false, false, ModelISOHDLC(), 16, "pclmulqdq"},
		{"PCLMULQDQ", true, false, false, other, 1 << 20, "pclmulqdq"},
		{"AVX-512", true, true, false, ModelISCSI(), fromRegisters - 1, "pclmulqdq"},
		{"AVX-512", true, true, false, ModelISCSI(), fromRegisters, "registers"},
		{"AVX-512", true, true, false, ModelBZIP2(), 1 << 20, "registers"},
		{"AVX-512", true, true, false, ModelMEF(), 1 << 20, "registers"},
		{"AVX-512", true, true, false, other, 1 << 20, "pclmulqdq"},
		{"VPCLMULQDQ", true, true, true, ModelISOHDLC(), 15, "slicing-8"},
		{"VPCLMULQDQ", true, true, true, ModelISOHDLC(), 127, "pclmulqdq"},
		{"VPCLMULQDQ", true, true, true, ModelISOHDLC(), 128, "vpclmulqdq"},
		{"VPCLMULQDQ", true, true, true, other, 1 << 20, "vpclmulqdq"},
	} {
		hasSSE42, hasPCLMULQDQ, hasAVX512, hasVPCLMULQDQ = true, tt.has, tt.avx512, tt.wide
		crc := New(tt.model)
		if got := crc.Kernel(tt.n); got != tt.want {
			t.Errorf("%s, %s, %d bytes: %s, want %s", tt.name, tt.model.Name, tt.n, got, tt.want)
		}
		if !sse || tt.has && !has || tt.avx512 && !avx512 || tt.wide && !wide {
			continue // this processor cannot run what it would be
		}
		if got, want := crc.Checksum(data[:tt.n]), crc.Slicing8(crc.Empty(), data[:tt.n]); got != want {
			t.Errorf("%s, %s, %d bytes: %08x, want %08x", tt.name, tt.model.Name, tt.n, got, want)
		}
	}
}
