package hashing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/iotest"

	"github.com/assetcook/assetcook/internal/hashtest"
	"github.com/assetcook/assetcook/internal/leaktest"
)

func someBytes(n int) []byte { return hashtest.Bytes(n) }

func wanted(f Func, b []byte, want Want) FileSum {
	out := FileSum{Size: int64(len(b))}
	if want&WantSum != 0 {
		out.Sum = f.Sum128(b)
	}
	if want&WantDigest != 0 {
		out.Digest = DigestOf(b)
	}
	return out
}

func TestSummer(t *testing.T) {
	for _, f := range registry {
		if f.Size > 16 {
			continue
		}
		s := NewSummer(f)
		for _, n := range []int{0, 1, 1000, bufferSize - 1, bufferSize, bufferSize + 1, 2*bufferSize + 77} {
			b := someBytes(n)
			for _, want := range []Want{0, WantSum, WantDigest, WantSum | WantDigest} {
				for name, r := range map[string]io.Reader{
					"plain":          bytes.NewReader(b),
					"data with EOF":  iotest.DataErrReader(bytes.NewReader(b)),
					"half reads":     iotest.HalfReader(bytes.NewReader(b)),
					"some are empty": &hesitant{r: bytes.NewReader(b)},
				} {
					got, err := s.Sum(t.Context(), r, want)
					if expect := wanted(f, b, want); err != nil || got != expect {
						t.Errorf("%s of %d bytes, %s, want %b: %+v, %v, expected %+v", f.Name, n, name, want, got, err, expect)
					}
				}
			}
		}
	}
}

// A hesitant is a reader that returns no bytes on every other read.
type hesitant struct {
	r    io.Reader
	next bool
}

func (h *hesitant) Read(p []byte) (int, error) {
	if h.next = !h.next; h.next {
		return 0, nil
	}
	return h.r.Read(p)
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

func TestSummerErrors(t *testing.T) {
	broken := errors.New("broken")
	ctx, cancel := context.WithCancel(t.Context())
	for _, c := range []struct {
		name string
		r    io.Reader
		is   error // expected error; nil accepts any error
	}{
		{"read error", io.MultiReader(bytes.NewReader(someBytes(10)), iotest.ErrReader(broken)), broken},
		{"wrapped end", iotest.ErrReader(fmt.Errorf("fetch: %w", io.EOF)), io.EOF},
		{"no progress", readFunc(func([]byte) (int, error) { return 0, nil }), io.ErrNoProgress},
		{"too many bytes", readFunc(func(p []byte) (int, error) { return len(p) + 1, nil }), nil},
		{"negative count", readFunc(func([]byte) (int, error) { return -1, nil }), nil},
		{"ended between buffers", readFunc(func(p []byte) (int, error) { cancel(); return len(p), nil }), context.Canceled},
	} {
		s := NewSummer(registry[0])
		got, err := s.Sum(ctx, c.r, WantSum|WantDigest)
		if err == nil || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.is)
		}
		if got != (FileSum{}) {
			t.Errorf("%s: %+v beside an error", c.name, got)
		}
		b := someBytes(100)
		if got, err := s.Sum(t.Context(), bytes.NewReader(b), WantSum); err != nil || got != wanted(registry[0], b, WantSum) {
			t.Errorf("%s: afterwards %+v, %v", c.name, got, err)
		}
	}
}

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
	for _, name := range []string{"xxh128", "crc32"} {
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

// A brokenAt is a reader that fails at the given offset.
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
