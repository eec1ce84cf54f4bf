package crcslice8

import (
	"sync"
	"sync/atomic"
)

// sharedTable is a table made on first use. Afterwards it costs one load; sync.OnceValue would
// take as long as summing a byte.
type sharedTable[T any] struct {
	table atomic.Pointer[T]
	once  sync.Once
	build func() *T
}

func (s *sharedTable[T]) get() *T {
	if t := s.table.Load(); t != nil {
		return t
	}
	return s.first()
}

func (s *sharedTable[T]) first() *T {
	s.once.Do(func() { s.table.Store(s.build()) })
	return s.table.Load()
}

var (
	sharedIEEE       = sharedTable[Table]{build: func() *Table { return New(ModelISOHDLC()) }}
	sharedCastagnoli = sharedTable[Table]{build: func() *Table { return New(ModelISCSI()) }}
	sharedKoopman    = sharedTable[Table]{build: func() *Table { return New(ModelKoopman()) }}
	sharedBZIP2      = sharedTable[Table]{build: func() *Table { return New(ModelBZIP2()) }}
	sharedNVME       = sharedTable[Table64]{build: func() *Table64 { return newNamed("CRC-64/NVME") }}
	sharedXZ         = sharedTable[Table64]{build: func() *Table64 { return newNamed("CRC-64/XZ") }}
)

// IEEE returns the table of [ModelISOHDLC], made on first use.
func IEEE() *Table { return sharedIEEE.get() }

// Castagnoli returns the table of [ModelISCSI], made on first use.
func Castagnoli() *Table { return sharedCastagnoli.get() }

// Koopman returns the table of [ModelKoopman], made on first use.
func Koopman() *Table { return sharedKoopman.get() }

// BZIP2 returns the table of [ModelBZIP2], made on first use.
func BZIP2() *Table { return sharedBZIP2.get() }

// NVME returns the table of CRC-64/NVME, the CRC-64 of Amazon S3 and of NVM
// Express, made on first use.
func NVME() *Table64 { return sharedNVME.get() }

// XZ returns the table of CRC-64/XZ, made on first use. hash/crc64 calls it ECMA.
func XZ() *Table64 { return sharedXZ.get() }

// UnrealMemCrc is the Unreal Engine's FCrc::MemCrc_DEPRECATED. It returns the checksum of the
// bytes with checksum crc (0 for none), followed by data. It is CRC-32/BZIP2; "123456789" gives
// 0xfc891918. The engine's newer FCrc::MemCrc32 is the ordinary CRC-32, [IEEE].
func UnrealMemCrc(data []byte, crc uint32) uint32 { return BZIP2().Update(crc, data) }
