package memory

import (
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// In TestWorkersAndReaders, workers allocate, exchange and free slices while other goroutines read
// the figures. Afterwards all sums must match the remaining slices, and no memory may have had two
// owners at a time.
func TestWorkersAndReaders(t *testing.T) {
	tracker := New(Options{Keep: 100 << 10})
	g := tracker.Group("g", GroupOptions{Budget: 50 << 10})
	pools := []*Pool{g.Pool("p", PoolOptions{}), g.Pool("q", PoolOptions{})}
	type slice struct {
		pool *Pool
		b    []byte
		mark byte
	}
	handed := make(chan slice, 8)
	check := func(s slice) {
		for i, c := range s.b {
			if c != s.mark {
				t.Errorf("byte %d of %d is %#x, want %#x: another owner has it too", i, len(s.b), c, s.mark)
				break
			}
		}
		s.pool.Free(nil, s.b)
	}

	var workers, readers sync.WaitGroup
	for i := range 4 {
		workers.Go(func() {
			w := tracker.Worker(fmt.Sprint(i % 2)) // Two workers share their rows.
			random := rand.New(rand.NewPCG(uint64(i), 1))
			for n := range 2000 {
				w.Push(fmt.Sprint("asset ", n%10))
				s := slice{pools[n%2], nil, byte(n)}
				s.b = s.pool.Bytes(w, 1+random.IntN(2000))
				for i := range s.b {
					s.b[i] = s.mark
				}
				account := g.Grow(w, 10)
				select {
				case handed <- s:
				default:
					check(s)
				}
				select {
				case s := <-handed:
					check(s)
				default:
				}
				account.Shrink()
				w.Pop()
			}
		})
	}
	var done atomic.Bool
	for range 2 {
		readers.Go(func() {
			before := tracker.Snapshot()
			for !done.Load() {
				s := tracker.Snapshot()
				for _, r := range s.Rows {
					if r.Bytes < 0 || r.Count < 0 || r.Peak < 0 {
						t.Errorf("row %+v", r)
					}
				}
				for _, a := range tracker.List().flat() {
					// In its n-th turn, a worker allocates in the scope "asset n%10" and in pool
					// n%2. So odd assets must be in pool q.
					if odd := a.Owner.Scope[len("asset ")]%2 == 1; a.Bytes < 1 || a.Bytes > 2000 || a.Capacity < a.Bytes || odd != (a.Owner.Name == "q") {
						t.Errorf("allocation %+v mixes two", a)
					}
				}
				s.Tree(Query{Scope: "asset 1"})
				s.Sub(before).WriteLeaks(io.Discard)
				tracker.Trim()
			}
		})
	}
	workers.Wait()
	done.Store(true)
	readers.Wait()
	close(handed)
	for s := range handed {
		check(s)
	}

	s := tracker.Snapshot()
	for _, r := range s.Rows {
		if r.Bytes != 0 || r.Count != 0 {
			t.Errorf("left: %+v", r)
		}
	}
	if got := s.Groups[0]; got.Bytes != 0 || got.Count != 0 || got.Peak < 10 {
		t.Errorf("group %+v", got)
	}
	if s.Held != s.Warm || s.Warm > 100<<10 || s.Untracked != 0 || s.Coarse != 0 {
		t.Errorf("held %d, kept %d of at most %d, untracked %d, coarse %d", s.Held, s.Warm, 100<<10, s.Untracked, s.Coarse)
	}
	tracker.Trim()
	if s := tracker.Snapshot(); s.Held != 0 || tracker.stock.blocks.Load() != 0 {
		t.Errorf("%d bytes in %d blocks are held after Trim", s.Held, tracker.stock.blocks.Load())
	}
}

// Goroutines add memory at the same time and hold it all. The peak must equal the sum.
func TestPeakIsExactUnderConcurrency(t *testing.T) {
	tracker := New(Options{})
	g := tracker.Group("g", GroupOptions{Budget: 700})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			w := tracker.Worker("w").Push("a")
			for range 100 {
				g.Grow(w, 1)
			}
		})
	}
	all.Wait()
	s := tracker.Snapshot()
	if len(s.Rows) != 1 || s.Rows[0].Peak != 800 || s.Groups[0].Peak != 800 || s.Groups[0].Exceeded != 1 {
		t.Errorf("rows %+v and group %+v, want peaks of 800, exceeded once", s.Rows, s.Groups[0])
	}
}

func TestOneOfConcurrentFreesSucceeds(t *testing.T) {
	f := newFixture(Options{Keep: 1 << 20})
	b := f.images.Bytes(f.w, 1000)
	var succeeded atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			defer func() { recover() }()
			f.images.Free(nil, b)
			succeeded.Add(1)
		})
	}
	all.Wait()
	if got := succeeded.Load(); got != 1 || f.images.group.Bytes() != 0 {
		t.Errorf("%d succeeded, and %d bytes are held; want 1 and 0", got, f.images.group.Bytes())
	}
}

// Concurrent requests must never exceed a budget, and all bytes must be returned to it.
func TestConcurrentRequestsKeepBudgets(t *testing.T) {
	tracker := New(Options{Totals: true})
	inner, middle := nested(tracker)
	pools := []*Pool{inner, middle}
	var all, readers sync.WaitGroup
	var done atomic.Bool
	readers.Go(func() {
		for !done.Load() {
			for _, a := range tracker.List().flat() {
				if a.Bytes < 1 || a.Bytes > 100 || a.Capacity < a.Bytes || a.Owner.Scope != "a" {
					t.Errorf("allocation %+v", a)
				}
			}
			if u := tracker.Usage(); u.Bytes < 0 || u.Peak > 150 {
				t.Errorf("usage %+v", u)
			}
		}
	})
	for i := range 6 {
		all.Go(func() {
			w := tracker.Worker(fmt.Sprint(i)).Push("a")
			random := rand.New(rand.NewPCG(uint64(i), 2))
			for n := range 1000 {
				p := pools[n%2]
				b, err := p.WaitBytes(t.Context(), w, 1+random.IntN(100))
				if err != nil {
					t.Error(err)
					return
				}
				if resized, err := p.Resize(b, 1+random.IntN(100)); err == nil {
					b = resized
				} else if !isRefusal(err) {
					t.Error(err)
				}
				if to := pools[random.IntN(2)]; to.Retag(w, b) == nil {
					p = to
				}
				account, err := p.group.TryGrow(w, 5)
				if err == nil {
					account.Resize(random.Int64N(20))
					account.Retag(w, pools[random.IntN(2)].group)
				}
				p.Free(nil, b)
				account.Shrink()
			}
		})
	}
	all.Wait()
	done.Store(true)
	readers.Wait()
	if u := tracker.Usage(); u.Total != (Total{Peak: u.Peak, PeakCount: u.PeakCount}) || u.Rounding != 0 || u.Held != u.Warm {
		t.Errorf("usage after everything was freed: %+v", u)
	}
	for _, g := range tracker.Snapshot().Groups {
		if g.Bytes != 0 || g.Count != 0 || g.Budget != 0 && g.Peak > g.Budget || g.Exceeded != 0 {
			t.Errorf("group %+v", g)
		}
	}
	if a, err := middle.group.TryGrow(nil, 150); err != nil {
		t.Errorf("the budget did not come back completely: %v", err)
	} else {
		a.Shrink()
	}
	if a, err := inner.group.TryGrow(nil, 100); err != nil {
		t.Errorf("the budget did not come back completely: %v", err)
	} else {
		a.Shrink()
	}
}
