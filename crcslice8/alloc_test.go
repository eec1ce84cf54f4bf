//go:build !race

// This test is excluded with the race detector, because sync.Pool then drops items at random.

package crcslice8

import (
	"hash"
	"testing"
)

func TestNothingIsAllocated(t *testing.T) {
	for _, m := range []Model{mustModel("CRC-32/ISO-HDLC"), mustModel("CRC-32/BZIP2"), mustModel("CRC-32/KOOPMAN"), unlisted()} {
		crc := New(m)
		checkAllocations(t, m.Name, crc, crc.Hash(), crc.Combiner(12345))
	}
	for _, name := range []string{"CRC-64/NVME", "CRC-16/XMODEM", "CRC-12/UMTS"} {
		crc := New64(mustModel(name))
		checkAllocations(t, name, crc, crc.Hash(), crc.Combiner(12345))
	}
}

type table[R register] interface {
	Checksum(p []byte) R
	Combine(a, b R, lenB int64) R
	kernels() []kernel[R]
}

func checkAllocations[R register](t *testing.T, name string, crc table[R], h hash.Hash, combine func(a, b R) R) {
	data := randomBytes(100_000)
	var sum [8]byte
	var state R
	for _, k := range crc.kernels() {
		if n := testing.AllocsPerRun(100, func() { state = k.run(state, data) }); n != 0 {
			t.Errorf("%s, %s: %v allocations", name, k.name, n)
		}
	}
	for _, tt := range []struct {
		name string
		run  func()
	}{
		{"Checksum", func() { state = crc.Checksum(data) }},
		{"Hash", func() { h.Reset(); h.Write(data); h.Sum(sum[:0]) }},
		{"Combine", func() { state = crc.Combine(state, 1, 1<<40+12345) }},
		{"Combiner", func() { state = combine(state, 1) }},
	} {
		if n := testing.AllocsPerRun(100, tt.run); n != 0 {
			t.Errorf("%s, %s: %v allocations", name, tt.name, n)
		}
	}
}
