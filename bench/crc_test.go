package bench

import (
	"fmt"
	"hash/crc32"
	"hash/crc64"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/crcslice8"
)

// keep receives results, so that the compiler cannot remove the work.
var (
	keep      uint32
	keepCRC64 uint64
)

// update continues a checksum, as hash/crc32.Update does.
type update func(crc uint32, p []byte) uint32

// These functions call hash/crc32 as typical programs do, with tables in package variables. A
// closure over the table would cost 2 ns per call.
func stdIEEE(crc uint32, p []byte) uint32       { return crc32.Update(crc, crc32.IEEETable, p) }
func stdCastagnoli(crc uint32, p []byte) uint32 { return crc32.Update(crc, castagnoli, p) }
func stdKoopman(crc uint32, p []byte) uint32    { return crc32.Update(crc, koopman, p) }

// polynomials lists the polynomials in display order. hash/crc32 cannot compute CRCs with the most
// significant bit first. Koopman stands for all polynomials without special code, because they take
// the same time.
var polynomials = []struct {
	name  string
	table *crcslice8.Table
	impl  string
	std   update
}{
	{"ieee", crcslice8.IEEE(), "hash-crc32", stdIEEE},
	{"castagnoli", crcslice8.Castagnoli(), "hash-crc32", stdCastagnoli},
	{"koopman", crcslice8.Koopman(), "hash-crc32", stdKoopman},
	{"bzip2", crcslice8.BZIP2(), "hash-crc32-koopman", stdKoopman},
}

// BenchmarkCRC32 compares kernels. The row impl=crcslice8 is the kernel that Table.Kernel returns
// for the size; slicing8 and slicing16 are the textbook algorithms.
func BenchmarkCRC32(b *testing.B) {
	data := Bytes(64 << 20)
	for _, poly := range polynomials {
		for _, impl := range []struct {
			name string
			run  update
		}{
			{"crcslice8", poly.table.Update},
			{poly.impl, poly.std},
			{"slicing16", poly.table.Slicing16},
			{"slicing8", poly.table.Slicing8},
		} {
			for _, size := range []int{4, 16, 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 64 << 20} {
				p := data[:size]
				b.Run(fmt.Sprintf("poly=%s/impl=%s/size=%d", poly.name, impl.name, size), func(b *testing.B) {
					b.SetBytes(int64(size))
					for b.Loop() {
						keep = impl.run(keep, p)
					}
				})
			}
		}
	}
}

func stdXZ(crc uint64, p []byte) uint64    { return crc64.Update(crc, xzTable, p) }
func stdGOISO(crc uint64, p []byte) uint64 { return crc64.Update(crc, goISOTable, p) }
func stdNVME(crc uint64, p []byte) uint64  { return crc64.Update(crc, nvmeTable, p) }

// These are tables for hash/crc64. That package has special code for the polynomials of xz and ISO.
// With other polynomials, it processes short inputs byte by byte.
var (
	xzTable    = crc64.MakeTable(crc64.ECMA)
	goISOTable = crc64.MakeTable(crc64.ISO)
	nvmeTable  = crc64.MakeTable(0x9a6c9329ac4bc9b5)
)

// widths lists CRCs of widths other than 32 bits, in display order. The standard library has no
// 16-bit and 8-bit CRCs.
var widths = []struct {
	model string
	std   func(crc uint64, p []byte) uint64
}{
	{"CRC-64/NVME", stdNVME},
	{"CRC-64/XZ", stdXZ},
	{"CRC-64/GO-ISO", stdGOISO},
	{"CRC-64/ECMA-182", nil},
	{"CRC-16/ARC", nil},
	{"CRC-16/XMODEM", nil},
	{"CRC-8/SMBUS", nil},
}

// modelTable returns the table for a model in the CRC catalogue.
func modelTable(tb testing.TB, model string) *crcslice8.Table64 {
	m, ok := crcslice8.ModelByName(model)
	if !ok {
		tb.Fatalf("unknown model %s", model)
	}
	return crcslice8.New64(m)
}

// BenchmarkCRC64 compares kernels. The row impl=crcslice8 is the kernel that Table64.Kernel returns
// for the size.
func BenchmarkCRC64(b *testing.B) {
	data := Bytes(1 << 20)
	for _, width := range widths {
		table := modelTable(b, width.model)
		for _, impl := range []struct {
			name string
			run  func(crc uint64, p []byte) uint64
		}{
			{"crcslice8", table.Update},
			{"hash-crc64", width.std},
			{"slicing8", table.Slicing8},
		} {
			if impl.run == nil {
				continue
			}
			for _, size := range []int{1, 4, 16, 64, 256, 1 << 10, 4 << 10, 64 << 10, 1 << 20} {
				p := data[:size]
				name := strings.ToLower(strings.ReplaceAll(width.model, "/", "-"))
				b.Run(fmt.Sprintf("crc=%s/impl=%s/size=%d", name, impl.name, size), func(b *testing.B) {
					b.SetBytes(int64(size))
					for b.Loop() {
						keepCRC64 = impl.run(keepCRC64, p)
					}
				})
			}
		}
	}
}

func TestAllWidthsAgree(t *testing.T) {
	p := Bytes(100_000)
	for _, width := range widths {
		table := modelTable(t, width.model)
		want := table.Slicing8(1, p)
		if got := table.Update(1, p); got != want {
			t.Errorf("%s: %x, slicing-8 gives %x", width.model, got, want)
		}
		if width.std == nil {
			continue
		}
		if got := width.std(1, p); got != want {
			t.Errorf("%s: hash/crc64 gives %x, slicing-8 %x", width.model, got, want)
		}
	}
}

func TestAllPolynomialsAgree(t *testing.T) {
	p := Bytes(100_000)
	for _, poly := range polynomials {
		want := poly.table.Slicing8(1, p)
		if got := poly.table.Update(1, p); got != want {
			t.Errorf("%s: %08x, by slicing-8 %08x", poly.name, got, want)
		}
		if got := poly.std(1, p); (got == want) != (poly.impl == "hash-crc32") {
			t.Errorf("%s: %s gives %08x, slicing-8 %08x", poly.name, poly.impl, got, want)
		}
	}
}
