package bench

import (
	"fmt"
	"hash/crc32"
	"testing"

	"github.com/assetcook/assetcook/crcslice8"
)

// keep takes results, so that the compiler cannot leave the work out.
var keep uint32

// update continues a checksum, as hash/crc32.Update does.
type update func(crc uint32, p []byte) uint32

// These functions call hash/crc32 as its users do, with tables in package variables. A closure
// over the table would add 2 ns to each call.
func stdIEEE(crc uint32, p []byte) uint32       { return crc32.Update(crc, crc32.IEEETable, p) }
func stdCastagnoli(crc uint32, p []byte) uint32 { return crc32.Update(crc, castagnoli, p) }
func stdKoopman(crc uint32, p []byte) uint32    { return crc32.Update(crc, koopman, p) }

// polynomials in the order in which they are shown. hash/crc32 has no CRC with
// the most significant bit first; the cost of any polynomial that it has no code
// for is that of Koopman's, which stands in its place under a name of its own.
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

// BenchmarkCRC32: impl=crcslice8 is the kernel that Table.Kernel names for the
// size; slicing8 and slicing16 are the textbook ones.
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

// All implementations compute the same results.
func TestPolynomials(t *testing.T) {
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
