// Package hashing names checksum functions, runs them over files and builds
// keys.
//
// # Two questions, two hashes
//
// "Did it change since I looked?" is answered by a checksum ([Sum128]) from the
// registry: fast, and wrong only by accident. Whoever wants to can make two
// contents with one checksum, so a checksum never names content.
//
// "Is it the same thing?" is answered by a [Digest], BLAKE3-256 of the content.
// Only a Digest may name content, and only a [Key] may name a structured thing.
//
// # Functions
//
//	name     bits  speed   use                                    not for
//	xxh3      128  memory  the default: files and short strings   naming content
//	xxh64      64  memory  files of tools that speak XXH64        more than 2^30 items in one set
//	crc32      32  memory  zip, gzip and png compatible sums      telling many files apart
//	crc32c     32  memory  iSCSI, ext4 and btrfs compatible sums  telling many files apart
//	murmur3   128  fast    x64 128-bit sums of older tools        big-endian machines; anything new
//
// Speed classes on a current desktop core: "memory" means 10 GB/s and more once
// the input is a few KiB long, so that reading the file costs more than summing
// it; "fast" means 2 to 10 GB/s. The benchmarks measure every function at 16 B
// to 1 MiB.
//
// A checksum of 32 bits misses a random change once in 4e9 comparisons; among n
// different files about n*n/2^33 pairs share one.
//
// # Files
//
// A [Summer] reads a stream once and gives its size, its checksum and, where
// asked for, its Digest. [Summer.SumAll] does so for a list of files on several
// goroutines and allocates nothing per file.
//
// # Keys
//
// A [Key] hashes a sequence of tagged, typed values. Each is framed by its
// lengths, so two different sequences never hash the same bytes.
package hashing
