package hashing

import (
	"context"
	"io"

	"github.com/assetcook/assetcook/internal/parallel"
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
	workers = max(1, min(workers, n))
	held := make([]*scratch, workers) // by worker
	err := parallel.Each(ctx, workers, n, func(worker, i int) error {
		if held[worker] == nil {
			held[worker] = s.take()
		}
		sum, err := held[worker].file(ctx, i, open)
		done(i, sum, err)
		return nil
	})
	for _, w := range held {
		if w != nil {
			s.pool.Put(w)
		}
	}
	if err != nil {
		return ctx.Err() // as no file ends the batch
	}
	return nil
}

// file opens and sums file i.
func (w *scratch) file(ctx context.Context, i int, open func(int) (io.ReadCloser, Want, error)) (FileSum, error) {
	r, want, err := open(i)
	if err != nil {
		return FileSum{}, err
	}
	// A file that was only read has nothing to say at its close.
	defer r.Close()
	return w.run(ctx, r, want)
}
