package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/assetcook/assetcook/hashing"
)

// BenchmarkLargeFile computes the checksum of one file in the page cache: as one stream, and by
// hashing.Files with one worker and with GOMAXPROCS workers. With BENCH_LARGE=1 the file has 1 GiB,
// otherwise 64 MiB.
func BenchmarkLargeFile(b *testing.B) {
	size := int64(64 << 20)
	if os.Getenv("BENCH_LARGE") == "1" {
		size = 1 << 30
	}
	name := largeFile(b, size)
	for _, fn := range []string{"crc32", "crc32c", "crc32-bzip2", "crc64", "adler32", "xxh3", "blake3", "sha256"} {
		f := function(b, fn)
		want := streamed(b, f, name)
		type impl struct {
			name string
			run  func(*testing.B) hashing.Sum
		}
		impls := []impl{{"stream", func(b *testing.B) hashing.Sum { return streamed(b, f, name) }}}
		for _, n := range slices.Compact([]int{1, runtime.GOMAXPROCS(0)}) {
			run := func(b *testing.B) hashing.Sum { return byWorkers(b, f, n, name) }
			impls = append(impls, impl{fmt.Sprintf("workers%d", n), run})
		}
		for _, impl := range impls {
			b.Run(fmt.Sprintf("func=%s/size=%d/impl=%s", fn, size, impl.name), func(b *testing.B) {
				b.SetBytes(size)
				for b.Loop() {
					if got := impl.run(b); got != want {
						b.Fatalf("sum is %v, want %v", got, want)
					}
				}
			})
		}
	}
}

// largeFile writes a file of random bytes and syncs it to disk. The file stays in the page cache,
// and the kernel does not write to disk while the benchmark reads.
func largeFile(b *testing.B, size int64) string {
	b.Helper()
	name := filepath.Join(b.TempDir(), "large")
	f, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	block := Bytes(16 << 20)
	for at := int64(0); at < size; at += int64(len(block)) {
		block[0]++ // The block number makes all blocks different.
		if _, err := f.Write(block); err != nil {
			b.Fatal(err)
		}
	}
	if err := f.Sync(); err != nil {
		b.Fatal(err)
	}
	return name
}

func streamed(b *testing.B, f hashing.Func, name string) hashing.Sum {
	file, err := os.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	sum, _, err := hashing.SumReader(b.Context(), f, file)
	if err != nil {
		b.Fatal(err)
	}
	return sum
}

func byWorkers(b *testing.B, f hashing.Func, workers int, name string) (sum hashing.Sum) {
	files := hashing.Files{Func: f, Workers: workers}
	err := files.Sum(b.Context(), slices.Values([]string{name}), func(r hashing.FileResult) {
		if r.Err != nil {
			b.Error(r.Err)
		}
		sum = r.Sum
	})
	if err != nil {
		b.Fatal(err)
	}
	return sum
}
