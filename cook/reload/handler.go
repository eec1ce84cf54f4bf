package reload

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/feed"
	"github.com/assetcook/assetcook/internal/webguard"
)

//go:embed reload.js
var script []byte

// beat is the interval of messages in an idle stream, patience the longest time that a browser may
// take to read.
const (
	beat     = 15 * time.Second
	patience = 10 * time.Second
)

// Handler serves what changes in an output directory to browsers:
//
//	GET /events     server-sent events
//	GET /reload.js  a module that calls functions for them
//
// The data of an event is JSON, {"changes": [{"path", "blob", "removed", "source",
// "target", "reason", "saved"}]}, where saved is in milliseconds since 1970, or
// {"problem": "the manifest cannot be read because ..."}. Events named hello and compare
// begin a stream: hello if the browser gets all changes from now on, compare if it has missed some.
// A browser that connects again gets the changes that it has missed, as far as they are kept.
//
// The handler refuses requests for other hosts than this machine, and from pages of other sites. It
// follows the directory while a browser is connected.
func Handler(out string) http.Handler {
	h := &handler{out: out, history: feed.NewHistory()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /events", h.events)
	mux.HandleFunc("GET /reload.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		w.Header().Set("Cache-Control", "no-cache")
		w.Write(script)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		if !webguard.OurName(req, nil) || webguard.FromElsewhere(req) {
			http.Error(w, "reload: only pages of this server may ask", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, req)
	})
}

type handler struct {
	out     string
	history *feed.History // the last events

	mu       sync.Mutex
	clients  int
	follower *follower // nil before the first client
	stop     func()    // ends following and waits for that
}

// joinFollower makes sure that the directory is followed until leave is called.
func (h *handler) joinFollower() (leave func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.clients++; h.clients == 1 {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{})
		if h.follower == nil {
			h.follower = followManifest(h.out)
		}
		go func() {
			defer close(ended)
			h.followAndSend(ctx)
		}()
		h.stop = func() { cancel(); <-ended }
	}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.clients--; h.clients == 0 {
			h.stop()
		}
	}
}

func (h *handler) followAndSend(ctx context.Context) {
	for {
		batches, err := h.follower.waitForChanges(ctx)
		if ctx.Err() != nil && len(batches) == 0 {
			return
		}
		if err != nil {
			h.history.Add(encodeEvent(event{Problem: err.Error()}))
		}
		for _, changes := range batches {
			h.history.Add(encodeEvent(event{Changes: changesOf(changes)}))
		}
	}
}

// events streams events until the browser goes.
func (h *handler) events(w http.ResponseWriter, req *http.Request) {
	defer h.joinFollower()()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	s := stream{w, http.NewResponseController(w)}
	at, known := parseID(req.Header.Get("Last-Event-ID"))
	if !known {
		at = h.history.Now()
		if !s.sendEvent("retry: 500\nid: %s\nevent: hello\ndata: {}\n\n", eventID(at)) {
			return
		}
	} else if !s.sendEvent("retry: 500\n\n") {
		return
	}
	for {
		wait, cancel := context.WithTimeout(req.Context(), beat)
		now, texts, err := h.history.After(wait, at)
		cancel()
		switch {
		case req.Context().Err() != nil || errors.Is(err, feed.ErrBusy):
			return
		case err != nil:
			if !s.sendEvent(":\n\n") {
				return
			}
			continue
		case len(texts) == 0:
			if !s.sendEvent("id: %s\nevent: compare\ndata: {}\n\n", eventID(now)) {
				return
			}
		}
		for i, text := range texts {
			was := feed.Position{Teller: now.Teller, Number: now.Number - int64(len(texts)-1-i)}
			if !s.sendEvent("id: %s\ndata: %s\n\n", eventID(was), text) {
				return
			}
		}
		at = now
	}
}

// A stream is the stream of events to one browser.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// sendEvent sends an event and reports whether the browser has received it.
func (s stream) sendEvent(format string, args ...any) bool {
	_ = s.control.SetWriteDeadline(time.Now().Add(patience)) // not all writers can
	_, err := fmt.Fprintf(s.w, format, args...)
	return err == nil && s.control.Flush() == nil
}

func eventID(p feed.Position) string { return fmt.Sprintf("%s.%d", p.Teller, p.Number) }

// parseID parses a text that id has returned, and reports whether it is valid.
func parseID(text string) (p feed.Position, ok bool) {
	teller, number, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return feed.Position{}, text != ""
	}
	return feed.Position{Teller: teller, Number: n}, true
}

// An event is a batch in the form for browsers.
type event struct {
	Changes []change `json:"changes,omitempty"`
	Problem string   `json:"problem,omitempty"`
}

type change struct {
	Path    string  `json:"path"`
	Blob    string  `json:"blob,omitempty"`
	Removed bool    `json:"removed,omitempty"`
	Source  string  `json:"source"`
	Target  string  `json:"target,omitempty"`
	Reason  string  `json:"reason,omitempty"`
	Saved   float64 `json:"saved,omitempty"`
}

func changesOf(list []Change) []change {
	all := make([]change, len(list))
	for i, c := range list {
		all[i] = change{Path: c.Path, Removed: c.Removed, Source: c.Cause.Source, Target: c.Cause.Target, Reason: c.Cause.Reason}
		if !c.Removed {
			all[i].Blob = c.Blob.String()
		}
		if !c.Cause.Saved.IsZero() {
			all[i].Saved = float64(c.Cause.Saved.UnixMicro()) / 1e3
		}
	}
	return all
}

func encodeEvent(e event) []byte {
	text, _ := json.Marshal(e)
	return text
}
