package parallel

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestEach(t *testing.T) {
	for _, workers := range []int{-1, 0, 1, 3, 100} {
		for _, n := range []int{0, 1, 7, 1000} {
			done := make([]atomic.Int32, n)
			busy := make([]atomic.Bool, max(workers, 1))
			err := Each(t.Context(), workers, n, func(worker, i int) error {
				if busy[worker].Swap(true) {
					t.Errorf("worker %d does two things at once", worker)
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

// As many calls run at once as there are workers.
func TestEachIsParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		Each(t.Context(), 4, 8, func(int, int) error { time.Sleep(time.Second); return nil })
		if took := time.Since(begin); took != 2*time.Second {
			t.Errorf("8 calls of a second on 4 workers take %v", took)
		}
	})
}

func TestEachEndsEarly(t *testing.T) {
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
