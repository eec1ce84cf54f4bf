// Package hashing provides checksum functions by name, checksums of files, and keys of structured
// values.
//
// # Two questions, two hashes
//
// A function of class accident answers "Did it change since I looked?". It is fast, and detects
// accidental changes. An attacker can construct two inputs with the same checksum, so a checksum
// must not name content.
//
// A function of class identity answers "Is it the same content?". Its field [Func].Identity is set.
// This package's own types use a [Digest], the BLAKE3-256 of the content. Only an identity may name
// content, and only a [Key] may name a structured value.
//
// # Functions
//
// [Lookup] finds a function by name:
//
//   - Did a file change since the last look? xxh128.
//   - May the sum name the content? blake3, or sha256 for other systems.
//   - Table in memory: rapidhash, or maphash for untrusted keys.
//   - Stable key on disk: rapidhash.
//   - zip, gzip, PNG: crc32. iSCSI, ext4: crc32c. S3: crc64nvme, sha256 or crc32c.
//   - Unreal Engine: xxh3, xxh128 and blake3 for version 5, unreal-memcrc before.
//
// XXH3 is for files, not for tables. For short keys, two bits of its checksum may depend on each
// other (see BenchmarkQuality in bench), and SMHasher3 finds more faults. docs/hashing.md gives
// reasons and limits.
//
//	name           bits  GB/s  class     use for                                    not for
//	xxh128          128    68  accident  the default: has this file changed?        naming content
//	xxh3             64    68  accident  files, where 64 bits are enough            hash tables, naming content
//	xxh64            64    15  accident  files of tools that speak XXH64            anything new
//	xxh32            32     7  accident  LZ4 frames, 32-bit machines                anything new
//	crc32            32    57  accident  zip, gzip, png, Ethernet                   telling many files apart
//	crc32c           32    57  accident  iSCSI, ext4, Btrfs, RocksDB                telling many files apart
//	crc32k           32    57  accident  short messages: more bits found surely     telling many files apart
//	crc32-bzip2      32    53  accident  bzip2                                      telling many files apart
//	unreal-memcrc    32    53  accident  sums of older engine versions              anything new
//	slice8           32   2.4  accident  measuring: unreal-memcrc as it was         anything else
//	crc64            64    57  accident  xz                                         naming content
//	crc64nvme        64    57  accident  Amazon S3, NVM Express                     naming content
//	adler32          32   3.6  accident  zlib streams                               short inputs, hash tables
//	fnv1a32          32   0.9  accident  tiny keys in formats that ask for it       speed, picking top bits
//	fnv1a64          64   0.9  accident  tiny keys in formats that ask for it       speed, picking top bits
//	murmur3-128     128     7  accident  sums of older tools                        anything new
//	murmur3-32       32   2.7  accident  sums of older tools                        anything new
//	rapidhash        64    25  accident  hash tables; sets to some millions         larger sets, naming content
//	lookup2          32   2.3  accident  string tables of older engines             anything new
//	blake3          256     4  identity  naming content, also against attackers     being the fastest
//	sha256          256   1.8  identity  what other systems ask for                 speed
//	sha512          512   0.8  identity  what other systems ask for                 speed
//	sha1            160   1.9  accident  lists of older systems                     naming content: broken
//	md5             128   0.8  accident  lists of older systems                     naming content: broken
//	maphash          64    13  accident  hash tables fed by strangers               storing, sending: each process has its own
//
// Speeds (GB/s) are for one core of a Zen 4 server and 64 KiB of cached input, as BenchmarkHash
// and BenchmarkSum in bench measure them (bench/results/hashes.md). On processors that lack its
// instructions, CRCs and xxHashes slow down most. Reading a file from the page cache runs at about
// 10 GB/s. This limits faster functions, and two cores then process twice as much.
//
// A 32-bit checksum misses a random change once in 4e9 comparisons. Among n different files, about
// n*n/2^33 pairs have equal 32-bit checksums, and about n*n/2^65 pairs have equal 64-bit checksums.
// No checksum resists an attacker, even with a seed: finding an XXH3 collision takes milliseconds,
// and a CRC collision less. maphash only keeps an attacker from slowing down a hash table.
//
// [Func.Sum] returns the checksum of a byte slice. [Func.New] and [Func.NewSeeded] return a
// streaming [hash.Hash]. For short keys, [Func.Sum64] and [Func.Sum128] take at most 1.3 times as
// long as calling the function directly (maphash: 1.4 times). The command hashsum -stats shows how
// evenly functions distribute your keys over the bins of a table.
//
// # Files
//
// [SumFile] returns the checksum of one file. [Files] processes many files on several cores and
// returns their checksums in order. All cores share a large file.
//
// A [Summer] is for callers that open their files themselves. It reads a stream once and returns
// its size, its checksum and, if requested, its Digest.
//
// # Keys
//
// A [Key] hashes a sequence of tagged, typed values. The lengths of each field precede it, so two
// different sequences never hash the same bytes.
package hashing
