package bench

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"hash/crc64"
	"hash/fnv"
	"hash/maphash"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/spaolacci/murmur3"
	"github.com/zeebo/blake3"
	"github.com/zeebo/xxh3"

	"github.com/assetcook/assetcook/crcslice8"
	"github.com/assetcook/assetcook/hashing"
)

var (
	ieee8       = crcslice8.IEEE()
	castagnoli8 = crcslice8.Castagnoli()
	koopman8    = crcslice8.Koopman()

	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	koopman    = crc32.MakeTable(crc32.Koopman)
	ecma       = crc64.MakeTable(crc64.ECMA)
	mapSeed    = maphash.MakeSeed()
)

// libraries lists other implementations of the functions in package hashing. Where the field inside
// is set, package hashing calls the library, and the row shows the overhead of the wrapper.
var libraries = []struct {
	fn, impl string
	inside   bool
	sum      func(p []byte) uint64
}{
	{"xxh128", "zeebo", true, func(p []byte) uint64 { return xxh3.Hash128(p).Lo }},
	{"xxh3", "zeebo", true, xxh3.Hash},
	{"xxh64", "cespare", true, xxhash.Sum64},
	{"crc32", "crcslice8", true, func(p []byte) uint64 { return uint64(ieee8.Checksum(p)) }},
	{"crc32", "std", false, func(p []byte) uint64 { return uint64(crc32.ChecksumIEEE(p)) }},
	{"crc32c", "crcslice8", true, func(p []byte) uint64 { return uint64(castagnoli8.Checksum(p)) }},
	{"crc32c", "std", false, func(p []byte) uint64 { return uint64(crc32.Checksum(p, castagnoli)) }},
	{"crc32k", "crcslice8", true, func(p []byte) uint64 { return uint64(koopman8.Checksum(p)) }},
	{"crc32k", "std", false, func(p []byte) uint64 { return uint64(crc32.Checksum(p, koopman)) }},
	{"crc64", "crcslice8", true, func(p []byte) uint64 { return xz8.Checksum(p) }},
	{"crc64", "std", false, func(p []byte) uint64 { return crc64.Checksum(p, ecma) }},
	{"adler32", "std", true, func(p []byte) uint64 { return uint64(adler32.Checksum(p)) }},
	{"fnv1a32", "std", false, func(p []byte) uint64 { h := fnv.New32a(); h.Write(p); return uint64(h.Sum32()) }},
	{"fnv1a64", "std", false, func(p []byte) uint64 { h := fnv.New64a(); h.Write(p); return h.Sum64() }},
	{"murmur3-128", "spaolacci", false, func(p []byte) uint64 { _, lo := murmur3.Sum128(p); return lo }},
	{"murmur3-32", "spaolacci", false, func(p []byte) uint64 { return uint64(murmur3.Sum32(p)) }},
	{"blake3", "zeebo", true, func(p []byte) uint64 { s := blake3.Sum256(p); return binary.BigEndian.Uint64(s[24:]) }},
	{"sha256", "std", true, func(p []byte) uint64 { s := sha256.Sum256(p); return binary.BigEndian.Uint64(s[24:]) }},
	{"maphash", "std", true, func(p []byte) uint64 { return maphash.Bytes(mapSeed, p) }},
}

// hashRows returns a row for every function in package hashing, followed by rows for other
// libraries with the same function.
func hashRows(tb testing.TB) []HashRow {
	var rows []HashRow
	for _, name := range hashing.Names() {
		f := function(tb, name)
		bits := min(64, 8*f.Size)
		rows = append(rows, HashRow{name, "hashing", f.Sum64, bits})
		for _, l := range libraries {
			if l.fn == name {
				rows = append(rows, HashRow{name, l.impl, l.sum, bits})
			}
		}
	}
	return rows
}

func BenchmarkSum(b *testing.B) {
	RunSums(b, hashRows(b), []int{4, 16, 64, 256, 1 << 10, 4 << 10, 64 << 10, 1 << 20, 64 << 20})
}

func TestLibrariesComputeTheSameSums(t *testing.T) {
	p := Bytes(10_000)
	var ours HashRow
	for _, r := range hashRows(t) {
		if r.Impl == "hashing" {
			ours = r
			continue
		}
		if r.Func == "maphash" || r.Impl == "spaolacci" && checksPointers {
			continue // The seed of maphash differs, and spaolacci's package creates a pointer beyond the slice.
		}
		for _, n := range []int{0, 1, 16, 100, len(p)} {
			if got, want := r.Sum(p[:n]), ours.Sum(p[:n]); got != want {
				t.Errorf("%s of %d bytes: %s gives %x, hashing %x", r.Func, n, r.Impl, got, want)
			}
		}
	}
	for _, l := range libraries {
		function(t, l.fn) // The test fails if package hashing lacks the function, because the library would be missing from the results.
	}
}

func TestQualityFindsPoorFunctions(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and starts no goroutines")
	}
	sets := keySets()
	for _, tt := range []struct {
		name string
		sum  func(p []byte) uint64
		good bool
	}{
		{"xxh3", xxh3.Hash, true},
		{"adler32", func(p []byte) uint64 { return uint64(adler32.Checksum(p)) }, false},
		{"length", func(p []byte) uint64 { return uint64(len(p)) }, false},
	} {
		q := measureQuality(HashRow{Sum: tt.sum, Bits: 32}, sets)
		if (q.bias < 0.1) != tt.good || (q.collisions < 30) != tt.good {
			t.Errorf("%s: %+v", tt.name, q)
		}
		for i, x := range q.crowding {
			if (x > 0.8 && x < 1.2) != tt.good {
				t.Errorf("%s: %s crowd %.2f-fold", tt.name, sets[i].name, x)
			}
		}
	}
}

func function(tb testing.TB, name string) hashing.Func {
	tb.Helper()
	f, ok := hashing.Lookup(name)
	if !ok {
		tb.Fatalf("unknown function %s", name)
	}
	return f
}
