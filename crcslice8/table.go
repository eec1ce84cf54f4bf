package crcslice8

import (
	"fmt"
	"hash"
	"math/bits"
	"sync"
	"sync/atomic"
)

// Table is a CRC-32 with precomputed data. It is immutable and safe for concurrent use. Use [New];
// computing methods of the zero Table panic.
type Table struct {
	engine[uint32]

	upper [8][256]uint32 // slices 8 to 15 for slicing-16

	multiple atomic.Pointer[multiple] // folds long inputs; nil until found
	search   sync.Once                // guards the search for unlisted polynomials
}

// New computes the data for the polynomial of m, which takes some tens of microseconds. It accepts
// any polynomial, even of a poor CRC. It panics for an invalid model, and for a model that needs
// [New64] because its width is not 32 bits or RefIn and RefOut differ.
func New(m Model) *Table {
	t := new(Table)
	t.prepare(m)
	if m.Width != 32 || m.RefIn != m.RefOut {
		panic(fmt.Sprintf("crcslice8: New: %v: the width must be 32 bits, and RefIn and RefOut equal; use New64", m))
	}
	previous := &t.slices[7]
	for k := range t.upper {
		for b, s := range previous {
			t.upper[k][b] = t.afterZero(s)
		}
		previous = &t.upper[k]
	}
	t.multiple.Store(knownMultiple(uint32(m.Poly)))
	return t
}

// Model returns the model that t was made from.
func (t *Table) Model() Model { return t.model }

// Empty returns the checksum of zero bytes, which is the first argument in a chain of
// [Table.Update].
func (t *Table) Empty() uint32 { return t.empty }

// Checksum returns the checksum of p.
func (t *Table) Checksum(p []byte) uint32 { return t.Update(t.empty, p) }

// Update returns the checksum of earlier bytes followed by p. crc is the checksum of the earlier
// bytes, or Empty. As with hash/crc32, crc is a finished value, not a register.
func (t *Table) Update(crc uint32, p []byte) uint32 {
	return t.update(crc, p)
}

// stateOfSum converts a checksum to a state.
func (t *Table) stateOfSum(crc uint32) uint32 { return t.swapBytes(crc ^ t.xorOut) }

func (t *Table) sumOfState(state uint32) uint32 { return t.swapBytes(state) ^ t.xorOut }

// swapBytes converts between a state and a register, in both directions, which are equal for 32
// bits. It is small enough to be inlined.
func (t *Table) swapBytes(r uint32) uint32 {
	if t.order != reflected {
		r = bits.ReverseBytes32(r)
	}
	return r
}

// combineSums32 is like engine.combineSums but uses swapBytes.
func (t *Table) combineSums32(crcA, crcB, power uint32) uint32 {
	return t.swapBytes(t.multiplyStates(t.swapBytes(crcA^t.empty), power)) ^ crcB
}

// Hash returns a new hash.Hash32. Its Sum appends the checksum with the most significant byte
// first.
//
// The result also implements hash.Cloner, encoding.BinaryMarshaler, BinaryAppender and
// BinaryUnmarshaler. A saved state can be continued by a hash of an equal model; names and check
// values may differ.
func (t *Table) Hash() hash.Hash32 { return &digest32{digest[uint32]{t, t.Empty()}} }

// Combine returns the checksum of a followed by b, given the checksum of each and the length of b
// in bytes. It panics if lenB is negative.
//
// Its running time grows with the logarithm of lenB.
func (t *Table) Combine(crcA, crcB uint32, lenB int64) uint32 {
	return t.combineSums32(crcA, crcB, t.zeros(lenB))
}

// Combiner returns a function that is [Table.Combine] for one length of b. It avoids most of the
// work of Combine for many blocks of the same length. It panics if lenB is negative.
func (t *Table) Combiner(lenB int64) func(crcA, crcB uint32) uint32 {
	power := t.zeros(lenB)
	return func(crcA, crcB uint32) uint32 { return t.combineSums32(crcA, crcB, power) }
}

// Table64 is a CRC of 1 to 64 bits with precomputed data. It is immutable and safe for concurrent
// use. Use [New64]; computing methods of the zero Table64 panic.
type Table64 struct{ engine[uint64] }

// New64 computes the data for the polynomial of m, which takes some tens of microseconds. It
// accepts any polynomial, even of a poor CRC. It panics if the width is not 1 to 64, or if Poly,
// Init or XorOut has more bits than the width.
func New64(m Model) *Table64 {
	t := new(Table64)
	t.prepare(m)
	return t
}

// Model returns the model that t was made from.
func (t *Table64) Model() Model { return t.model }

// Empty returns the checksum of zero bytes, which is the first argument in a chain of
// [Table64.Update].
func (t *Table64) Empty() uint64 { return t.empty }

// Checksum returns the checksum of p.
func (t *Table64) Checksum(p []byte) uint64 { return t.Update(t.empty, p) }

