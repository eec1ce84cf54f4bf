package rivals

import (
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"testing"

	"github.com/OneOfOne/xxhash"
	cespare "github.com/cespare/xxhash/v2"
	"github.com/dgryski/go-spooky"
	"github.com/go-faster/city"
	klauspost "github.com/klauspost/crc32"
	"github.com/minio/sha256-simd"
	"github.com/twmb/murmur3"
	"github.com/zeebo/xxh3"
	luke "lukechampine.com/blake3"

	"github.com/assetcook/assetcook/bench"
	"github.com/assetcook/assetcook/crcslice8"
	"github.com/assetcook/assetcook/hashing"
)

// keep receives results, so that the compiler cannot remove the work.
var keep uint32

type update func(crc uint32, p []byte) uint32

// The tables are made only once, because MakeTable takes longer than the checksum of a short input.
var (
	stdCastagnoli = crc32.MakeTable(crc32.Castagnoli)
	castagnoli    = klauspost.MakeTable(klauspost.Castagnoli)
)

var crcs = []struct {
	poly, impl string
	run        update
}{
	{"ieee", "crcslice8", crcslice8.IEEE().Update},
	{"ieee", "hash-crc32", func(crc uint32, p []byte) uint32 { return crc32.Update(crc, crc32.IEEETable, p) }},
	{"ieee", "klauspost", func(crc uint32, p []byte) uint32 { return klauspost.Update(crc, klauspost.IEEETable, p) }},
	{"castagnoli", "crcslice8", crcslice8.Castagnoli().Update},
	{"castagnoli", "hash-crc32", func(crc uint32, p []byte) uint32 {
		return crc32.Update(crc, stdCastagnoli, p)
	}},
	{"castagnoli", "klauspost", func(crc uint32, p []byte) uint32 { return klauspost.Update(crc, castagnoli, p) }},
}

func BenchmarkCRC32(b *testing.B) {
	data := bench.Bytes(256 << 10)
	for _, crc := range crcs {
		for _, size := range []int{16, 256, 4 << 10, 256 << 10} {
			p := data[:size]
			b.Run(fmt.Sprintf("poly=%s/impl=%s/size=%d", crc.poly, crc.impl, size), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					keep = crc.run(keep, p)
				}
			})
		}
	}
}

// rivals lists other implementations of functions in package hashing. Their sums have the most
// significant byte first.
var rivals = []struct {
	function, impl string
	run            func(p []byte) // Only this call is measured.
	sum            func(p []byte) string
}{
	{"xxh32", "OneOfOne", func(p []byte) { xxhash.Checksum32(p) },
		func(p []byte) string { return fmt.Sprintf("%08x", xxhash.Checksum32(p)) }},
	{"xxh64", "OneOfOne", func(p []byte) { xxhash.Checksum64(p) },
		func(p []byte) string { return fmt.Sprintf("%016x", xxhash.Checksum64(p)) }},
	{"xxh64", "cespare", func(p []byte) { cespare.Sum64(p) },
		func(p []byte) string { return fmt.Sprintf("%016x", cespare.Sum64(p)) }},
	{"xxh3", "zeebo", func(p []byte) { xxh3.Hash(p) },
		func(p []byte) string { return fmt.Sprintf("%016x", xxh3.Hash(p)) }},
	{"murmur3-32", "twmb", func(p []byte) { murmur3.Sum32(p) },
		func(p []byte) string { return fmt.Sprintf("%08x", murmur3.Sum32(p)) }},
	{"murmur3-128", "twmb", func(p []byte) { murmur3.Sum128(p) },
		func(p []byte) string { hi, lo := murmur3.Sum128(p); return fmt.Sprintf("%016x%016x", hi, lo) }},
	{"blake3", "lukechampine", func(p []byte) { luke.Sum256(p) },
		func(p []byte) string { s := luke.Sum256(p); return hex.EncodeToString(s[:]) }},
	{"sha256", "minio", func(p []byte) { sha256.Sum256(p) },
		func(p []byte) string { s := sha256.Sum256(p); return hex.EncodeToString(s[:]) }},
}

// others lists functions that package hashing does not have.
var others = []bench.HashRow{
	{Func: "sha1", Impl: "std", Bits: 64, Sum: func(p []byte) uint64 { s := sha1.Sum(p); return binary.BigEndian.Uint64(s[12:]) }},
	{Func: "city64", Impl: "go-faster", Bits: 64, Sum: city.Hash64},
	{Func: "spooky64", Impl: "dgryski", Bits: 64, Sum: spooky.Hash64},
}

func BenchmarkOthers(b *testing.B) {
	bench.RunSums(b, others, []int{4, 16, 64, 256, 1 << 10, 4 << 10, 64 << 10, 1 << 20, 64 << 20})
}

func BenchmarkQuality(b *testing.B) { bench.RunQuality(b, others) }

// The expected values are hashes of the empty input. The SHA-1 value comes from the implementation
// in RFC 3174. The CityHash64 value is a constant in its source. The SpookyHash value is the low
// half of the first value in SpookyHash's own test.
func TestOthers(t *testing.T) {
	for i, want := range []uint64{0x95601890afd80709, 0x9ae16a3b2f90404f, 0x232706fc6bf50919} {
		if got := others[i].Sum(nil); got != want {
			t.Errorf("%s: %#x, want %#x", others[i].Func, got, want)
		}
	}
}

func BenchmarkSum(b *testing.B) {
	data := bench.Bytes(1 << 20)
	measure := func(function, impl string, run func(p []byte)) {
		for _, size := range []int{16, 4 << 10, 1 << 20} {
			p := data[:size]
			b.Run(fmt.Sprintf("func=%s/impl=%s/size=%d", function, impl, size), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					run(p)
				}
			})
		}
	}
	done := map[string]bool{}
	for _, r := range rivals {
		if f, ok := hashing.Lookup(r.function); !ok {
			b.Fatalf("unknown function %s", r.function)
		} else if !done[r.function] {
			measure(r.function, "hashing", func(p []byte) { f.Sum(p) })
			done[r.function] = true
		}
		measure(r.function, r.impl, r.run)
	}
}

func TestSums(t *testing.T) {
	p := bench.Bytes(10_000)
	for _, r := range rivals {
		f, ok := hashing.Lookup(r.function)
		if !ok {
			t.Errorf("unknown function %s", r.function)
			continue
		}
		for _, n := range []int{0, 1, 16, 100, len(p)} {
			if got, want := r.sum(p[:n]), f.Sum(p[:n]).String(); got != want {
				t.Errorf("%s of %d bytes: %s gives %s, want %s", r.function, n, r.impl, got, want)
			}
		}
	}
	for i, crc := range crcs {
		if got, want := crc.run(1, p), crcs[i/3*3].run(1, p); got != want {
			t.Errorf("%s by %s: %08x, want %08x", crc.poly, crc.impl, got, want)
		}
	}
}
