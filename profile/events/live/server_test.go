package live

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/profile/events"
)

func TestComplete(t *testing.T) {
	for addr, want := range map[string]string{
		"7070": "127.0.0.1:7070", ":0": "127.0.0.1:0", "0.0.0.0:1": "0.0.0.0:1", "localhost:1": "localhost:1", "[::1]:1": "[::1]:1",
	} {
		if got := complete(addr); got != want {
			t.Errorf("%q is %q, want %q", addr, got, want)
		}
	}
}

func get(t *testing.T, url string) *http.Response {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return response
}

// TestListen expects that each endpoint serves the documented reader.
func TestListen(t *testing.T) {
	f := events.NewFeed()
	s, err := Listen(":0", f)
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + s.Addr().String()
	if !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Errorf("the server listens on %s", url)
	}
	r := events.New(f, events.Options{})
	stream, page := get(t, url+"/stream"), get(t, url+"/events")
	lines := bufio.NewScanner(page.Body)
	lines.Scan() // Both viewers have joined when they get bytes.
	w := r.Worker("worker")
	w.Instant(r.Symbol("hello"), 0)
	w.Release()
	r.Close()
	var seen []string
	for e, err := range events.Read(stream.Body).All() {
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, e.Name)
	}
	var kinds []string
	for lines.Scan() {
		if kind, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) == 0 || kinds[len(kinds)-1] != "end" || page.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("the page got %q, %v", kinds, page.Header)
	}
	if fmt.Sprint(seen) != "[hello]" {
		t.Errorf("the stream has %q", seen)
	}
	text, _ := io.ReadAll(get(t, url).Body)
	if !strings.Contains(string(text), "/stream") || get(t, url+"/other").StatusCode != http.StatusNotFound {
		t.Errorf("the page at the root is %q", text)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
}

// A web page that resolves its name to this machine must get no data.
func TestRequestsByForeignNamesAreRefused(t *testing.T) {
	s, err := Listen("0", events.NewFeed())
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]int{"evil.example": 403, "evil.example:80": 403, "localhost": 200, "[::1]:1": 200, "127.0.0.1:5": 200} {
		req, _ := http.NewRequest(http.MethodGet, "http://"+s.Addr().String()+"/", nil)
		req.Host = host
		response, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: %d, want %d", host, response.StatusCode, want)
		}
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// A viewer that reads nothing must not delay the recorder. It must not delay Shutdown after the
// deadline.
func TestHangingViewerDelaysNobody(t *testing.T) {
	f := events.NewFeed()
	s, err := Listen("0", f)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
	joined(t, conn)
	r := events.New(f, events.Options{})
	w := r.Worker("worker")
	data := make([]byte, 64<<10-16)
	for range 500 { // This makes 32 MB, more than the connection buffers.
		w.User(1, data)
		w.Flush()
	}
	w.Release()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	late, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Shutdown(late); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
}

func TestListenOnTakenAddress(t *testing.T) {
	s, err := Listen("0", events.NewFeed())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Shutdown(t.Context())
	if _, err := Listen(s.Addr().String(), events.NewFeed()); err == nil || !strings.HasPrefix(err.Error(), "live feed: listen tcp 127.0.0.1:") {
		t.Errorf("a taken address: %v", err)
	}
}