// Update returns the checksum of earlier bytes followed by p. crc is the checksum of the earlier
// bytes, or Empty. As with hash/crc64, crc is a finished value, not a register. Bits of crc above
// the width are ignored.
func (t *Table64) Update(crc uint64, p []byte) uint64 {
	return t.update(crc, p)
}

// stateOfSum64 converts a checksum to a state. It ignores bits of crc above the width.
func (t *Table64) stateOfSum64(crc uint64) uint64 {
	if crc ^= t.xorOut; t.order != reflected {
		return t.stateOf(crc)
	}
	return crc & t.mask
}

func (t *Table64) sumOfState64(state uint64) uint64 {
	if t.order != reflected {
		state = t.registerOf(state)
	}
	return state ^ t.xorOut
}

// Hash returns a new hash.Hash64. Its Sum appends the checksum with the most significant byte
// first, in as many bytes as the width needs.
//
// The result also implements hash.Cloner, encoding.BinaryMarshaler, BinaryAppender and
// BinaryUnmarshaler. A saved state can be continued by a hash of an equal model; names, check
// values and residues may differ.
func (t *Table64) Hash() hash.Hash64 { return &digest64{digest[uint64]{t, t.Empty()}} }

// Combine returns the checksum of a followed by b, given the checksum of each and the length of b
// in bytes. It panics if lenB is negative.
//
// Its running time grows with the logarithm of lenB.
func (t *Table64) Combine(crcA, crcB uint64, lenB int64) uint64 {
	return t.combineSums(crcA, crcB, t.zeros(lenB))
}

// Combiner returns a function that is [Table64.Combine] for one length of b. It avoids most of the
// work of Combine for many blocks of the same length. It panics if lenB is negative.
func (t *Table64) Combiner(lenB int64) func(crcA, crcB uint64) uint64 {
	power := t.zeros(lenB)
	return func(crcA, crcB uint64) uint64 { return t.combineSums(crcA, crcB, power) }
}

// A sharedTable is a table that is made on first use. Later uses take one load; sync.OnceValue
// would take as long as processing a byte.
type sharedTable[T any] struct {
	table atomic.Pointer[T]
	once  sync.Once
	build func() *T
}

func (s *sharedTable[T]) sharedOrBuilt() *T {
	if t := s.table.Load(); t != nil {
		return t
	}
	return s.buildOnce()
}

func (s *sharedTable[T]) buildOnce() *T {
	s.once.Do(func() { s.table.Store(s.build()) })
	return s.table.Load()
}

var (
	sharedIEEE       = sharedTable[Table]{build: func() *Table { return New(mustModel("CRC-32/ISO-HDLC")) }}
	sharedCastagnoli = sharedTable[Table]{build: func() *Table { return New(mustModel("CRC-32/ISCSI")) }}
	sharedKoopman    = sharedTable[Table]{build: func() *Table { return New(mustModel("CRC-32/KOOPMAN")) }}
	sharedBZIP2      = sharedTable[Table]{build: func() *Table { return New(mustModel("CRC-32/BZIP2")) }}
	sharedNVME       = sharedTable[Table64]{build: func() *Table64 { return New64(mustModel("CRC-64/NVME")) }}
	sharedXZ         = sharedTable[Table64]{build: func() *Table64 { return New64(mustModel("CRC-64/XZ")) }}
)

// IEEE returns the shared table of CRC-32/ISO-HDLC, the CRC-32 of Ethernet, zip, gzip and PNG.
// hash/crc32 has it under the same name.
func IEEE() *Table { return sharedIEEE.sharedOrBuilt() }

// Castagnoli returns the shared table of CRC-32/ISCSI, the CRC-32C of RFC 3720, iSCSI, ext4 and
// Btrfs. hash/crc32 has it under the same name.
func Castagnoli() *Table { return sharedCastagnoli.sharedOrBuilt() }

// Koopman returns the shared table of CRC-32/KOOPMAN. hash/crc32 has it under the same name.
func Koopman() *Table { return sharedKoopman.sharedOrBuilt() }

// BZIP2 returns the shared table of CRC-32/BZIP2, the CRC-32 of bzip2. The Unreal Engine also uses
// it; see [UnrealMemCrc].
func BZIP2() *Table { return sharedBZIP2.sharedOrBuilt() }

// NVME returns the shared table of CRC-64/NVME, the CRC-64 of Amazon S3 and NVM Express.
func NVME() *Table64 { return sharedNVME.sharedOrBuilt() }

// XZ returns the shared table of CRC-64/XZ. hash/crc64 calls it ECMA.
func XZ() *Table64 { return sharedXZ.sharedOrBuilt() }

// UnrealMemCrc is the Unreal Engine's FCrc::MemCrc_DEPRECATED. It returns the checksum of earlier
// bytes followed by data. crc is the checksum of the earlier bytes, or 0. The function is
// CRC-32/BZIP2; "123456789" gives 0xfc891918. The engine's newer FCrc::MemCrc32 is [IEEE].
func UnrealMemCrc(data []byte, crc uint32) uint32 { return BZIP2().Update(crc, data) }
