package hashing

import (
	"fmt"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"hash/fnv"
	"math/bits"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/hashtest"
	"github.com/assetcook/assetcook/internal/lookup2"
	own "github.com/assetcook/assetcook/internal/murmur3"
	"github.com/assetcook/assetcook/internal/rapidhash"
	"github.com/cespare/xxhash/v2"
	"github.com/spaolacci/murmur3"
	"github.com/zeebo/xxh3"
)

// A contract holds facts about a function, from independent sources.
type contract struct {
	known  []hashtest.Known
	oracle func([]byte) []byte
	blocks []int
	long   string // checksum by a tool of xxHash, BLAKE3, zlib or xz, or by a reference library
	state  bool
}

var contracts = map[string]contract{
	"xxh128": {known: sanityOf(xxh128Sanity), blocks: []int{512}, long: "e393f751304a4fbf8211c71a478aa5a5"},
	"xxh3":   {known: sanityOf(xxh3Sanity), blocks: []int{512}, long: "8211c71a478aa5a5"},
	"xxh64":  {known: sanityOf(xxh64Sanity), state: true, long: "aa31ef8650e5917f"},
	"xxh32": {known: sanityOf(xxh32Sanity), state: true, long: "fc8f8947",
		oracle: func(b []byte) []byte { return plain32(plainXXH32(b, 0)) }},

	"crc32": {state: true, long: "85448827",
		known:  []hashtest.Known{{In: "", Want: "00000000"}, {In: fox, Want: "414fa339"}},
		oracle: func(b []byte) []byte { return plain32(crc32.ChecksumIEEE(b)) }},
	"crc32c": {state: true, long: "ffef38a2",
		// These values are from RFC 3720 appendix B.4, with the most significant byte first.
		known: []hashtest.Known{
			{In: strings.Repeat("\x00", 32), Want: "8a9136aa"},
			{In: strings.Repeat("\xff", 32), Want: "62a8ab43"},
			{In: ascending(32), Want: "46dd794e"},
		},
		oracle: func(b []byte) []byte { return plain32(crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))) }},
	"crc32k": {state: true, long: "02c834c5",
		oracle: func(b []byte) []byte { return plain32(crc32.Checksum(b, crc32.MakeTable(crc32.Koopman))) }},
	"crc32-bzip2":   {state: true, long: "47a39e4b", oracle: plainBZIP2},
	"unreal-memcrc": {state: true, oracle: plainBZIP2},
	"slice8":        {oracle: plainBZIP2},

	"crc64": {state: true, long: "612e5a7fb39d5124",
		known:  []hashtest.Known{{In: "", Want: "0000000000000000"}, {In: fox, Want: "5b5eb8c2e54aa1c4"}},
		oracle: func(b []byte) []byte { return plain64(crc64.Checksum(b, crc64.MakeTable(crc64.ECMA))) }},
	"crc64nvme": {state: true,
		known:  []hashtest.Known{{In: "", Want: "0000000000000000"}},
		oracle: func(b []byte) []byte { return plain64(crc64.Checksum(b, crc64.MakeTable(0x9a6c9329ac4bc9b5))) }},
	"adler32": {state: true, long: "3a86f181",
		known: []hashtest.Known{{In: "", Want: "00000001"}, {In: "Wikipedia", Want: "11e60398"}}},

	"fnv1a32": {state: true, oracle: func(b []byte) []byte { return written(fnv.New32a(), b) },
		known: []hashtest.Known{{In: "", Want: "811c9dc5"}, {In: "foobar", Want: "bf9cf968"}}},
	"fnv1a64": {state: true, oracle: func(b []byte) []byte { return written(fnv.New64a(), b) },
		known: []hashtest.Known{{In: "", Want: "cbf29ce484222325"}, {In: "foobar", Want: "85944171f73967e8"}}},

	"murmur3-128": {state: true, long: "43bed012222c902b4d877bee40951b2d",
		oracle: func(b []byte) []byte { return written(murmur3.New128(), b) },
		known: []hashtest.Known{
			{In: "hello", Want: "cbd8a7b341bd9b025b1e906a48ae1d19"},
			{In: "hello, world", Want: "342fac623a5ebc8e4cdcbc079642414d"},
			{In: fox + ".", Want: "cd99481f9ee902c9695da1a38987b6e7"},
		}},
	"murmur3-32": {state: true, long: "608ac9c9",
		oracle: func(b []byte) []byte { return written(murmur3.New32(), b) },
		known:  []hashtest.Known{{In: fox, Want: "2e4ff723"}}},
	"rapidhash": {state: true, blocks: []int{112}, long: "3b544502904b8943", // computed by the reference implementation
		known: []hashtest.Known{{In: "", Want: "0338dc4be2cecdae"}, {In: fox, Want: "91722dc8d52a3f7b"}}},
	"lookup2": {state: true, long: "5517298d",
		known: []hashtest.Known{{In: "hairbrush", Want: "7f3ef2bb"}, {In: "engrained", Want: "32abb2bb"}}},

	"blake3": {known: blake3Known(), blocks: []int{3072}, long: "6ed5f07c1ebb7f7094314710c29bbd86a172628ac3b9babcb89ef900b5c21aee"},
	"sha256": {state: true, known: []hashtest.Known{
		{In: "", Want: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{In: "abc", Want: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
	}},
	"sha512": {state: true, known: []hashtest.Known{
		{In: "", Want: "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"},
		{In: "abc", Want: "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"},
	}},
	"sha1": {state: true, known: []hashtest.Known{
		{In: "", Want: "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
		{In: "abc", Want: "a9993e364706816aba3e25717850c26c9cd0d89d"},
	}},
	"md5": {state: true, known: []hashtest.Known{
		{In: "", Want: "d41d8cd98f00b204e9800998ecf8427e"},
		{In: "abc", Want: "900150983cd24fb0d6963f7d28e17f72"},
	}},
	"maphash": {},
}

const fox = "The quick brown fox jumps over the lazy dog"

func ascending(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	return string(b)
}

func plain32(v uint32) []byte { return []byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)} }

