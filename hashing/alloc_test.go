//go:build !race

// The race detector makes sync.Pool drop things at random, so that allocations
// can be counted only without it.

package hashing

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

func TestSumAllocatesNothing(t *testing.T) {
	b := someBytes(100_000)
	for _, f := range registry {
		if n := testing.AllocsPerRun(100, func() { f.Sum(b) }); n != 0 {
			t.Errorf("%s one shot: %v allocations", f.Name, n)
		}
		h := f.New()
		out := make([]byte, 0, maxSize)
		if n := testing.AllocsPerRun(100, func() { h.Reset(); h.Write(b); h.Sum(out) }); n != 0 {
			t.Errorf("%s streaming: %v allocations", f.Name, n)
		}
		if f.Size > 16 {
			continue
		}
		if n := testing.AllocsPerRun(100, func() { f.Sum128(b) }); n != 0 {
			t.Errorf("%s as a number: %v allocations", f.Name, n)
		}
		s, r := NewSummer(f), bytes.NewReader(b)
		for _, want := range []Want{WantSum, WantDigest, WantSum | WantDigest} {
			n := testing.AllocsPerRun(100, func() {
				r.Reset(b)
				if _, err := s.Sum(t.Context(), r, want); err != nil {
					t.Fatal(err)
				}
			})
			if n != 0 {
				t.Errorf("%s Summer, want %b: %v allocations", f.Name, want, n)
			}
		}
	}
}

// memory is a file in memory that can be opened again.
type memory struct {
	bytes.Reader
	content []byte
}

func (*memory) Close() error { return nil }

// TestSumAllAllocatesPerCall: what a call costs does not grow with the files.
func TestSumAllAllocatesPerCall(t *testing.T) {
	files := make([]memory, 1000)
	for i := range files {
		files[i].content = someBytes(i)
	}
	s := NewSummer(registry[0])
	open := func(i int) (io.ReadCloser, Want, error) {
		files[i].Reset(files[i].content)
		return &files[i], WantSum | WantDigest, nil
	}
	done := func(i int, _ FileSum, err error) {
		if err != nil {
			t.Errorf("file %d: %v", i, err)
		}
	}
	cost := func(n int) float64 {
		return testing.AllocsPerRun(20, func() {
			if err := s.SumAll(t.Context(), n, 2, open, done); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := cost(10), cost(len(files)); many > few+4 {
		t.Errorf("10 files: %v allocations, %d files: %v", few, len(files), many)
	}
}

func BenchmarkSumAll(b *testing.B) {
	files := make([]memory, 1000)
	for i := range files {
		files[i].content = someBytes(i % 100 * 100)
	}
	s := NewSummer(registry[0])
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				err := s.SumAll(b.Context(), len(files), workers, func(i int) (io.ReadCloser, Want, error) {
					files[i].Reset(files[i].content)
					return &files[i], WantSum, nil
				}, func(int, FileSum, error) {})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestKeyAllocatesNothing(t *testing.T) {
	k := NewKey("domain")
	fill := func() {
		k.Reset("domain")
		k.String("tag", "value")
		k.Uint64("n", 7)
		k.Strings("list", []string{"a", "b"})
		k.Digest("content", Digest{1})
		k.Sum()
	}
	if n := testing.AllocsPerRun(100, fill); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
