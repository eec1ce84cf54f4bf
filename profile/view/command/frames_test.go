package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/events/live"
	"github.com/assetcook/assetcook/profile/internal/stat"
	"github.com/assetcook/assetcook/profile/view"
)

// A page shows the same frames of a program within the program, over TCP, and from its recording.
func TestFramesAreTheSameFromEverySource(t *testing.T) {
	feed := events.NewFeed()
	rec := events.New(feed, events.Options{})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go live.Serve(listener, feed)
	address, end := serve(t, &Viewer{Files: []string{listener.Addr().String()}})
	defer end()
	recording := events.NewTape(0)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go feed.WriteStream(ctx, recording)
	urls := map[string]string{"over TCP": address}
	for name, sources := range map[string]view.Sources{
		"in the program": {Events: feed},
		"recorded":       {Recordings: []view.Recording{{Name: "run", Tape: recording}}},
	} {
		page := view.New(sources)
		defer page.Close()
		server := httptest.NewServer(page)
		defer server.Close()
		urls[name] = server.URL + "/"
	}
	get := func(name, path string) string {
		t.Helper()
		resp, err := http.Get(urls[name] + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s: %v: %s", name, path, err, body)
		}
		return string(body)
	}

	main, audio := rec.Worker("main"), rec.Worker("audio")
	for name := range urls {
		for begun := false; !begun; begun = strings.Contains(get(name, "api/info"), `"main"`) {
			main.Instant(rec.Symbol("waiting for the viewers"), 0)
			main.Flush()
		}
	}
	const count = 40
	mark := rec.Symbol(stat.FrameMark)
	for i := range count {
		frame := main.Begin(mark, 0)
		main.Begin(rec.Symbol("update"), 0).End()
		frame.End()
		audio.Instant(mark, 0)
		if i%7 == 0 {
			main.Flush()
		}
	}
	main.Begin(mark, 0) // This scope does not end.
	main.Release()
	audio.Release()
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	bars := map[string]string{}
	for name := range urls {
		deadline := time.Now().Add(time.Minute)
		for strings.Contains(get(name, "api/info"), `"live":true`) && time.Now().Before(deadline) {
			time.Sleep(time.Millisecond)
		}
		var answer struct{ Total, Above int64 }
		body := get(name, fmt.Sprintf("api/framestrip?from=0&to=%d&width=8192&limit=-1", recording.State().End))
		if err := json.Unmarshal([]byte(body), &answer); err != nil || answer.Total != 2*count-1 || answer.Above != answer.Total {
			t.Errorf("%s: %d frames, %v; want %d", name, answer.Total, err, 2*count-1)
		}
		bars[name] = body
	}
	for name, body := range bars {
		if body != bars["recorded"] {
			t.Errorf("%s:\n%s\nrecorded:\n%s", name, body, bars["recorded"])
		}
	}
}
