package hashing

import (
	"context"
	"hash"
	"io"
	"sync"

	"github.com/zeebo/blake3"
)

// Want selects the results of one pass besides the size.
type Want uint8

const (
	WantSum    Want = 1 << iota // the checksum
	WantDigest                  // the Digest, which costs several times more
)

// FileSum is the result of one pass over a file.
type FileSum struct {
	Size   int64  // bytes read
	Sum    Sum128 // zero unless wanted
	Digest Digest // zero unless wanted
}

// Summer sums streams with one checksum function and BLAKE3 in the same pass, for callers that
// open the files themselves; [Files] sums named files with one function. A Summer reuses buffers
// and hash states, so make one and share it: it is safe for concurrent use.
type Summer struct {
	f    Func
	pool sync.Pool // of *scratch
}

// NewSummer returns a Summer that computes f. It panics if the sums of f have more
// than 16 bytes.
func NewSummer(f Func) *Summer {
	if f.Size > 16 {
		panic("hashing: NewSummer of " + f.Name + ", whose sums have more than 16 bytes")
	}
	return &Summer{f: f}
}

// bufferSize is how much a Summer reads at once: large enough to make the system call negligible,
// small enough to keep the bytes in the second-level cache for the second function.
const bufferSize = 256 << 10

// scratch is the memory of one running sum.
type scratch struct {
	buf    []byte
	sum    hash.Hash
	digest *blake3.Hasher
	out    [16]byte
}

func (s *Summer) takeScratch() *scratch {
	if w, ok := s.pool.Get().(*scratch); ok {
		return w
	}
	return &scratch{buf: make([]byte, bufferSize), sum: s.f.New(), digest: blake3.New()}
}

// Sum reads r to its end and returns the wanted results. It checks ctx before each read of at
// most 256 KiB. On error the FileSum is zero, so that the sum of half a file is not mistaken for
// a sum.
func (s *Summer) Sum(ctx context.Context, r io.Reader, want Want) (FileSum, error) {
	w := s.takeScratch()
	defer s.pool.Put(w)
	return w.sumReader(ctx, r, want)
}

func (w *scratch) sumReader(ctx context.Context, r io.Reader, want Want) (FileSum, error) {
	w.sum.Reset()
	w.digest.Reset()
	size, err := drain(ctx, r, w.buf, func(p []byte) {
		if want&WantSum != 0 {
			w.sum.Write(p)
		}
		if want&WantDigest != 0 {
			w.digest.Write(p)
		}
	})
	if err != nil {
		return FileSum{}, err
	}
	out := FileSum{Size: size}
	if want&WantSum != 0 {
		out.Sum = sumOf(w.sum.Sum(w.out[:0])).Sum128()
	}
	if want&WantDigest != 0 {
		w.digest.Sum(out.Digest[:0])
	}
	return out, nil
}

// SumBytes is Sum of a reader of b.
func (s *Summer) SumBytes(b []byte, want Want) FileSum {
	out := FileSum{Size: int64(len(b))}
	if want&WantSum != 0 {
		out.Sum = s.f.Sum128(b)
	}
	if want&WantDigest != 0 {
		w := s.takeScratch()
		w.digest.Reset()
		w.digest.Write(b)
		w.digest.Sum(out.Digest[:0])
		s.pool.Put(w)
	}
	return out
}
