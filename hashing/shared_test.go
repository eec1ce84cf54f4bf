package hashing

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/assetcook/assetcook/internal/leaktest"
)

func TestSumBytes(t *testing.T) {
	f, _ := Lookup("xxh128")
	s := NewSummer(f)
	for _, n := range []int{0, 1, 4000, bufferSize + 1} {
		for _, want := range []Want{0, WantSum, WantDigest, WantSum | WantDigest} {
			b := someBytes(n)
			if got, expect := s.SumBytes(b, want), wanted(f, b, want); got != expect {
				t.Errorf("%d bytes, want %b: %+v, expected %+v", n, want, got, expect)
			}
		}
	}
}

func TestSumShared(t *testing.T) {
	leaktest.Check(t)
	for _, name := range []string{"xxh128", "crc32"} { // read ahead, and summed in parts
		f, _ := Lookup(name)
		s := NewSummer(f)
		for _, n := range []int{0, 1, blockSize - 1, blockSize, blockSize + 1, 5*blockSize + 77} {
			b := someBytes(n)
			for _, want := range []Want{0, WantSum, WantDigest, WantSum | WantDigest} {
				for _, workers := range []int{0, 1, 3} {
					got, err := s.SumShared(t.Context(), bytes.NewReader(b), int64(n), want, workers)
					if expect := wanted(f, b, want); err != nil || got != expect {
						t.Errorf("%s of %d bytes, want %b, %d workers: %+v, %v, expected %+v", name, n, want, workers, got, err, expect)
					}
				}
			}
		}
	}
}

func TestSumSharedFails(t *testing.T) {
	leaktest.Check(t)
	f, _ := Lookup("xxh128")
	s := NewSummer(f)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	broken := errors.New("broken")
	const n = 3*blockSize + 5
	for _, tc := range []struct {
		name string
		ctx  context.Context
		r    io.ReaderAt
		size int64
		want error
	}{
		{"longer", t.Context(), bytes.NewReader(someBytes(n + 1)), n, ErrChanged},
		{"shorter", t.Context(), bytes.NewReader(someBytes(n - 1)), n, ErrChanged},
		{"small and longer", t.Context(), bytes.NewReader(someBytes(8)), 7, ErrChanged},
		{"small and shorter", t.Context(), bytes.NewReader(someBytes(8)), 9, ErrChanged},
		{"ended", ended, bytes.NewReader(someBytes(n)), n, context.Canceled},
		{"broken", t.Context(), &brokenAt{bytes.NewReader(someBytes(n)), blockSize, broken}, n, broken},
	} {
		for _, want := range []Want{WantSum, WantDigest} {
			got, err := s.SumShared(tc.ctx, tc.r, tc.size, want, 2)
			if !errors.Is(err, tc.want) || got != (FileSum{}) {
				t.Errorf("%s, want %b: %+v, %v", tc.name, want, got, err)
			}
		}
	}
}

// brokenAt fails to read at an offset.
type brokenAt struct {
	io.ReaderAt
	at  int64
	err error
}

func (b *brokenAt) ReadAt(p []byte, at int64) (int, error) {
	if at == b.at {
		return 0, b.err
	}
	return b.ReaderAt.ReadAt(p, at)
}
