package share

import (
	"context"
	"sync"
	"time"
)

const (
	firstWindow = 16
	maxWindow   = 8192
	// slowdown is the tolerance for answers slower than twice the fastest, before the window
	// shrinks.
	slowdown = 20 * time.Millisecond
)

// A window limits the questions in flight. It doubles with each round trip as long as answers are
// as fast as before. Thousands of questions thus take few round trips, and a slow server is not
// overloaded.
type window struct {
	mu      sync.Mutex
	room    *sync.Cond
	size    int
	most    int
	out     int           // in flight
	fastest time.Duration // fastest answer; 0 before the first
	late    int           // slow answers in a row
}

func newWindow(most int) *window {
	w := &window{size: min(firstWindow, most), most: most}
	w.room = sync.NewCond(&w.mu)
	return w
}

// enter waits until there is room for one more question, or ctx is done.
func (w *window) enter(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		w.mu.Lock() // not between the check of ctx and the wait
		defer w.mu.Unlock()
		w.room.Broadcast()
	})
	defer stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.out >= w.size {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		w.room.Wait()
	}
	if w.out++; w.out < w.size {
		w.room.Signal()
	}
	return nil
}

// leave records an answer and its duration.
func (w *window) leave(took time.Duration, failed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out--
	if w.fastest == 0 || took < w.fastest {
		w.fastest = took
	}
	w.late++
	switch {
	case !failed && took <= 2*w.fastest+slowdown:
		w.size, w.late = min(w.size+1, w.most), 0
	case failed || w.late >= w.size: // a whole round trip was late
		w.size, w.late = max(w.size/2, min(firstWindow, w.most)), 0
	}
	w.room.Signal()
}
