// Package crcslice8 computes any CRC of 1 to 64 bits, in both bit orders, at a speed that
// hash/crc32 reaches for two polynomials and hash/crc64 for none.
//
//	model, ok := crcslice8.ModelByName("CRC-32/MPEG-2") // or any Model of your own
//	crc := crcslice8.New(model)
//	sum := crc.Checksum(data)                        // whole data at once
//
//	sum = crc.Update(sum, more)                      // piece by piece
//
//	h := crc.Hash()                                  // or as a hash.Hash32
//	io.Copy(h, file)
//	sum = h.Sum32()
//
//	// or by several goroutines: the sum of a concatenation from the sums of its parts
//	sum = crc.Combine(crc.Checksum(a), crc.Checksum(b), int64(len(b)))
//
//	// the four in widest use are shared
//	sum = crcslice8.Castagnoli().Checksum(data)
//
// A [Model] specifies a CRC in the terms of the RevEng catalogue, and [Catalogue] lists the models
// that have a name. [New] derives from the model of a CRC-32 a [Table] of about 24 KiB that never
// changes afterwards.
//
// # Other widths
//
// [Table64], of about 32 KiB, is for any CRC of 1 to 64 bits. It has the methods of Table, and
// both use the same code. Its sums are of type uint64.
//
//	sum := crcslice8.NVME().Checksum(data)                 // CRC-64/NVME, of S3
//	sum = crcslice8.XZ().Checksum(data)                    // CRC-64/XZ
//
//	model, ok := crcslice8.ModelByName("CRC-16/MODBUS")
//	crc := crcslice8.New64(model)
//
// For a CRC-32, Table has sums of type uint32. It also has faster code for long inputs on
// processors without carry-less products.
//
// # Coming from hash/crc32 and hash/crc64
//
//	crc32.ChecksumIEEE(p)         IEEE().Checksum(p)
//	crc32.Update(crc, table, p)   table.Update(crc, p)
//	crc32.New(table)              table.Hash()
//	crc32.MakeTable(poly)         New(Model{Width: 32, Poly: uint64(bits.Reverse32(poly)), Init: 0xffffffff, RefIn: true, RefOut: true, XorOut: 0xffffffff})
//	crc64.MakeTable(crc64.ECMA)   XZ()
//	crc64.MakeTable(crc64.ISO)    New64 with the model CRC-64/GO-ISO
//
// A model has its polynomial in normal form; hash/crc32 and hash/crc64 use the reversed form.
// Saved states are not interchangeable. Package hashing can sum a file with any table on all
// cores.
//
// # State
//
// Every kernel works on a state: the shift register of the definition, arranged so that its low
// eight bits meet the next byte of input. With reflected input that is the ordinary reflected
// register. With the most significant bit first it is the ordinary register, shifted up to 64
// bits, with its bytes swapped, and the tables hold swapped entries. So one kernel handles both
// bit orders at the same speed.
//
// A shorter register needs no code of its own: multiplying the polynomial and the register by a
// power of x multiplies the remainder by it as well. All kernels therefore divide by a polynomial
// of degree 64.
//
// # Kernels
//
// The length alone decides which kernel runs; [Table.Kernel] and [Table64.Kernel] name it.
//
//   - slicing-4, slicing-8 and slicing-16 (Kounavis and Berry, "Novel Table Lookup-Based
//     Algorithms for High-Performance CRC Generation", IEEE Transactions on Computers 57, 2008)
//     look up 4, 8 or 16 bytes at once. They need only tables and are the oracle for all other
//     kernels.
//   - sparse (Russell, "Chorba: A novel CRC32 implementation", 2024) folds long input with a
//     multiple of the polynomial that has few terms, by XOR of whole words. It needs neither
//     tables nor special instructions. It is for 32 bits: for a polynomial of 64 bits, no such
//     multiple can be found.
//   - pclmulqdq and vpclmulqdq fold by carry-less products (Gopal et al., "Fast CRC Computation
//     for Generic Polynomials Using PCLMULQDQ Instruction", Intel 2009), 16 or 64 bytes in a
//     register. The factors are computed from the polynomial, so these kernels work for all
//     polynomials. amd64 only.
//   - pmull folds in the same way on arm64, 16 bytes in a register. It is tested in
//     an emulator; its speed has not been measured.
//   - registers folds by the polynomial itself in units of 64 bytes, 32 of which are
//     the AVX-512 registers, by XOR alone. It is for amd64 with AVX-512 but without
//     VPCLMULQDQ, and for three polynomials: IEEE, Castagnoli and Koopman.
//   - hash/crc32 is called if it has instructions for a polynomial, on arm64,
//     loong64, ppc64le and s390x.
//
// With the build tag purego only slicing and sparse remain.
//
// A CRC detects accidents, not attacks: anyone who can choose the bytes can choose the sum as
// well.
package crcslice8