func plain64(v uint64) []byte { return append(plain32(uint32(v>>32)), plain32(uint32(v))...) }

func written(h hash.Hash, b []byte) []byte {
	h.Write(b)
	return h.Sum(nil)
}

// plainBZIP2 computes CRC-32/BZIP2 as the bit-reversed CRC-32 of the bit-reversed bytes. Both CRCs
// have the same polynomial.
func plainBZIP2(b []byte) []byte {
	mirrored := make([]byte, len(b))
	for i, c := range b {
		mirrored[i] = bits.Reverse8(c)
	}
	return plain32(bits.Reverse32(crc32.ChecksumIEEE(mirrored)))
}

func TestFunctionsKeepTheContract(t *testing.T) {
	for _, f := range registry {
		c, ok := contracts[f.Name]
		if !ok {
			t.Errorf("%s: the test has no contract for it", f.Name)
		}
		known := c.known
		if f.Check != "" {
			known = append(known, hashtest.Known{In: "123456789", Want: f.Check})
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			hashtest.Run(t, hashtest.Config{
				New:    f.New,
				Sum:    func(b []byte) []byte { return f.Sum(b).Bytes() },
				Size:   f.Size,
				Known:  known,
				Oracle: c.oracle,
				Blocks: c.blocks,
				State:  c.state,
				Long:   c.long,
			})
		})
	}
}

// TestSeededFunctionsKeepTheContract compares seeded hashes with the libraries' one-shot functions.
func TestSeededFunctionsKeepTheContract(t *testing.T) {
	sums := map[string]func(b []byte, seed uint64) []byte{
		"xxh128": func(b []byte, seed uint64) []byte {
			return Sum128(xxh3.Hash128Seed(b, seed)).sum(16).Bytes()
		},
		"xxh3": func(b []byte, seed uint64) []byte { return Sum128{Lo: xxh3.HashSeed(b, seed)}.sum(8).Bytes() },
		"xxh64": func(b []byte, seed uint64) []byte {
			d := xxhash.NewWithSeed(seed)
			d.Write(b)
			return d.Sum(nil)
		},
		"xxh32": func(b []byte, seed uint64) []byte { return plain32(xxh32Sum(b, uint32(seed))) },
		"murmur3-128": func(b []byte, seed uint64) []byte {
			return murmurBytes(b, uint32(seed))
		},
		"murmur3-32": func(b []byte, seed uint64) []byte { return plain32(own.Sum32(b, uint32(seed))) },
		"rapidhash":  func(b []byte, seed uint64) []byte { return Sum128{Lo: rapidhash.Sum64Seed(b, seed)}.sum(8).Bytes() },
		"lookup2":    func(b []byte, seed uint64) []byte { return plain32(lookup2.Sum32(b, uint32(seed))) },
	}
	for _, f := range registry {
		sum, ok := sums[f.Name]
		if !ok {
			if h, err := f.NewSeeded(1); err == nil || h != nil {
				t.Errorf("%s accepted a seed that the test does not know", f.Name)
			}
			continue
		}
		seeds := []uint64{0, 1, 0x9e3779b1}
		if _, err := f.NewSeeded(1 << 32); err == nil {
			seeds = append(seeds, 1<<32, 1<<63|5)
		} else if !strings.Contains(err.Error(), f.Name) || f.Size == 8 {
			t.Errorf("%s: %v", f.Name, err)
		}
		for _, seed := range seeds {
			t.Run(fmt.Sprintf("%s/%#x", f.Name, seed), func(t *testing.T) {
				t.Parallel()
				c := hashtest.Config{
					New: func() hash.Hash {
						h, err := f.NewSeeded(seed)
						if err != nil {
							t.Fatal(err)
						}
						return h
					},
					Sum:    func(b []byte) []byte { return sum(b, seed) },
					Size:   f.Size,
					Blocks: contracts[f.Name].blocks,
					State:  contracts[f.Name].state,
				}
				if seed == 0 {
					c.Oracle = func(b []byte) []byte { return f.Sum(b).Bytes() }
				}
				hashtest.Run(t, c)
			})
		}
	}
}

func murmurBytes(b []byte, seed uint32) []byte {
	hi, lo := own.Sum128(b, seed)
	return Sum128{hi, lo}.sum(16).Bytes()
}
