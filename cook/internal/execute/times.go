package execute

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/internal/fastclock"
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

// onProcessor calls do and returns the processor time that do used on the calling goroutine. The
// time does not depend on the load of the machine. known is false if the system cannot measure it.
func onProcessor(do func()) (used time.Duration, known bool) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin, known := fastclock.Thread()
	do()
	end, _ := fastclock.Thread()
	return end - begin, known
}

// A processorTime sums the processor time spent outside a recipe's goroutine: in helper goroutines
// and in programs.
type processorTime struct{ ns atomic.Int64 }

func (p *processorTime) addProcessorTime(d time.Duration) { p.ns.Add(int64(max(d, 0))) }
func (p *processorTime) sum() time.Duration               { return time.Duration(p.ns.Load()) }

// each returns an each that adds the processor time of all pieces, in any goroutine. It subtracts
// the time of the recipe's own goroutine, because onProcessor already measures all of that.
func (p *processorTime) each(each func(ctx context.Context, n int, do func(i int) error) error) func(ctx context.Context, n int, do func(i int) error) error {
	return func(ctx context.Context, n int, do func(i int) error) (err error) {
		own, _ := onProcessor(func() {
			err = each(ctx, n, func(i int) (err error) {
				used, _ := onProcessor(func() { err = do(i) })
				p.addProcessorTime(used)
				return err
			})
		})
		p.ns.Add(-int64(own))
		return err
	}
}
