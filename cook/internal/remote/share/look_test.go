package share

import (
	"context"
	"encoding/json"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/store"
)

// Expected keys are looked up after all earlier expected keys. Keys of actions with dependencies
// are looked up at once, because an answer has named them.
func TestExpectedKeysTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &emptyServer{}
		s := &sharer{
			to:       answers{Encoder: json.NewEncoder(io.Discard)},
			findings: map[remote.Key]*finding{}, looking: newWindow(1),
			link: newLink(t.Context(), func(context.Context) (Server, error) { return server, nil }, func(string) {}),
		}
		defer s.link.close()
		expect := func(before chan struct{}, k remote.Key) (after chan struct{}) {
			return s.expectAfter(t.Context(), before, remote.Request{Keys: []remote.Key{k}, Have: make([][]store.BlobID, 1)})
		}
		before := make(chan struct{})
		after := expect(before, remote.Key{Action: store.ActionID{1}})
		after = expect(after, remote.Key{Action: store.ActionID{2}, Reads: true})
		after = expect(after, remote.Key{Action: store.ActionID{3}})
		if synctest.Wait(); server.asked != 1 {
			t.Errorf("asked for %d keys before the earlier keys, want 1", server.asked)
		}
		close(before)
		synctest.Wait()
		select {
		case <-after:
		default:
			t.Error("the next keys will wait forever")
		}
		if server.asked != 3 {
			t.Errorf("asked for %d keys, want 3", server.asked)
		}
	})
}

// The rate of a link counts only the time with a transfer in flight.
func TestIdleTimeDoesNotSlowTheLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const moved = 4 << 20
		ago := func(d time.Duration) time.Time { return time.Now().Add(-d) }
		for name, c := range map[string]struct {
			pace *pace
			want time.Duration
		}{
			"idle":        {&pace{bytes: moved, busy: time.Second, since: ago(time.Hour)}, time.Second},
			"on its way":  {&pace{bytes: moved, busy: time.Second, since: ago(2 * time.Second), now: 1}, 3 * time.Second},
			"few so far":  {&pace{bytes: moved - 1, busy: time.Second}, 0},
			"without end": {&pace{bytes: moved, since: time.Now(), now: 1}, 0},
		} {
			if got := c.pace.takes(moved).Round(time.Microsecond); got != c.want {
				t.Errorf("%s: %v, want %v", name, got, c.want)
			}
		}
	})
}
