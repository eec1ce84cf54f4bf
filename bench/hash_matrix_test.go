package bench

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/crc32"
	"hash/crc64"
	"hash/maphash"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/spaolacci/murmur3"
	"github.com/zeebo/blake3"
	"github.com/zeebo/xxh3"

	"github.com/assetcook/assetcook/crcslice8"
	"github.com/assetcook/assetcook/hashing"
)

// defaultBenchtime is the duration of each benchmark if the command line has no -benchtime. With
// the testing package's default of one second, BenchmarkHash would take two minutes.
const defaultBenchtime = "100ms"

func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.benchtime" })
	if !given {
		if err := flag.Set("test.benchtime", defaultBenchtime); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	os.Exit(m.Run())
}

// matrixSizes are the input sizes of BenchmarkHash: lengths of table keys, then of files.
var matrixSizes = []int{4, 16, 64, 1 << 10, 64 << 10, 16 << 20}

var (
	xz8   = crcslice8.XZ()
	nvme8 = crcslice8.NVME()
)

// rapidhash is taken from package hashing, because no separate package exports it.
var rapidhash, _ = hashing.Lookup("rapidhash")

// A matrixColumn is one implementation in BenchmarkHash.
type matrixColumn struct {
	impl string
	sums func(n int, p []byte) uint64 // computes the hash of p n times, and returns the total of the low 64 bits
}

// matrixColumns lists the implementations in the order that benchstat shows.
//
// Each entry passes a function literal to repeat. The compiler inlines both, so each loop calls the
// library directly, as a program does. TestMatrixCallsAreDirect checks this. An assembly function
// passed by name, without a literal, would cost 1 ns more per call.
var matrixColumns = []matrixColumn{
	{"cespare-xxh64", func(n int, p []byte) uint64 {
		return repeat(n, p, func(p []byte) uint64 { return xxhash.Sum64(p) })
	}},
	{"zeebo-xxh3", func(n int, p []byte) uint64 {
		return repeat(n, p, func(p []byte) uint64 { return xxh3.Hash(p) })
	}},
	{"zeebo-xxh128", func(n int, p []byte) uint64 {
		return repeat(n, p, func(p []byte) uint64 { return xxh3.Hash128(p).Lo })
	}},
	{"hashing-rapidhash", func(n int, p []byte) uint64 {
		return repeat(n, p, func(p []byte) uint64 { return rapidhash.Sum64(p) })
	}},
	{"spaolacci-murmur3-128", func(n int, p []byte) uint64 {
		return repeat(n, p, func(p []byte) uint64 { _, lo := murmur3.Sum128(p); return lo })
	}},
	{"spaolacci-murmur3-32", func(n int, p []byte) uint64 {
		return repeat(n, p, func(p []byte) uint64 { return uint64(murmur3.Sum32(p)) })
	}},
	{"hash-crc32-ieee", func(n int, p []byte) uint64 {
		return repeat(n, p, func(p []byte) uint64 { return uint64(crc32.ChecksumIEEE(p)) })
	}},
	{"crcslice8-ieee", func(n int, p []byte) uint64 {
		return repeat(n, p, func(p []byte) uint64 { return uint64(ieee8.Checksum(p)) })
	}},
	{"slicing8-ieee", func(n int, p []byte) uint64 {
		return repeat(n, p, func(p []byte) uint64 { return uint64(ieee8.Slicing8(0, p)) })
	}},
	{"hash-crc32-castagnoli", func(n int, p []byte) uint64 {
		return repeat(n, p, func(p []byte) uint64 { return uint64(crc32.Checksum(p, castagnoli)) })
	}},
	{"crcslice8-castagnoli", func(n int, p []byte) uint64 {
		return repeat(n, p, func(p []byte) uint64 { return uint64(castagnoli8.Checksum(p)) })
	}},
	{"hash-crc32-koopman", func(n int, p []byte) uint64 {
		return repeat(n, p, func(p []byte) uint64 { return uint64(crc32.Checksum(p, koopman)) })
	}},
	{"crcslice8-koopman", func(n int, p []byte) uint64 {
		return repeat(n, p, func(p []byte) uint64 { return uint64(koopman8.Checksum(p)) })
	}},
	{"hash-crc64-ecma", func(n int, p []byte) uint64 {
		return repeat(n, p, func(p []byte) uint64 { return crc64.Checksum(p, ecma) })
	}},
	{"crcslice8-crc64-ecma", func(n int, p []byte) uint64 {
		return repeat(n, p, func(p []byte) uint64 { return xz8.Checksum(p) })
	}},
	{"crcslice8-crc64-nvme", func(n int, p []byte) uint64 {
		return repeat(n, p, func(p []byte) uint64 { return nvme8.Checksum(p) })
	}},
	{"hash-maphash", func(n int, p []byte) uint64 {
		return repeat(n, p, func(p []byte) uint64 { return maphash.Bytes(mapSeed, p) })
	}},
	{"crypto-sha256", func(n int, p []byte) uint64 {
		return repeat(n, p, func(p []byte) uint64 { s := sha256.Sum256(p); return binary.BigEndian.Uint64(s[24:]) })
	}},
	{"zeebo-blake3", func(n int, p []byte) uint64 {
		return repeat(n, p, func(p []byte) uint64 { s := blake3.Sum256(p); return binary.BigEndian.Uint64(s[24:]) })
	}},
}

