package crcslice8

import "sync"

var (
	sharedIEEE       = sync.OnceValue(func() *Table { return New(ModelISOHDLC()) })
	sharedCastagnoli = sync.OnceValue(func() *Table { return New(ModelISCSI()) })
	sharedKoopman    = sync.OnceValue(func() *Table { return New(ModelKoopman()) })
	sharedBZIP2      = sync.OnceValue(func() *Table { return New(ModelBZIP2()) })
)

// IEEE returns the table of [ModelISOHDLC], made on first use.
func IEEE() *Table { return sharedIEEE() }

// Castagnoli returns the table of [ModelISCSI], made on first use.
func Castagnoli() *Table { return sharedCastagnoli() }

// Koopman returns the table of [ModelKoopman], made on first use.
func Koopman() *Table { return sharedKoopman() }

// BZIP2 returns the table of [ModelBZIP2], made on first use.
func BZIP2() *Table { return sharedBZIP2() }

// UnrealMemCrc is the Unreal Engine's FCrc::MemCrc_DEPRECATED: the checksum of
// the bytes whose checksum is crc (0 for none), followed by data. It is
// CRC-32/BZIP2; "123456789" gives 0xfc891918. The engine's newer FCrc::MemCrc32 is
// the ordinary CRC-32, [IEEE].
func UnrealMemCrc(data []byte, crc uint32) uint32 { return BZIP2().Update(crc, data) }
