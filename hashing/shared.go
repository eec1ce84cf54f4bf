package hashing

import (
	"context"
	"io"
	"sync"
)

// SumShared is Sum of the size bytes of r, a large file, read in pieces by several workers. It
// serves the one large file that would keep a single core busy after all other files are done.
// Wanting both the sum and the Digest takes two passes. If r does not end at size the error is
// [ErrChanged].
//
// It needs as much memory as Files.
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

// sumShared runs a queue without names on one file of at least two blocks.
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
		wg.Go(q.work)
	}
	q.work()
	wg.Wait()
	return out.Sum, out.Err
}

// section is a source whose file belongs to the caller.
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
