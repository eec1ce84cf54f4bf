//go:build !purego

package crcslice8

import (
	"testing"
	"unsafe"
)

// archKernels returns all assembly kernels that this processor can run, even kernels that are not
// chosen. They process an input below their minimum length bytewise.
func archKernels[R register](e *engine[R]) []kernel[R] {
	var ks []kernel[R]
	add := func(name string, least int, run func(R, []byte) R) {
		ks = append(ks, kernel[R]{name, func(s R, p []byte) R {
			if len(p) < least {
				return e.bytewise(s, p)
			}
			return run(s, p)
		}})
	}
	narrow := uint32(e.poly) == 0
	if hasSSE42 && narrow && e.poly>>32 == polyCastagnoli && e.model.RefIn {
		add("crc32q", 0, func(s R, p []byte) R { return R(crc32q(uint32(s), unsafe.SliceData(p), len(p))) })
	}
	if hasPCLMULQDQ {
		add("pclmulqdq", 16, func(s R, p []byte) R { return R(e.arch.pclmulqdq(uint64(s), p)) })
	}
	if hasVPCLMULQDQ {
		add("vpclmulqdq", 64, func(s R, p []byte) R { return R(e.arch.vpclmulqdq(uint64(s), p)) })
	}
	if hasPCLMULQDQ && hasAVX512 && narrow && hasRegisters(e.poly>>32) {
		add("registers", 4096, e.registers)
	}
	return ks
}

// archLengths returns lengths around which the kernels use a different method.
func archLengths() []int {
	return []int{4095, 4096, 4097, 6143, 6144, 6145, 8192, fromRegisters - 1, fromRegisters + 1}
}

// TestArchKernelByLength checks the choice of a kernel by length, for each kind of processor.
func TestArchKernelByLength(t *testing.T) {
	sse, has, avx512, wide := hasSSE42, hasPCLMULQDQ, hasAVX512, hasVPCLMULQDQ
	t.Cleanup(func() { hasSSE42, hasPCLMULQDQ, hasAVX512, hasVPCLMULQDQ = sse, has, avx512, wide })
	other := model32("other", 0xdeadbeef, 0, false, 0)
	data := randomBytes(1 << 20)
	for _, tt := range []struct {
		name              string
		has, avx512, wide bool
		model             Model
		n                 int
		want              string
	}{
		{"none", false, false, false, mustModel("CRC-32/ISO-HDLC"), 1 << 20, "sparse"},
		{"SSE4.2", false, false, false, mustModel("CRC-32/ISCSI"), 0, "crc32q"},
		{"SSE4.2", false, false, false, mustModel("CRC-32/ISCSI"), 1 << 20, "crc32q"},
		{"PCLMULQDQ", true, false, false, mustModel("CRC-32/ISCSI"), untilCRC32Q - 1, "crc32q"},
		{"PCLMULQDQ", true, false, false, mustModel("CRC-32/ISCSI"), untilCRC32Q, "pclmulqdq"},
		{"PCLMULQDQ", true, false, false, mustModel("CRC-32/ISO-HDLC"), 15, "slicing-8"},
		{"PCLMULQDQ", true, false, false, mustModel("CRC-32/ISO-HDLC"), 16, "pclmulqdq"},
		{"PCLMULQDQ", true, false, false, other, 1 << 20, "pclmulqdq"},
		{"AVX-512", true, true, false, mustModel("CRC-32/ISCSI"), fromRegisters - 1, "pclmulqdq"},
		{"AVX-512", true, true, false, mustModel("CRC-32/ISCSI"), fromRegisters, "registers"},
		{"AVX-512", true, true, false, mustModel("CRC-32/BZIP2"), 1 << 20, "registers"},
		{"AVX-512", true, true, false, mustModel("CRC-32/MEF"), 1 << 20, "registers"},
		{"AVX-512", true, true, false, other, 1 << 20, "pclmulqdq"},
		{"VPCLMULQDQ", true, true, true, mustModel("CRC-32/ISO-HDLC"), 15, "slicing-8"},
		{"VPCLMULQDQ", true, true, true, mustModel("CRC-32/ISO-HDLC"), 127, "pclmulqdq"},
		{"VPCLMULQDQ", true, true, true, mustModel("CRC-32/ISO-HDLC"), 128, "vpclmulqdq"},
		{"VPCLMULQDQ", true, true, true, other, 1 << 20, "vpclmulqdq"},
	} {
		hasSSE42, hasPCLMULQDQ, hasAVX512, hasVPCLMULQDQ = true, tt.has, tt.avx512, tt.wide
		crc := New(tt.model)
		if got := crc.Kernel(tt.n); got != tt.want {
			t.Errorf("%s, %s, %d bytes: %s, want %s", tt.name, tt.model.Name, tt.n, got, tt.want)
		}
		if !sse || tt.has && !has || tt.avx512 && !avx512 || tt.wide && !wide {
			continue // this processor cannot run that kernel
		}
		wide := New64(tt.model)
		if got := wide.Kernel(tt.n); got != tt.want && tt.want != "sparse" {
			t.Errorf("%s, %s as a Table64, %d bytes: %s, want %s", tt.name, tt.model.Name, tt.n, got, tt.want)
		}
		if got, want := uint32(wide.Checksum(data[:tt.n])), crc.Checksum(data[:tt.n]); got != want {
			t.Errorf("%s, %s as a Table64, %d bytes: %08x, want %08x", tt.name, tt.model.Name, tt.n, got, want)
		}
		if got, want := crc.Checksum(data[:tt.n]), crc.Slicing8(crc.Empty(), data[:tt.n]); got != want {
			t.Errorf("%s, %s, %d bytes: %08x, want %08x", tt.name, tt.model.Name, tt.n, got, want)
		}
	}
}
