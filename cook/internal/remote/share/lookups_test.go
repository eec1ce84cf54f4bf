package share

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/cook/internal/store"
)

// TestExpectedKeysTakeTurns checks that expected keys are looked up in order. Keys that an answer
// has named are looked up at once.
func TestExpectedKeysTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &emptyServer{}
		l := &lookups{
			out:   &answers{lines: json.NewEncoder(io.Discard)},
			byKey: map[remote.Key]*lookup{}, window: newWindow(1),
			link: newLink(t.Context(), linkOptions{open: func(context.Context, *Meter) (Server, error) { return server, nil }, noteEnd: func(error) {}}),
		}
		defer l.link.closeServer()
		expect := func(before chan struct{}, k remote.Key) (after chan struct{}) {
			return l.expectAfter(t.Context(), before, remote.Request{Keys: []remote.Key{k}, Have: make([][]store.BlobID, 1)})
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

// TestIdleTimeDoesNotSlowTheLink checks that the rate of a link counts only the time with a
// transfer in flight.
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
			if got := c.pace.estimateDownload(moved).Round(time.Microsecond); got != c.want {
				t.Errorf("%s: %v, want %v", name, got, c.want)
			}
		}
	})
}

// round sends requests until the window is full, and then answers them.
func (w *window) round(t *testing.T, took time.Duration, failed bool) (n int) {
	for n = w.size; w.out < n; {
		if err := w.enterWindow(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for range n {
		w.leaveWindow(took, failed)
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
		w.round(t, 4*trip, false)
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

// TestFullWindowWaitsForRoom checks that a waiting request continues when the window has room, and
// ends when the run ends.
func TestFullWindowWaitsForRoom(t *testing.T) {
	w := newWindow(1)
	w.enterWindow(t.Context())
	entered := make(chan error)
	go func() { entered <- w.enterWindow(t.Context()) }()
	w.leaveWindow(time.Millisecond, false)
	if err := <-entered; err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { entered <- w.enterWindow(ctx) }()
	cancel()
	if err := <-entered; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// An emptyServer has no results, and counts requests.
type emptyServer struct {
	Server
	asked int
}

func (s *emptyServer) Traits() Traits { return Traits{} }

func (s *emptyServer) Close() error { return nil }

func (s *emptyServer) Result(context.Context, Digest) (*messages.ActionResult, error) {
	s.asked++
	return nil, ErrMissing
}

// TestPatientQuestionWaitsForTheServer checks that a request waits only briefly for the server,
// unless lookups.patient is set.
func TestPatientQuestionWaitsForTheServer(t *testing.T) {
	for _, patient := range []bool{false, true} {
		server, isThere := &emptyServer{}, make(chan struct{})
		l := &lookups{patient: patient, byKey: map[remote.Key]*lookup{}}
		l.link = newLink(t.Context(), linkOptions{open: func(context.Context, *Meter) (Server, error) {
			<-isThere
			return server, nil
		}, noteEnd: func(error) {}})
		l.link.opening.begun = time.Time{}
		answered := make(chan remote.Answer)
		go func() { answered <- l.answerLook(t.Context(), remote.Request{Keys: []remote.Key{{}}}) }()
		if !patient {
			<-answered
		}
		close(isThere)
		if patient {
			<-answered
		}
		if (server.asked == 1) != patient {
			t.Errorf("patient %v: asked %d times", patient, server.asked)
		}
		l.link.closeServer()
	}
}

// TestRunMayEndWhileServerOpens ends a run before the server is open. The statistics must be
// reported. The race detector checks the access to shared fields.
func TestRunMayEndWhileServerOpens(t *testing.T) {
	for range 20 {
		in, out := io.Pipe()
		ended := make(chan error, 1)
		go func() {
			ended <- Serve(t.Context(), strings.NewReader(fmt.Sprintf(`{"op":"hello","wire":%d}{"seq":1,"op":"end"}`, remote.WireVersion)), out, Options{
				Name: "server", Open: func(context.Context, *Meter) (Server, error) {
					<-time.After(100 * time.Microsecond)
					return &emptyServer{}, nil
				},
			})
			out.Close()
		}()
		answers, err := io.ReadAll(in)
		if err != nil || !strings.Contains(string(answers), `"stats"`) {
			t.Fatalf("%s, error %v", answers, err)
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
}
