package hashing

import (
	"hash"

	"github.com/assetcook/assetcook/crcslice8"
)

func crc64Funcs() []Func {
	return []Func{
		crc64Func("crc64", "ECMA-182's polynomial as xz uses it, reflected, with ones before and after; CRC-64/XZ in the RevEng catalogue",
			"995dc9bbdf1939fa", 8, crcslice8.XZ),
		crc64Func("crc64nvme", "NVM Express NVM Command Set Specification, 64b CRC; CRC-64/NVME in the RevEng catalogue",
			"ae8b14860a799888", 8, crcslice8.NVME),
	}
}

// CRC64 returns a function for a CRC of 1 to 64 bits outside the registry, for summing files. Its
// name is the model's, and its sums have as many bytes as the width needs.
func CRC64(t *crcslice8.Table64) Func {
	m := t.Model()
	size := (m.Width + 7) / 8
	check := Sum128{Lo: m.Check}.sum(size).String()
	return complete([]Func{crc64Func(m.Name, "CRC by package crcslice8", check, size, func() *crcslice8.Table64 { return t })})[0]
}

// crc64Func wraps a table of crcslice8, which is made on first use.
func crc64Func(name, source, check string, size int, table func() *crcslice8.Table64) Func {
	tables := &lazyTable[crcslice8.Table64]{make: table}
	word := func(b []byte) uint64 { return tables.get().Checksum(b) }
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
			return crcCombiner(table().Shift, crcslice8.Shift64.Combine)
		}),
	}
}

// crcCombiner joins blocks by operators for the length of the second block. It keeps the operator
// of the last length, because all blocks of a file but the last have equal lengths.
func crcCombiner[Shift any, Sum uint32 | uint64](operator func(lenB int64) Shift, combine func(s Shift, a, b Sum) Sum) func(a, b uint64, lenB int64) uint64 {
	length := int64(-1)
	var shift Shift
	return func(a, b uint64, lenB int64) uint64 {
		if lenB != length {
			length, shift = lenB, operator(lenB)
		}
		return uint64(combine(shift, Sum(a), Sum(b)))
	}
}
