//go:build !purego

package crcslice8

import "testing"

// archKernels returns the kernels for this architecture, even kernels that are not chosen. They
// process an input below their minimum length bytewise.
func archKernels[R register](e *engine[R]) []kernel[R] {
	var ks []kernel[R]
	if e.arch.std != nil {
		ks = append(ks, kernel[R]{"hash/crc32", func(s R, p []byte) R { return R(updateStandard(e.arch.std, uint32(s), p)) }})
	}
	if hasPMULL {
		ks = append(ks, kernel[R]{"pmull", func(s R, p []byte) R {
			if len(p) < fromPMULL {
				return e.bytewise(s, p)
			}
			return R(e.arch.pmull(uint64(s), p))
		}})
	}
	return ks
}

// archLengths returns nil, because the tests already try all lengths around which the kernels
// change.
func archLengths() []int { return nil }

func TestArchKernelByLength(t *testing.T) {
	if !hasPMULL {
		t.Skip("no PMULL")
	}
	for _, tt := range []struct {
		model Model
		n     int
		want  string
	}{
		{mustModel("CRC-32/ISO-HDLC"), 1, "hash/crc32"},
		{mustModel("CRC-32/ISCSI"), 1 << 20, "hash/crc32"},
		{mustModel("CRC-32/BZIP2"), 15, "slicing-8"},
		{mustModel("CRC-32/BZIP2"), 16, "pmull"},
		{mustModel("CRC-32/KOOPMAN"), 1 << 20, "pmull"},
	} {
		if got := New(tt.model).Kernel(tt.n); got != tt.want {
			t.Errorf("%s, %d bytes: %s, want %s", tt.model.Name, tt.n, got, tt.want)
		}
		if got := New64(tt.model).Kernel(tt.n); got != tt.want {
			t.Errorf("%s as a Table64, %d bytes: %s, want %s", tt.model.Name, tt.n, got, tt.want)
		}
	}
}
