//go:build !race

// The race detector makes sync.Pool drop things at random, so that allocations
// can be counted only without it.

package crcslice8

import "testing"

func TestNothingIsAllocated(t *testing.T) {
	data := randomBytes(100_000)
	for _, m := range []Model{ModelISOHDLC(), ModelBZIP2(), ModelKoopman(), unlisted()} {
		crc := New(m)
		h := crc.Hash()
		var sum [Size]byte
		for _, k := range crc.kernels() {
			if n := testing.AllocsPerRun(100, func() { sink = k.run(sink, data) }); n != 0 {
				t.Errorf("%s, %s: %v allocations", m.Name, k.name, n)
			}
		}
		for _, tt := range []struct {
			name string
			run  func()
		}{
			{"Checksum", func() { sink = crc.Checksum(data) }},
			{"Hash", func() { h.Reset(); h.Write(data); h.Sum(sum[:0]) }},
			{"Combine", func() { sink = crc.Combine(sink, 1, 1<<40+12345) }},
			{"Shift", func() { sink = crc.Shift(12345).Combine(sink, 1) }},
		} {
			if n := testing.AllocsPerRun(100, tt.run); n != 0 {
				t.Errorf("%s, %s: %v allocations", m.Name, tt.name, n)
			}
		}
	}
}
