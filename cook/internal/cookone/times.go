package cookone

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/internal/fastclock"
	"github.com/assetcook/assetcook/internal/parallel"
)

// Times holds two durations of an action in nanoseconds: the time spent waiting for memory, and the
// time that idle cores worked on the action. A nil *Times records nothing.
type Times struct {
	waited atomic.Int64
	helped atomic.Int64
}

// Reset starts the record of the next action.
func (t *Times) Reset() {
	t.waited.Store(0)
	t.helped.Store(0)
}

// Waited returns the time spent waiting for memory.
func (t *Times) Waited() time.Duration { return time.Duration(t.waited.Load()) }

// Helped returns the time that idle cores worked on the action.
func (t *Times) Helped() time.Duration { return time.Duration(t.helped.Load()) }

func (t *Times) addWait(d time.Duration) {
	if t != nil {
		t.waited.Add(int64(d))
	}
}

// eachTimed returns the function that distributes the work of a recipe among cores.
func (t *Times) eachTimed(cores *parallel.Cores, now func() time.Time) eachFunc {
	if t == nil || cores == nil {
		return cores.Each
	}
	return func(ctx context.Context, n int, do func(i int) error) error {
		var all atomic.Int64
		begin := now()
		err := cores.Each(ctx, n, func(i int) error {
			begin := now()
			defer func() { all.Add(int64(now().Sub(begin))) }()
			return do(i)
		})
		t.helped.Add(max(0, all.Load()-int64(now().Sub(begin))))
		return err
	}
}

// An eachFunc calls do for all numbers below n, on several cores.
type eachFunc = func(ctx context.Context, n int, do func(i int) error) error

// onProcessor calls do and returns the processor time that do used on this goroutine. The time does
// not depend on the load of the machine. known is false if the system cannot measure it.
func onProcessor(do func()) (used time.Duration, known bool) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin, known := fastclock.Thread()
	do()
	end, _ := fastclock.Thread()
	return end - begin, known
}

// A processorTime is the processor time of a recipe in programs and in other goroutines than the
// one that runs the recipe.
type processorTime struct{ ns atomic.Int64 }

// addProcessorTime adds d, for example the time of a program.
func (p *processorTime) addProcessorTime(d time.Duration) { p.ns.Add(int64(max(d, 0))) }

func (p *processorTime) sumProcessorTime() time.Duration { return time.Duration(p.ns.Load()) }

// eachOnProcessor returns an eachFunc that adds the processor time of all calls. It excludes the
// recipe's own goroutine, because onProcessor measures that.
func (p *processorTime) eachOnProcessor(each eachFunc) eachFunc {
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
