package hashing

import (
	"context"
	"os"
	"slices"
	"testing"

	"github.com/assetcook/assetcook/internal/hashtest"
)

// TestGeneratedFilesAreSummed reads files that the kernel generates, whose reported size is 0 or a
// page.
func TestGeneratedFilesAreSummed(t *testing.T) {
	for _, name := range []string{"/proc/version", "/proc/kallsyms", "/sys/kernel/mm/transparent_hugepage/enabled"} {
		want, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		sum, size, err := SumFile(t.Context(), registry[0], name)
		if err != nil || size != int64(len(want)) || sum != registry[0].Sum(want) {
			t.Errorf("%s: %v, %d bytes, %v, want %d bytes", name, sum, size, err, len(want))
		}
	}
}

func openFiles(t *testing.T) int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func TestAllFilesAreClosed(t *testing.T) {
	names := filesOf(t, []byte("a"), hashtest.Bytes(3*blockSize+1), hashtest.Bytes(blockSize))
	names = append(names, t.TempDir(), names[0]+"-missing", "/proc/version")
	before := openFiles(t)
	for _, f := range []Func{function(t, "crc64"), function(t, "sha256")} {
		for _, workers := range []int{1, 3} {
			if _, err := collect(t, t.Context(), Files{Func: f, Workers: workers}, names); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			Files{Func: f, Workers: workers, Progress: func(n int64) {
				if n == blockSize {
					cancel()
				}
			}}.Sum(ctx, slices.Values(names), func(FileResult) {})
			cancel()
		}
	}
	if after := openFiles(t); after > before {
		t.Errorf("%d files are open, %d before", after, before)
	}
}
