package fastclock

import (
	"runtime"
	"sync"
	"testing"
)

func TestCellHoldsWordAndTick(t *testing.T) {
	var c Cell
	if _, _, ok := c.Load(); ok {
		t.Error("an empty cell holds something")
	}
	before := Now()
	at := c.Set(7)
	if what, tick, ok := c.Load(); !ok || what != 7 || tick != at {
		t.Errorf("got %d at %d, %v; want 7 at %d", what, tick, ok, at)
	}
	if end := c.Clear(); at < before || end < at || Now() < end {
		t.Errorf("set at %d, cleared at %d, between %d and now", at, end, before)
	}
	if _, _, ok := c.Load(); ok {
		t.Error("a cleared cell holds something")
	}
}

// TestGenericCellHoldsWordAndTick tests the implementation for machines without a usable counter.
func TestGenericCellHoldsWordAndTick(t *testing.T) {
	var c Cell
	at := setCellGeneric(&c, 7)
	if what, tick, ok := c.Load(); !ok || what != 7 || tick != at {
		t.Errorf("got %d at %d, %v; want 7 at %d", what, tick, ok, at)
	}
	if end := clearCellGeneric(&c); end < at {
		t.Errorf("set at %d, cleared at %d", at, end)
	}
	if _, _, ok := c.Load(); ok {
		t.Error("a cleared cell holds something")
	}
}

// TestCellIsNotTorn checks that other goroutines never load the word of one Set and the tick of
// another.
func TestCellIsNotTorn(t *testing.T) {
	const rounds = 200_000
	var c Cell
	ticks := make([]int64, rounds)
	type seen struct{ what, tick int64 }
	var found []seen
	var wait sync.WaitGroup
	done := make(chan struct{})
	wait.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			if what, tick, ok := c.Load(); ok {
				found = append(found, seen{int64(what), tick})
			}
		}
	})
	for i := range ticks {
		ticks[i] = c.Set(uint64(i))
		if i%64 == 0 {
			runtime.Gosched()
		}
		c.Clear()
	}
	close(done)
	wait.Wait()
	for _, s := range found {
		if ticks[s.what] != s.tick {
			t.Fatalf("word %d came with tick %d, was set at %d", s.what, s.tick, ticks[s.what])
		}
	}
}

func BenchmarkCell(b *testing.B) {
	var c Cell
	for b.Loop() {
		c.Set(1)
		c.Clear()
	}
}
