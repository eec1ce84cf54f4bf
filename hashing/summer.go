package hashing

import (
	"context"
	"hash"
	"io"
	"sync"

	"github.com/zeebo/blake3"
)

// Want selects the results to compute in addition to the size.
type Want uint8

const (
	WantSum    Want = 1 << iota // the checksum
	WantDigest                  // the Digest, which takes several times longer than the checksum
)

// FileSum is the result of reading a file once.
type FileSum struct {
	Size   int64  // number of bytes read
	Sum    Sum128 // zero unless WantSum is set
	Digest Digest // zero unless WantDigest is set
}

// Summer computes a checksum and BLAKE3 of streams in one pass, for callers that open the files
// themselves. [Files] is for named files and one function. A Summer reuses buffers and hash states,
// so share it. It is safe for concurrent use.
type Summer struct {
	f    Func
	pool sync.Pool // pool of *scratch
}

// NewSummer returns a Summer for f. It panics if the checksums of f have more than 16 bytes.
func NewSummer(f Func) *Summer {
	if f.Size > 16 {
		panic("hashing: NewSummer of " + f.Name + ", whose sums have more than 16 bytes")
	}
	return &Summer{f: f}
}

// bufferSize is the size of a Summer's reads. Larger reads would be evicted from the L2 cache
// before the second function hashes them, and smaller reads would spend more time in system calls.
const bufferSize = 256 << 10

// scratch is the memory for one stream.
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

// Sum reads r to its end and returns the wanted results. It checks ctx before each read of at most
// 256 KiB. On error the FileSum is zero, so that a partial checksum cannot be mistaken for a
// result.
func (s *Summer) Sum(ctx context.Context, r io.Reader, want Want) (FileSum, error) {
	w := s.takeScratch()
	defer s.pool.Put(w)
	return w.sumReader(ctx, r, want)
}

func (w *scratch) sumReader(ctx context.Context, r io.Reader, want Want) (FileSum, error) {
	w.sum.Reset()
	w.digest.Reset()
	size, err := readPieces(ctx, r, w.buf, func(p []byte) {
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

// SumBytes is like Sum for the bytes b.
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

// SumShared is like Sum, but several workers share the large file r of the given size. Use it for a
// large file that would otherwise keep one core busy after all other files are done. If both the
// checksum and the Digest are wanted, r is read twice. If r does not end at size, the error is
// [ErrChanged]. SumShared needs as much memory as Files.
func (s *Summer) SumShared(ctx context.Context, r io.ReaderAt, size int64, want Want, workers int) (FileSum, error) {
	if size <= blockSize {
		out, err := s.Sum(ctx, io.NewSectionReader(r, 0, size+1), want)
		if err == nil && out.Size != size {
			return FileSum{}, ErrChanged
		}
		return out, err
	}
	out := FileSum{Size: size}
	if want&WantSum != 0 {
		sum, err := sumShared(ctx, s.f, r, size, workers)
		if err != nil {
			return FileSum{}, err
		}
		out.Sum = sum.Sum128()
	}
	if want&WantDigest != 0 {
		f, _ := Lookup("blake3")
		sum, err := sumShared(ctx, f, r, size, workers)
		if err != nil {
			return FileSum{}, err
		}
		copy(out.Digest[:], sum.Bytes())
	}
	return out, nil
}

// sumShared processes one file of at least two blocks with a queue that has no other files.
func sumShared(ctx context.Context, f Func, r io.ReaderAt, size int64, workers int) (Sum, error) {
	var out FileResult
	work, end := context.WithCancel(ctx)
	defer end()
	q := &queue{
		Files: Files{Func: f, Workers: workers}, ctx: work, end: end, exhausted: true, busy: 1,
		done: func(r FileResult) { out = r }, early: map[int]FileResult{},
	}
	q.wake.L = &q.mu
	before := stamp{kind: regular, size: size}
	l := newLarge(f, section{r, before}, before)
	q.large = []*large{l}
	var wg sync.WaitGroup
	for range max(workers, 1) - 1 {
		wg.Go(q.runWorker)
	}
	q.runWorker()
	wg.Wait()
	return out.Sum, out.Err
}

// A section is a source that reads the caller's open file.
type section struct {
	io.ReaderAt
	before stamp
}

func (section) Read([]byte) (int, error) { return 0, io.EOF }
func (section) Close() error             { return nil }

// stamp reports a larger size if the file has grown.
func (s section) stamp() (stamp, error) {
	after := s.before
	if n, _ := s.ReadAt(make([]byte, 1), after.size); n > 0 {
		after.size++
	}
	return after, nil
}
