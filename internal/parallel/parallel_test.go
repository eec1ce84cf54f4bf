package parallel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestEachMakesAllCallsOnce(t *testing.T) {
	for _, workers := range []int{-1, 0, 1, 3, 100} {
		for _, n := range []int{0, 1, 7, 1000} {
			done := make([]atomic.Int32, n)
			busy := make([]atomic.Bool, max(workers, 1))
			err := Each(t.Context(), workers, n, func(worker, i int) error {
				if busy[worker].Swap(true) {
					t.Errorf("worker %d makes two calls at once", worker)
				}
				done[i].Add(1)
				busy[worker].Store(false)
				return nil
			})
			for i := range done {
				if done[i].Load() != 1 {
					t.Errorf("%d workers: %d done %d times", workers, i, done[i].Load())
				}
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
}

// TestEachIsParallel checks that the number of concurrent calls equals the number of workers.
func TestEachIsParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		Each(t.Context(), 4, 8, func(int, int) error { time.Sleep(time.Second); return nil })
		if took := time.Since(begin); took != 2*time.Second {
			t.Errorf("8 calls of a second on 4 workers take %v", took)
		}
	})
}

func TestEachStopsAfterFailures(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	err := Each(ctx, 1, 10, func(_, i int) error {
		calls++
		if i == 3 {
			cancel()
		}
		return nil
	})
	if calls != 4 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d calls, %v", calls, err)
	}
	bad := errors.New("bad")
	calls = 0
	err = Each(t.Context(), 1, 10, func(_, i int) error {
		calls++
		if i == 3 {
			return fmt.Errorf("%d: %w", i, bad)
		}
		return nil
	})
	if calls != 4 || !errors.Is(err, bad) {
		t.Errorf("%d calls, %v", calls, err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	err = Each(ctx, 2, 2, func(_, i int) error { cancel(); return nil })
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("all done, %v", err)
	}
}

// TestCoresMakeAllCallsOnce checks that each call is made exactly once, for any number of cores.
func TestCoresMakeAllCallsOnce(t *testing.T) {
	for _, cores := range []*Cores{nil, NewCores(0), NewCores(1), NewCores(2), NewCores(8)} {
		for _, n := range []int{0, 1, 2, 7, 1000} {
			done := make([]atomic.Int32, n)
			release := cores.Hold()
			if err := cores.Each(t.Context(), n, func(i int) error { done[i].Add(1); return nil }); err != nil {
				t.Error(err)
			}
			release()
			for i := range done {
				if done[i].Load() != 1 {
					t.Errorf("%d of %d was done %d times", i, n, done[i].Load())
				}
			}
		}
	}
}

// TestIdleCoresHelp checks that more idle cores reduce the total time. Each call takes a second.
func TestIdleCoresHelp(t *testing.T) {
	second := func(int) error { time.Sleep(time.Second); return nil }
	for _, tt := range []struct {
		name   string
		cores  int
		others []time.Duration // how long other workers hold a core, from the start
		n      int
		want   time.Duration
	}{
		{"one core", 1, nil, 8, 8 * time.Second},
		{"four cores", 4, nil, 8, 2 * time.Second},
		{"more cores than pieces", 16, nil, 8, time.Second},
		{"the other core is at work", 2, []time.Duration{time.Hour}, 8, 8 * time.Second},
		{"the other core joins in later", 2, []time.Duration{3500 * time.Millisecond}, 8, 6 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := NewCores(tt.cores)
				defer c.Hold()()
				for _, other := range tt.others {
					release := c.Hold()
					time.AfterFunc(other, release)
				}
				begin := time.Now()
				if err := c.Each(t.Context(), tt.n, second); err != nil {
					t.Error(err)
				}
				if took := time.Since(begin); took != tt.want {
					t.Errorf("took %v, want %v", took, tt.want)
				}
			})
		})
	}
}

// TestCoresAreNotOversubscribed checks that no more goroutines compute than there are cores. A
// worker may wait for at most one call of another worker.
func TestCoresAreNotOversubscribed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const cores = 3
		c := NewCores(cores)
		var mu sync.Mutex
		busy, most := 0, 0
		compute := func() {
			mu.Lock()
			busy++
			most = max(most, busy)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			busy--
			mu.Unlock()
		}
		var workers sync.WaitGroup
		for range 2 {
			workers.Go(func() {
				defer c.Hold()()
				c.Each(t.Context(), 50, func(int) error { compute(); return nil })
			})
		}
		workers.Go(func() {
			for range 10 {
				time.Sleep(1500 * time.Millisecond)
				begin := time.Now()
				release := c.Hold()
				if waited := time.Since(begin); waited > time.Second {
					t.Errorf("a worker waited for %v", waited)
				}
				compute()
				release()
			}
		})
		workers.Wait()
		if most != cores {
			t.Errorf("%d goroutines at work at once, want %d", most, cores)
		}
	})
}

// TestLentCoreIsIdle checks that the core of a waiting worker helps other workers.
func TestLentCoreIsIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewCores(2)
		defer c.Hold()()
		failure := errors.New("failure")
		var waiting sync.WaitGroup
		waiting.Go(func() {
			defer c.Hold()()
			if err := c.Lend(func() error { time.Sleep(10 * time.Second); return failure }); err != failure {
				t.Error(err)
			}
		})
		synctest.Wait()
		begin := time.Now()
		c.Each(t.Context(), 8, func(int) error { time.Sleep(time.Second); return nil })
		if took := time.Since(begin); took != 4*time.Second {
			t.Errorf("8 pieces of a second took %v with two cores", took)
		}
		waiting.Wait()
	})
}

// TestLowestFailureIsReturned checks that the caller gets the error of the call with the lowest
// number. When the caller gets it, no call may still run, and no call may start later.
func TestLowestFailureIsReturned(t *testing.T) {
	c := NewCores(4)
	defer c.Hold()()
	for _, panics := range []bool{false, true} {
		var running, begun atomic.Int32
		gate := make(chan struct{})
		var got any
		func() {
			defer func() {
				if p := recover(); p != nil {
					got = p
				}
			}()
			if err := c.Each(t.Context(), 1000, func(i int) error {
				running.Add(1)
				defer running.Add(-1)
				if begun.Add(1) == 4 {
					close(gate)
				}
				<-gate // all four goroutines have started their call
				if panics {
					panic(i)
				}
				return indexed(i)
			}); err != nil {
				got = int(err.(indexed))
			}
		}()
		if got != 0 {
			t.Errorf("panics %v: %v, want the failure of call 0", panics, got)
		}
		if running.Load() != 0 || begun.Load() != 4 {
			t.Errorf("panics %v: %d calls are running, %d have started", panics, running.Load(), begun.Load())
		}
		// All cores must be free again.
		var releases []func()
		for range 3 {
			releases = append(releases, c.Hold())
		}
		for release := range slices.Values(releases) {
			release()
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	var none *Cores
	if err := none.Each(ctx, 10, func(int) error { cancel(); calls++; return nil }); !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

type indexed int

func (indexed) Error() string { return "failed" }
