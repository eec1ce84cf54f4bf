// Package parallel shares numbered work among goroutines, or among the cores that have
// none.
package parallel

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// Each calls do for each number below n, in that order, on at most so many workers at
// once, and returns when all calls have returned. worker, below workers, is the same for
// calls that come one after the other. After ctx has ended no more calls begin, and its
// error is returned; after a call has failed, its worker begins no more.
func Each(ctx context.Context, workers, n int, do func(worker, i int) error) error {
	workers = max(1, min(workers, n))
	errs := make([]error, workers)
	var next atomic.Int64
	work := func(worker int) {
		for ctx.Err() == nil && errs[worker] == nil {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			errs[worker] = do(worker, i)
		}
	}
	var group sync.WaitGroup
	for worker := 1; worker < workers; worker++ {
		group.Go(func() { work(worker) })
	}
	work(0) // so that one worker costs no goroutine
	group.Wait()
	if int(next.Load()) >= n { // all have begun; ctx may have ended since
		return errors.Join(errs...)
	}
	return errors.Join(append(errs, ctx.Err())...)
}