// repeat calls the function n times on p and returns the total of the sums.
func repeat(n int, p []byte, sum func(p []byte) uint64) (total uint64) {
	for range n {
		total += sum(p)
	}
	return total
}

// keepSum receives results, so that the compiler cannot remove the work.
var keepSum uint64

// BenchmarkHash makes the comparison in README.md. It runs all implementations on one size, then on
// the next size.
func BenchmarkHash(b *testing.B) {
	data := Bytes(matrixSizes[len(matrixSizes)-1])
	for _, size := range matrixSizes {
		for _, column := range matrixColumns {
			b.Run(fmt.Sprintf("size=%d/impl=%s", size, column.impl), func(b *testing.B) {
				b.SetBytes(int64(size))
				keepSum += column.sums(b.N, data[:size])
			})
		}
	}
}

// wrapperCalls pairs each library in BenchmarkHash with a function of package hashing that computes
// the same hash. Except for MurmurHash3, that function calls the library.
var wrapperCalls = []struct{ library, function string }{
	{"zeebo-xxh3", "xxh3"}, {"cespare-xxh64", "xxh64"}, {"zeebo-xxh128", "xxh128"},
	{"spaolacci-murmur3-128", "murmur3-128"}, {"crcslice8-ieee", "crc32"}, {"hash-maphash", "maphash"},
}

// BenchmarkHashWrapper compares direct calls of libraries with calls through package hashing, on
// short inputs. It calls Sum64 or, for 16-byte functions, Sum128.
func BenchmarkHashWrapper(b *testing.B) {
	data := Bytes(64)
	for _, size := range []int{4, 16, 64} {
		for _, call := range wrapperCalls {
			library := matrixColumns[slices.IndexFunc(matrixColumns, func(c matrixColumn) bool { return c.impl == call.library })]
			b.Run(fmt.Sprintf("bytes=%d/call=%s", size, call.library), func(b *testing.B) {
				keepSum += library.sums(b.N, data[:size])
			})
			f := function(b, call.function)
			b.Run(fmt.Sprintf("bytes=%d/call=hashing-%s", size, call.function), func(b *testing.B) {
				p, total := data[:size], uint64(0)
				if f.Size > 8 {
					for range b.N {
						total += f.Sum128(p).Lo
					}
				} else {
					for range b.N {
						total += f.Sum64(p)
					}
				}
				keepSum += total
			})
		}
	}
}

// matrixFunctions maps each column to the function of package hashing that it computes.
var matrixFunctions = map[string]string{
	"cespare-xxh64": "xxh64", "zeebo-xxh3": "xxh3", "zeebo-xxh128": "xxh128",
	"spaolacci-murmur3-128": "murmur3-128", "spaolacci-murmur3-32": "murmur3-32",
	"hash-crc32-ieee": "crc32", "crcslice8-ieee": "crc32", "slicing8-ieee": "crc32",
	"hash-crc32-castagnoli": "crc32c", "crcslice8-castagnoli": "crc32c",
	"hash-crc32-koopman": "crc32k", "crcslice8-koopman": "crc32k",
	"hashing-rapidhash": "rapidhash", "hash-crc64-ecma": "crc64", "crcslice8-crc64-ecma": "crc64", "crcslice8-crc64-nvme": "crc64nvme",
	"crypto-sha256": "sha256", "zeebo-blake3": "blake3", "hash-maphash": "maphash",
}

// With the flag -m, the compiler reports each call that it inlines.
func TestMatrixCallsAreDirect(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the package")
	}
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-gcflags=-m", "-o", os.DevNull, ".")
	report, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, report)
	}
	loops := regexp.MustCompile(`hash_matrix_test\.go:\d+:\d+: inlining call to repeat\n`).FindAll(report, -1)
	calls := regexp.MustCompile(`hash_matrix_test\.go:\d+:\d+: inlining call to init\.func\d+\.1\n`).FindAll(report, -1)
	if len(loops) != len(matrixColumns) || len(calls) != len(matrixColumns) {
		t.Errorf("%d loops and %d calls are inlined, want %d of each", len(loops), len(calls), len(matrixColumns))
	}
}

func TestMatrixColumnsComputeTheirFunctions(t *testing.T) {
	p := Bytes(10_000)
	for _, column := range matrixColumns {
		f := function(t, matrixFunctions[column.impl])
		if f.Name == "maphash" || strings.HasPrefix(column.impl, "spaolacci") && checksPointers {
			continue // The seed of maphash differs, and spaolacci's package creates a pointer beyond the slice.
		}
		for _, size := range []int{0, 1, 16, 100, len(p)} {
			sum := f.Sum(p[:size]).Bytes()
			sum = append(make([]byte, 8), sum...)
			want := 3 * binary.BigEndian.Uint64(sum[len(sum)-8:])
			if got := column.sums(3, p[:size]); got != want {
				t.Errorf("%s: three times the sum of %d bytes is %x, want %x", column.impl, size, got, want)
			}
		}
	}
}
