package hashing

import (
	"encoding/binary"
	"hash"
	"hash/adler32"
	"sync/atomic"

	"github.com/assetcook/assetcook/crcslice8"
)

func crc32Funcs() []Func {
	return []Func{
		crc32Func("crc32", "ITU-T V.42, ISO 3309; CRC-32/ISO-HDLC in the RevEng catalogue", "cbf43926", crcslice8.IEEE),
		crc32Func("crc32c", "RFC 3720 appendix B.4, Castagnoli; CRC-32/ISCSI in the RevEng catalogue", "e3069283", crcslice8.Castagnoli),
		crc32Func("crc32k", "Koopman, 32-Bit Cyclic Redundancy Codes for Internet Applications, 2002; ones before and after, as hash/crc32 has it",
			"2d3dd0ae", crcslice8.Koopman),
		crc32Func("crc32-bzip2", "bzip2; CRC-32/BZIP2 in the RevEng catalogue", "fc891918", crcslice8.BZIP2),
		crc32Func("unreal-memcrc", "Unreal Engine, FCrc::MemCrc_DEPRECATED with crc 0; the same sums as crc32-bzip2", "fc891918", crcslice8.BZIP2),
		slice8Func(),
	}
}

// CRC32 returns a function for a CRC-32 outside of the registry. Its name is the model's.
func CRC32(t *crcslice8.Table) Func {
	m := t.Model()
	check := Sum128{Lo: m.Check}.sum(crcslice8.Size).String()
	return deriveNumbers([]Func{crc32Func(m.Name, "CRC-32 by package crcslice8", check, func() *crcslice8.Table { return t })})[0]
}

// crc32Func returns a function for a table of crcslice8, which is made on first use. It never uses
// hash/crc32, which is faster only for Castagnoli with 64 to 128 bytes, by up to 0.8 ns on Zen 4. A
// call through a Func takes longer than that.
func crc32Func(name, source, check string, table func() *crcslice8.Table) Func {
	tables := &lazyTable[crcslice8.Table]{make: table}
	word := func(b []byte) uint64 { return uint64(tables.madeTable().Checksum(b)) }
	narrow := func(b []byte) Sum128 { return Sum128{Lo: word(b)} }
	return Func{
		Name:   name,
		Size:   crcslice8.Size,
		Source: source,
		Check:  check,
		narrow: narrow,
		word:   word,
		stream: func() hash.Hash { return table().Hash() },
		joints: narrowJoints(crcslice8.Size, narrow, func() func(a, b uint64, lenB int64) uint64 {
			return crcCombiner(table().Combiner)
		}),
	}
}

// A lazyTable keeps the result of make. Calling make each time would take as long as processing 4
// bytes.
type lazyTable[T any] struct {
	made atomic.Pointer[T]
	make func() *T
}

func (l *lazyTable[T]) madeTable() *T {
	if t := l.made.Load(); t != nil {
		return t
	}
	t := l.make()
	l.made.Store(t)
	return t
}

// slice8Func computes unreal-memcrc as the Unreal Engine does, with table lookups for 8 bytes at a
// time on any processor. It is a baseline for measurements.
func slice8Func() Func {
	f := crc32Func("slice8", "CRC-32/BZIP2 by slicing-by-8 (Kounavis, Berry, 2005) on purpose, to measure against", "fc891918", crcslice8.BZIP2)
	f.narrow = func(b []byte) Sum128 {
		t := crcslice8.BZIP2()
		return Sum128{Lo: uint64(t.Slicing8(t.Empty(), b))}
	}
	f.word = nil // deriveNumbers derives word from narrow
	f.stream = func() hash.Hash {
		h := &slice8Hash{table: crcslice8.BZIP2()}
		h.Reset()
		return h
	}
	f.joints = nil // this baseline uses a single core
	return f
}

type slice8Hash struct {
	table *crcslice8.Table
	crc   uint32
}

var _ hash.Hash32 = (*slice8Hash)(nil)

