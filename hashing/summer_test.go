package hashing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/assetcook/assetcook/hashing/hashtest"
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
			continue // TestWide
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

// hesitant returns nothing on every other read.
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
		is   error // nil: any error
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
		// The failed pass must not color the next one.
		b := someBytes(100)
		if got, err := s.Sum(t.Context(), bytes.NewReader(b), WantSum); err != nil || got != wanted(registry[0], b, WantSum) {
			t.Errorf("%s: afterwards %+v, %v", c.name, got, err)
		}
	}
}

// files are in-memory files that count how often each is closed.
type files struct {
	content [][]byte
	mu      sync.Mutex
	closed  []int
}

func newFiles(n int) *files {
	f := &files{closed: make([]int, n)}
	for i := range n {
		f.content = append(f.content, someBytes(i*37))
	}
	return f
}

func wantOf(i int) Want { return Want(i % 4) }

func (f *files) open(i int) (io.ReadCloser, Want, error) {
	return &file{bytes.NewReader(f.content[i]), f, i}, wantOf(i), nil
}

type file struct {
	io.Reader
	of *files
	i  int
}

func (f *file) Close() error {
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	f.of.closed[f.i]++
	return nil
}

func TestSumAll(t *testing.T) {
	f := registry[0]
	for _, workers := range []int{-1, 0, 1, 3, 200} {
		for _, n := range []int{-1, 0, 1, 100} {
			in := newFiles(max(n, 0))
			var mu sync.Mutex
			got := map[int]FileSum{}
			err := NewSummer(f).SumAll(t.Context(), n, workers, in.open, func(i int, sum FileSum, err error) {
				mu.Lock()
				defer mu.Unlock()
				if _, twice := got[i]; twice || err != nil {
					t.Errorf("done(%d): twice %v, error %v", i, twice, err)
				}
				got[i] = sum
			})
			if err != nil || len(got) != max(n, 0) {
				t.Fatalf("%d files, %d workers: %d done, %v", n, workers, len(got), err)
			}
			for i, sum := range got {
				if want := wanted(f, in.content[i], wantOf(i)); sum != want || in.closed[i] != 1 {
					t.Errorf("file %d: %+v, want %+v; closed %d times", i, sum, want, in.closed[i])
				}
			}
		}
	}
}

func TestSumAllErrors(t *testing.T) {
	gone, broken := errors.New("gone"), errors.New("broken")
	var mu sync.Mutex
	got := map[int]error{}
	err := NewSummer(registry[0]).SumAll(t.Context(), 30, 2, func(i int) (io.ReadCloser, Want, error) {
		switch i % 3 {
		case 0:
			return nil, 0, gone
		case 1:
			return io.NopCloser(iotest.ErrReader(broken)), WantSum, nil
		}
		return io.NopCloser(bytes.NewReader(nil)), WantSum, nil
	}, func(i int, _ FileSum, err error) {
		mu.Lock()
		defer mu.Unlock()
		got[i] = err
	})
	if err != nil || len(got) != 30 {
		t.Fatalf("%d done, %v", len(got), err)
	}
	for i, err := range got {
		if want := []error{gone, broken, nil}[i%3]; !errors.Is(err, want) {
			t.Errorf("file %d: %v, want %v", i, err, want)
		}
	}
}

func TestSumAllStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in := newFiles(100)
	opened, done := 0, 0
	err := NewSummer(registry[0]).SumAll(ctx, 100, 1, func(i int) (io.ReadCloser, Want, error) {
		if opened++; opened == 10 {
			cancel()
		}
		return in.open(i)
	}, func(i int, _ FileSum, err error) {
		done++
		if ended := i == 9; ended != errors.Is(err, context.Canceled) {
			t.Errorf("file %d: %v", i, err)
		}
	})
	if !errors.Is(err, context.Canceled) || opened != 10 || done != 10 {
		t.Errorf("opened %d, done %d, %v", opened, done, err)
	}
	for i, n := range in.closed {
		if want := map[bool]int{true: 1}[i < 10]; n != want {
			t.Errorf("file %d: closed %d times", i, n)
		}
	}
}

// TestSumAllEndsLate: an end that comes after the last file is no failure.
func TestSumAllEndsLate(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in := newFiles(5)
	err := NewSummer(registry[0]).SumAll(ctx, 5, 1, in.open, func(i int, _ FileSum, err error) {
		if err != nil {
			t.Errorf("file %d: %v", i, err)
		}
		if i == 4 {
			cancel()
		}
	})
	if err != nil {
		t.Error(err)
	}
}
