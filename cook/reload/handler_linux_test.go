package reload

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/leaktest"
)

// A browser is a client with one stream of events.
type browser struct {
	t    *testing.T
	body *bufio.Scanner
	end  func() error
	last string // ID of the last event
}

func connect(t *testing.T, url, last string) *browser {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", url+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatal(resp.Status, resp.Header)
	}
	return &browser{t: t, body: bufio.NewScanner(resp.Body), end: resp.Body.Close, last: last}
}

func (b *browser) next() (name, data string) {
	b.t.Helper()
	for b.body.Scan() {
		field, value, _ := strings.Cut(b.body.Text(), ": ")
		switch field {
		case "id":
			b.last = value
		case "event":
			name = value
		case "data":
			data = value
		case "":
			if data != "" {
				return name, data
			}
		}
	}
	b.t.Fatalf("the stream ended: %v", b.body.Err())
	return "", ""
}

// changes returns the paths of the next batch. A minus precedes removed paths.
func (b *browser) changes() string {
	b.t.Helper()
	name, data := b.next()
	var e struct {
		Changes []struct {
			Path, Blob string
			Removed    bool
		}
	}
	if err := json.Unmarshal([]byte(data), &e); err != nil || name != "" {
		b.t.Fatalf("event %q: %s, %v", name, data, err)
	}
	var paths []string
	for _, c := range e.Changes {
		if c.Removed {
			c.Path = "-" + c.Path
		} else if len(c.Blob) != 64 {
			b.t.Errorf("%+v", c)
		}
		paths = append(paths, c.Path)
	}
	return strings.Join(paths, " ")
}

// TestEventsResume expects a browser that reconnects to get the missed changes, even if no browser
// was connected meanwhile.
func TestEventsResume(t *testing.T) {
	leaktest.Check(t)
	w := newTree(t)
	w.cook(cook.CookOptions{})
	server := httptest.NewServer(Handler(w.project.Out))
	defer server.Close()
	other := connect(t, server.URL, "")
	defer other.end()
	if name, _ := other.next(); name != "hello" {
		t.Fatalf("begins with %q", name)
	}
	b := connect(t, server.URL, "")
	if name, _ := b.next(); name != "hello" {
		t.Fatalf("begins with %q", name)
	}
	w.write("one.txt", "1")
	w.cook(cook.CookOptions{})
	if got := b.changes(); got != "one.txt" {
		t.Errorf("told %q", got)
	}
	b.end()
	w.write("two.txt", "2")
	w.cook(cook.CookOptions{})
	if got := other.changes() + ", " + other.changes(); got != "one.txt, two.txt" {
		t.Errorf("the other one was told %q", got)
	}
	other.end()
	w.write("three.txt", "3")
	w.cook(cook.CookOptions{})
	b = connect(t, server.URL, b.last)
	if got := b.changes() + ", " + b.changes(); got != "two.txt, three.txt" {
		t.Errorf("after connecting again told %q", got)
	}
	b.end()
	for _, last := range []string{"nonsense", "other.3", b.last + "0", "." + strings.Repeat("9", 30)} {
		b := connect(t, server.URL, last)
		if name, _ := b.next(); name != "compare" {
			t.Errorf("ID %q: %q", last, name)
		}
		b.end()
	}
}

func TestEventsProblem(t *testing.T) {
	w := newTree(t)
	w.cook(cook.CookOptions{})
	server := httptest.NewServer(Handler(w.project.Out))
	defer server.Close()
	b := connect(t, server.URL, "")
	defer b.end()
	b.next()
	damageManifest(t, w.project.Out)
	if _, data := b.next(); !strings.Contains(data, `"problem":"read manifest.json`) {
		t.Error(data)
	}
}

// TestProgramsReadLines expects plain lines for a program without an HTTP library. A response in
// HTTP/1.0 has no chunks. Paths may contain any bytes.
func TestProgramsReadLines(t *testing.T) {
	w := newTree(t)
	w.write("old.txt", "1")
	w.cook(cook.CookOptions{})
	server := httptest.NewServer(Handler(w.project.Out))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /events HTTP/1.0\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(conn)
	until := func(last string) (all []string) {
		t.Helper()
		for lines.Scan() {
			if lines.Text() == last {
				return all
			}
			all = append(all, lines.Text())
		}
		t.Fatalf("the stream ended before %q: %v", last, lines.Err())
		return nil
	}
	until("event: hello")
	until("")
	if err := os.Remove(w.asset("old.txt")); err != nil {
		t.Fatal(err)
	}
	w.write("name \xff.txt", "2")
	w.write("two\r\nlines.txt", "3")
	w.cook(cook.CookOptions{})
	got := until("")
	if !strings.HasPrefix(got[0], "id: ") || !strings.HasPrefix(got[len(got)-1], `data: {"changes":[{"path":`) {
		t.Errorf("got %q", got)
	}
	want := []string{"changed: name \xff.txt", "removed: old.txt", "changed: two\ufffd\ufffdlines.txt"}
	if diff := cmp.Diff(want, got[1:len(got)-1]); diff != "" {
		t.Error(diff)
	}
}

func TestHandlerRefusesOtherMachines(t *testing.T) {
	handler := Handler(t.TempDir())
	for _, test := range []struct {
		path, host, site, origin string
		want                     int
	}{
		{"/reload.js", "localhost:1", "", "", 200},
		{"/reload.js", "127.0.0.1:1", "same-origin", "", 200},
		{"/reload.js", "127.0.0.1:1", "cross-site", "http://localhost:5173", 200},
		{"/reload.js", "127.0.0.1:1", "cross-site", "https://evil.test", 403},
		{"/reload.js", "evil.test", "", "", 403},
		{"/reload.js", "evil.test", "", "http://localhost", 403},
		{"/events", "evil.test", "", "", 403},
		{"/events", "localhost", "cross-site", "", 403},
		{"/other", "localhost", "", "", 404},
	} {
		req := httptest.NewRequest("GET", test.path, nil)
		req.Host = test.host
		for name, value := range map[string]string{"Sec-Fetch-Site": test.site, "Origin": test.origin} {
			if value != "" {
				req.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, req)
		allowed := ""
		if test.want == 200 {
			allowed = test.origin
		}
		if got := w.Header().Get("Access-Control-Allow-Origin"); w.Code != test.want || got != allowed {
			t.Errorf("%+v: %d %s, allowed origin %q", test, w.Code, w.Body, got)
		}
	}
}
