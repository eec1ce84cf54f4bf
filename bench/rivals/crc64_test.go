package rivals

import (
	"fmt"
	"testing"

	"github.com/minio/crc64nvme"

	"github.com/assetcook/assetcook/bench"
	"github.com/assetcook/assetcook/crcslice8"
)

var keepCRC64 uint64

func nvme(crc uint64, p []byte) uint64 { return crcslice8.NVME().Update(crc, p) }

var crc64s = []struct {
	impl string
	run  func(crc uint64, p []byte) uint64
}{
	{"crcslice8", nvme},
	{"minio", crc64nvme.Update},
}

// BenchmarkCRC64 measures CRC-64/NVME.
func BenchmarkCRC64(b *testing.B) {
	data := bench.Bytes(1 << 20)
	for _, crc := range crc64s {
		for _, size := range []int{1, 16, 64, 128, 256, 4 << 10, 64 << 10, 1 << 20} {
			p := data[:size]
			b.Run(fmt.Sprintf("crc=crc-64-nvme/impl=%s/size=%d", crc.impl, size), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					keepCRC64 = crc.run(keepCRC64, p)
				}
			})
		}
	}
}

func TestCRC64ImplementationsAgree(t *testing.T) {
	p := bench.Bytes(10_000)
	for _, n := range []int{0, 1, 16, 100, 127, 128, 1000, len(p)} {
		if got, want := crc64nvme.Update(1, p[:n]), nvme(1, p[:n]); got != want {
			t.Errorf("%d bytes: minio gives %x, crcslice8 %x", n, got, want)
		}
	}
}