func (h *slice8Hash) Write(p []byte) (int, error) {
	h.crc = h.table.Slicing8(h.crc, p)
	return len(p), nil
}

func (h *slice8Hash) Sum32() uint32               { return h.crc }
func (h *slice8Hash) Sum(b []byte) []byte         { return binary.BigEndian.AppendUint32(b, h.crc) }
func (h *slice8Hash) Clone() (hash.Cloner, error) { return copyHash(h) }

func (h *slice8Hash) Reset()         { h.crc = h.table.Empty() }
func (h *slice8Hash) Size() int      { return crcslice8.Size }
func (h *slice8Hash) BlockSize() int { return 8 }

func crc64Funcs() []Func {
	return []Func{
		crc64Func("crc64", "ECMA-182's polynomial as xz uses it, reflected, with ones before and after; CRC-64/XZ in the RevEng catalogue",
			"995dc9bbdf1939fa", 8, crcslice8.XZ),
		crc64Func("crc64nvme", "NVM Express NVM Command Set Specification, 64b CRC; CRC-64/NVME in the RevEng catalogue",
			"ae8b14860a799888", 8, crcslice8.NVME),
	}
}

// CRC64 returns a function for a CRC of 1 to 64 bits outside of the registry. Its name is the
// model's. Its checksums have the minimum number of bytes for the width.
func CRC64(t *crcslice8.Table64) Func {
	m := t.Model()
	size := (m.Width + 7) / 8
	check := Sum128{Lo: m.Check}.sum(size).String()
	return deriveNumbers([]Func{crc64Func(m.Name, "CRC by package crcslice8", check, size, func() *crcslice8.Table64 { return t })})[0]
}

// crc64Func returns a function for a table of crcslice8, which is made on first use.
func crc64Func(name, source, check string, size int, table func() *crcslice8.Table64) Func {
	tables := &lazyTable[crcslice8.Table64]{make: table}
	word := func(b []byte) uint64 { return tables.madeTable().Checksum(b) }
	narrow := func(b []byte) Sum128 { return Sum128{Lo: word(b)} }
	return Func{
		Name:   name,
		Size:   size,
		Source: source,
		Check:  check,
		narrow: narrow,
		word:   word,
		stream: func() hash.Hash { return table().Hash() },
		joints: narrowJoints(size, narrow, func() func(a, b uint64, lenB int64) uint64 {
			return crcCombiner(table().Combiner)
		}),
	}
}

// crcCombiner combines the checksums of consecutive blocks. It caches the combiner for the last
// length, because all blocks of a file but the last have the same length.
func crcCombiner[Sum uint32 | uint64](combiner func(lenB int64) func(a, b Sum) Sum) func(a, b uint64, lenB int64) uint64 {
	length := int64(-1)
	var combine func(a, b Sum) Sum
	return func(a, b uint64, lenB int64) uint64 {
		if lenB != length {
			length, combine = lenB, combiner(lenB)
		}
		return uint64(combine(Sum(a), Sum(b)))
	}
}

func adlerFunc() Func {
	narrow := func(b []byte) Sum128 { return Sum128{Lo: uint64(adler32.Checksum(b))} }
	return Func{
		Name:   "adler32",
		Size:   adler32.Size,
		Source: "RFC 1950 section 8.2, zlib",
		Check:  "091e01de",
		narrow: narrow,
		stream: func() hash.Hash { return adler32.New() },
		joints: narrowJoints(adler32.Size, narrow, func() func(a, b uint64, lenB int64) uint64 { return adlerCombine }),
	}
}

// adlerCombine returns the checksum of a followed by b. The low half of a checksum is 1 plus all
// bytes, and the high half is the sum of all values of the low half, both modulo the largest prime
// below 2^16. In the concatenation, each low half of b is greater by a's low half minus 1.
func adlerCombine(a, b uint64, lenB int64) uint64 {
	const prime = 65521
	above := (a&0xffff + prime - 1) % prime
	low := (above + b&0xffff) % prime
	high := (a>>16 + b>>16 + above*(uint64(lenB)%prime)) % prime
	return high<<16 | low
}
