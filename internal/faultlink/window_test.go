package faultlink

import (
	"testing"
	"time"
)

// TestWindowDoublesPerRoundTrip sends as much as the window allows, over a round trip of 100 ms.
func TestWindowDoublesPerRoundTrip(t *testing.T) {
	w, now := newWindow(), time.Unix(1, 0)
	for want := firstWindow; want < 1<<20; want *= 2 {
		n, _ := w.allowed(now)
		if n != want {
			t.Fatalf("%d bytes allowed, want %d", n, want)
		}
		w.sent(now, now.Add(100*time.Millisecond), n)
		n, next := w.allowed(now.Add(50 * time.Millisecond))
		if n != 0 || !next.Equal(now.Add(100*time.Millisecond)) {
			t.Fatalf("%d bytes allowed before the acknowledgment, next at %v", n, next)
		}
		now = next
	}
	now = now.Add(restartTime)
	if n, _ := w.allowed(now); n != firstWindow {
		t.Errorf("after a pause: %d bytes, want %d", n, firstWindow)
	}
}
