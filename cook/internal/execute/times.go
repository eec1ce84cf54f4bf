package execute

import (
	"context"
	"sync/atomic"
	"time"
)

// times are what an action spent beside the work of its worker, in nanoseconds. A nil
// *times takes no notes.
type times struct {
	waited atomic.Int64 // for memory
	helped atomic.Int64 // by idle cores
}

func (t *times) reset() {
	t.waited.Store(0)
	t.helped.Store(0)
}

func (t *times) wait(d time.Duration) {
	if t != nil {
		t.waited.Add(int64(d))
	}
}

// each is what a recipe shares work among cores with.
func (c *cooker) each(t *times) func(ctx context.Context, n int, do func(i int) error) error {
	if t == nil || c.Cores == nil {
		return c.Cores.Each
	}
	return func(ctx context.Context, n int, do func(i int) error) error {
		var all atomic.Int64
		begin := c.Now()
		err := c.Cores.Each(ctx, n, func(i int) error {
			begin := c.Now()
			defer func() { all.Add(int64(c.Now().Sub(begin))) }()
			return do(i)
		})
		t.helped.Add(max(0, all.Load()-int64(c.Now().Sub(begin))))
		return err
	}
}
