package crcslice8

import (
	"fmt"
	"hash/crc32"
	"testing"
)

var sink uint32

// BenchmarkChecksum compares the public functions with hash/crc32, for inputs of 16 bytes to 64
// MiB.
func BenchmarkChecksum(b *testing.B) {
	data := randomBytes(64 << 20)
	for _, n := range []int{16, 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 1 << 20, 64 << 20} {
		p := data[:n]
		for _, tt := range []struct {
			name string
			run  func()
		}{
			{"hash-crc32/IEEE", func() { sink = crc32.Update(sink, crc32.IEEETable, p) }},
			{"hash-crc32/Castagnoli", func() { sink = crc32.Update(sink, castagnoliTable, p) }},
			{"hash-crc32/Koopman", func() { sink = crc32.Update(sink, koopmanTable, p) }},
			{"IEEE", func() { sink = IEEE().Update(sink, p) }},
			{"Castagnoli", func() { sink = Castagnoli().Update(sink, p) }},
			{"Koopman", func() { sink = Koopman().Update(sink, p) }},
			{"BZIP2", func() { sink = BZIP2().Update(sink, p) }},
		} {
			b.Run(fmt.Sprintf("%s/%d", tt.name, n), func(b *testing.B) {
				b.SetBytes(int64(n))
				for b.Loop() {
					tt.run()
				}
			})
		}
	}
}

var (
	castagnoliTable = crc32.MakeTable(crc32.Castagnoli)
	koopmanTable    = crc32.MakeTable(crc32.Koopman)
)

// BenchmarkCutoffs runs every portable kernel around the lengths where the choice of kernel
// changes.
func BenchmarkCutoffs(b *testing.B) {
	data := randomBytes(128 << 10)
	for _, m := range []Model{mustModel("CRC-32/BZIP2"), mustModel("CRC-32/ISCSI"), mustModel("CRC-32/KOOPMAN")} {
		t := New(m)
		for _, n := range []int{1 << 10, 1300, 1500, 2 << 10, 2300, 3 << 10, 3500, 4 << 10, 8 << 10, 64 << 10} {
			p := data[:n]
			for _, k := range t.kernels() {
				b.Run(fmt.Sprintf("%s/%s/%d", m.Name[7:], k.name, n), func(b *testing.B) {
					b.SetBytes(int64(n))
					for b.Loop() {
						sink = k.run(sink, p)
					}
				})
			}
		}
	}
}
