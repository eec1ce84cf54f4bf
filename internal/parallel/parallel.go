// Package parallel distributes numbered calls to goroutines or to idle cores.
package parallel

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// Each calls the function do for each number below n, in that order, and returns when all calls
// have returned. It uses at most workers goroutines. The argument worker, which is below workers,
// identifies the goroutine: calls with the same worker never overlap. When ctx is canceled, Each
// starts no more calls and returns the context's error. After a call has failed, its worker starts
// no more calls.
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
	work(0) // a single worker needs no goroutine
	group.Wait()
	if int(next.Load()) >= n { // cancellation no longer matters, because all calls have started
		return errors.Join(errs...)
	}
	return errors.Join(append(errs, ctx.Err())...)
}

// Cores limits how many goroutines compute at once. Each worker occupies one core. Idle cores help
// workers whose work can be split. A nil *Cores has no idle cores, and its workers never wait.
type Cores struct{ idle *semaphore.Weighted }

// NewCores returns Cores for n cores, at least one.
func NewCores(n int) *Cores {
	return &Cores{semaphore.NewWeighted(int64(max(1, n)))}
}

// Hold waits for a core, which the caller may use until it calls release. Goroutines that help in
// Each give up their cores after their current call.
func (c *Cores) Hold() (release func()) {
	if c == nil {
		return func() {}
	}
	c.idle.Acquire(context.Background(), 1)
	return func() { c.idle.Release(1) }
}

// HoldUnless is like Hold, but stops waiting when ctx is canceled.
func (c *Cores) HoldUnless(ctx context.Context) (release func(), err error) {
	if c == nil {
		return func() {}, ctx.Err()
	}
	if err := c.idle.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	return func() { c.idle.Release(1) }, nil
}

// Lend marks the caller's core as idle while the function wait runs. Afterwards Lend waits for a
// core again.
func (c *Cores) Lend(wait func() error) error {
	if c == nil {
		return wait()
	}
	c.idle.Release(1)
	defer c.idle.Acquire(context.Background(), 1)
	return wait()
}

// Each calls the function do for each number below n, on the caller's core and on idle cores. Cores
// that become idle later join, and leave when a worker needs them. Each returns when all calls have
// returned. After ctx is canceled, or a call has failed or panicked, Each starts no more calls. The
// caller gets the error or panic of the lowest number that failed.
func (c *Cores) Each(ctx context.Context, n int, do func(i int) error) error {
	s := &spread{ctx: ctx, n: n, do: do, failed: n}
	var helpers sync.WaitGroup
	for {
		for c != nil && s.itemsLeft() > s.ready.Load() && c.idle.TryAcquire(1) {
			s.ready.Add(1)
			helpers.Go(func() { s.runHelper(c) })
		}
		if !s.runItem() {
			break
		}
	}
	helpers.Wait()
	if s.panicked != nil {
		panic(s.panicked)
	}
	if s.err == nil && s.next.Load() < int64(n) {
		return ctx.Err()
	}
	return s.err
}

// spread is the state of one call of Cores.Each.
type spread struct {
	ctx  context.Context
	n    int
	do   func(i int) error
	next atomic.Int64 // number of the next call

	ready atomic.Int64 // number of helpers that have not started their first call

	mu       sync.Mutex
	failed   int // lowest number whose call failed; n if none did
	err      error
	panicked any
}

// itemsLeft returns how many calls remain for other cores after the caller's next call.
func (s *spread) itemsLeft() int64 { return int64(s.n) - s.next.Load() - 1 }

// runHelper makes calls until none is left or a worker needs the core.
func (s *spread) runHelper(c *Cores) {
	s.ready.Add(-1) // decremented before the call, because otherwise this helper would count twice and keep another helper away
	for more := true; more; {
		more = s.runItem()
		c.idle.Release(1)
		more = more && c.idle.TryAcquire(1)
	}
}

// runItem makes the next call, and reports whether more calls may be left.
func (s *spread) runItem() (more bool) {
	if s.ctx.Err() != nil || s.stopped() {
		return false
	}
	i := int(s.next.Add(1)) - 1
	if i >= s.n {
		return false
	}
	defer func() {
		if p := recover(); p != nil {
			more = false
			s.failWith(i, nil, p)
		}
	}()
	if err := s.do(i); err != nil {
		s.failWith(i, err, nil)
		return false
	}
	return true
}

func (s *spread) stopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed < s.n
}

func (s *spread) failWith(i int, err error, panicked any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i < s.failed {
		s.failed, s.err, s.panicked = i, err, panicked
	}
}
