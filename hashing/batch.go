package hashing

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
)

// SumAll sums the files 0 to n-1 on that many workers (at least one).
//
// open(i) opens file i and says what is wanted of it; SumAll closes it. done(i)
// takes the result or the error of open, read or sum, exactly once for each file
// that was begun. Both are called from the workers' goroutines, several at once,
// in no promised order; files are begun in the order of i.
//
// When ctx ends no further file is begun, the files in work end with its error,
// and SumAll returns that error; it returns nil when every file was handed to
// done. In both cases all workers have ended.
//
// Nothing is allocated per file besides what open does.
func (s *Summer) SumAll(ctx context.Context, n, workers int,
	open func(i int) (io.ReadCloser, Want, error), done func(i int, sum FileSum, err error)) error {
	b := &batch{ctx: ctx, n: int64(n), open: open, done: done}
	workers = min(max(workers, 1), max(n, 0))
	for range workers {
		b.wg.Go(func() {
			w := s.take()
			defer s.pool.Put(w)
			b.work(w)
		})
	}
	b.wg.Wait()
	if b.finished.Load() == max(b.n, 0) {
		return nil
	}
	return ctx.Err()
}

// batch is one call of SumAll.
type batch struct {
	ctx      context.Context
	n        int64
	next     atomic.Int64 // the next file to begin
	finished atomic.Int64 // files handed to done
	wg       sync.WaitGroup
	open     func(int) (io.ReadCloser, Want, error)
	done     func(int, FileSum, error)
}

func (b *batch) work(w *scratch) {
	for b.ctx.Err() == nil {
		i := b.next.Add(1) - 1
		if i >= b.n {
			return
		}
		sum, err := b.one(int(i), w)
		b.done(int(i), sum, err)
		b.finished.Add(1)
	}
}

func (b *batch) one(i int, w *scratch) (FileSum, error) {
	r, want, err := b.open(i)
	if err != nil {
		return FileSum{}, err
	}
	// A file that was only read has nothing to say at its close.
	defer r.Close()
	return w.run(b.ctx, r, want)
}
