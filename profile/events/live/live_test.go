package live

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/assetcook/assetcook/profile/events"
)

// serve serves a feed over TCP. It returns a function that connects a viewer, and a function that
// ends the server.
func serve(t *testing.T, f *events.Feed) (dial func() net.Conn, end func() error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- Serve(l, f) }()
	dial = func() net.Conn {
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	return dial, func() error {
		l.Close()
		return <-served
	}
}

// joined waits until a viewer gets its first byte.
func joined(t *testing.T, conn net.Conn) {
	t.Helper()
	if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
}

// In TestViewersAreServedToTheEnd, one viewer leaves early, one stays to the end of the recording,
// and one joins after the end.
func TestViewersAreServedToTheEnd(t *testing.T) {
	f := events.NewFeed()
	dial, end := serve(t, f)
	r := events.New(f, events.Options{})
	w := r.Worker("worker")
	goes := dial()
	joined(t, goes)
	goes.Close()
	stays := dial()
	w.Instant(r.Symbol("hello"), 0)
	w.Release()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	for name, conn := range map[string]net.Conn{"stayed": stays, "was late": dial()} {
		for _, err := range events.Read(conn).All() {
			if err != nil {
				t.Errorf("the viewer that %s got %v", name, err)
			}
		}
		if _, err := io.Copy(io.Discard, conn); err != nil { // Copy reads until the server hangs up.
			t.Error(err)
		}
	}
	if err := end(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// When the listener is closed, the server must hang up, although the recording continues.
func TestServeHangsUp(t *testing.T) {
	f := events.NewFeed()
	dial, end := serve(t, f)
	r := events.New(f, events.Options{})
	defer r.Close()
	conn := dial()
	joined(t, conn)
	if err := end(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if _, err := io.Copy(io.Discard, conn); err != nil {
		t.Logf("the connection ended with %v", err) // The error is an end of file or a reset.
	}
}

func TestHandler(t *testing.T) {
	f := events.NewFeed()
	if err := events.New(f, events.Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	Handler(f).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.Header().Get("Content-Type") != "text/event-stream" || !w.Flushed || w.Body.Len() == 0 {
		t.Errorf("%v, flushed %v, %q", w.Header(), w.Flushed, w.Body)
	}
	w = httptest.NewRecorder()
	Handler(f).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", nil))
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != http.MethodGet {
		t.Errorf("POST: %d", w.Code)
	}
}
