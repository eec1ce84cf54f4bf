package share

import (
	"context"
	"errors"
	"testing"
	"time"
)

// round fills the window with questions, and answers them.
func (w *window) round(t *testing.T, took time.Duration, failed bool) (n int) {
	for n = w.size; w.out < n; {
		if err := w.enter(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for range n {
		w.leave(took, failed)
	}
	return n
}

func TestWindowGrowsWhileAnswersAreFast(t *testing.T) {
	const trip = 50 * time.Millisecond
	w := newWindow(maxWindow)
	rounds := 0
	for left := 100_000; left > 0; rounds++ {
		left -= w.round(t, trip+trip/2, false)
	}
	if rounds > 25 {
		t.Errorf("100,000 questions wait for %d round trips", rounds)
	}
	if w.size != maxWindow {
		t.Errorf("%d at a time, want at most %d", w.size, maxWindow)
	}
	for range 20 {
		w.round(t, 4*trip, false) // the server is busy
	}
	if w.size != firstWindow {
		t.Errorf("%d at a time of a slow server, want %d", w.size, firstWindow)
	}
	w.round(t, trip, false)
	if w.round(t, trip, true); w.size != firstWindow {
		t.Errorf("%d at a time of a server that fails", w.size)
	}
	if small := newWindow(3); small.round(t, trip, false) != 3 || small.round(t, trip, true) != 3 {
		t.Errorf("%d at a time of at most 3", small.size)
	}
}

// A waiting question continues when there is room, and ends when the run ends.
func TestFullWindowWaitsForRoom(t *testing.T) {
	w := newWindow(1)
	w.enter(t.Context())
	entered := make(chan error)
	go func() { entered <- w.enter(t.Context()) }()
	w.leave(time.Millisecond, false)
	if err := <-entered; err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { entered <- w.enter(ctx) }()
	cancel()
	if err := <-entered; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
