package parallel

import (
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// Cores are the goroutines that may compute at once. Workers hold one each; what is left
// is idle, and helps where work can be split. A nil *Cores has none to spare and makes
// no worker wait.
type Cores struct{ idle *semaphore.Weighted }

// NewCores returns so many cores, at least one.
func NewCores(n int) *Cores {
	return &Cores{semaphore.NewWeighted(int64(max(1, n)))}
}

// Hold waits for a core, which the caller computes on until it releases it. Helpers make
// room after the piece of work that they are at.
func (c *Cores) Hold() (release func()) {
	if c == nil {
		return func() {}
	}
	c.idle.Acquire(context.Background(), 1)
	return func() { c.idle.Release(1) }
}

// HoldUnless is Hold that is given up when ctx ends.
func (c *Cores) HoldUnless(ctx context.Context) (release func(), err error) {
	if c == nil {
		return func() {}, ctx.Err()
	}
	if err := c.idle.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	return func() { c.idle.Release(1) }, nil
}

// Lend makes the core of a caller that holds one idle while wait runs, and takes one
// again.
func (c *Cores) Lend(wait func() error) error {
	if c == nil {
		return wait()
	}
	c.idle.Release(1)
	defer c.idle.Acquire(context.Background(), 1)
	return wait()
}

// Each calls do for each number below n, on the core that the caller holds and on those
// that are idle. Cores that become idle later join in, and leave when a worker wants
// them. It returns when all calls have returned. After ctx has ended, or a call has
// failed or panicked, no more calls begin; the error or panic of the lowest number among
// those that failed is the caller's.
func (c *Cores) Each(ctx context.Context, n int, do func(i int) error) error {
	s := &spread{ctx: ctx, n: n, do: do, failed: n}
	var helpers sync.WaitGroup
	for {
		for c != nil && s.left() > s.ready.Load() && c.idle.TryAcquire(1) {
			s.ready.Add(1)
			helpers.Go(func() { s.help(c) })
		}
		if !s.step() {
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

// A spread is one call of Each.
type spread struct {
	ctx  context.Context
	n    int
	do   func(i int) error
	next atomic.Int64 // number to begin

	ready atomic.Int64 // helpers that have not begun a call yet

	mu       sync.Mutex
	failed   int // lowest number of a call that failed, n if none has
	err      error
	panicked any
}

// left is how many calls the caller's next one leaves to helpers.
func (s *spread) left() int64 { return int64(s.n) - s.next.Load() - 1 }

// help makes calls until none is left or the core is wanted.
func (s *spread) help(c *Cores) {
	s.ready.Add(-1) // before the call begins: counted twice, it would keep another helper away
	for more := true; more; {
		more = s.step()
		c.idle.Release(1)
		more = more && c.idle.TryAcquire(1)
	}
}

// step makes the next call, and reports whether there may be another.
func (s *spread) step() (more bool) {
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
			s.fail(i, nil, p)
		}
	}()
	if err := s.do(i); err != nil {
		s.fail(i, err, nil)
		return false
	}
	return true
}

func (s *spread) stopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed < s.n
}

func (s *spread) fail(i int, err error, panicked any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i < s.failed {
		s.failed, s.err, s.panicked = i, err, panicked
	}
}
