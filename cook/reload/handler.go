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

// beat is the interval of keep-alive messages in an idle stream. patience limits the duration of a
// write to a browser.
const (
	beat     = 15 * time.Second
	patience = 10 * time.Second
)

// Handler serves the changes in an output directory to browsers and other programs:
//
//	GET /events     server-sent events
//	GET /reload.js  a JavaScript module that calls functions for the events
//
// The data of an event is JSON, {"changes": [{"path", "blob", "removed", "source", "target",
// "reason", "saved"}]}, where saved is in milliseconds since 1970, or {"problem": "the manifest
// cannot be read because ..."}. Programs without a JSON parser read the lines "changed: PATH",
// "removed: PATH" and "problem: TEXT" of the event, which browsers ignore.
//
// The first event of a stream is named hello if the client will get all changes from now on, or
// compare if it has missed changes. A client that reconnects gets the changes that it has missed,
// if the handler still keeps them.
//
// The handler refuses requests for hosts other than this machine, and requests from pages of other
// machines. Pages of this machine may come from any port. The handler watches the directory while a
// client is connected.
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
		origin, ours := webguard.OurPage(req)
		if !ours || !webguard.OurName(req, nil) {
			http.Error(w, "reload: only programs and pages on this machine may connect", http.StatusForbidden)
			return
		}
		w.Header().Set("Vary", "Origin")
		if origin != "" {
			w.Header().Set("Access-Control-Allow-Origin", origin)
		}
		mux.ServeHTTP(w, req)
	})
}

type handler struct {
	out     string
	history *feed.History // the most recent events

	mu       sync.Mutex
	clients  int
	follower *follower // nil until a client connects
	stop     func()    // stops the follower and waits for its goroutine
}

// joinFollower watches the directory until leave is called.
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

// events sends events until the browser disconnects.
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
			if !s.sendEvent("id: %s\n%s\n\n", eventID(was), text) {
				return
			}
		}
		at = now
	}
}

// A stream is the open connection to one browser.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// sendEvent sends an event and reports whether the write succeeded.
func (s stream) sendEvent(format string, args ...any) bool {
	_ = s.control.SetWriteDeadline(time.Now().Add(patience)) // some writers do not support deadlines
	_, err := fmt.Fprintf(s.w, format, args...)
	return err == nil && s.control.Flush() == nil
}

func eventID(p feed.Position) string { return fmt.Sprintf("%s.%d", p.Teller, p.Number) }

// parseID parses an event ID. ok is false if the ID is invalid.
func parseID(text string) (p feed.Position, ok bool) {
	teller, number, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return feed.Position{}, text != ""
	}
	return feed.Position{Teller: teller, Number: n}, true
}

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

// oneLine replaces line breaks, which would end a line of the stream, with U+FFFD.
var oneLine = strings.NewReplacer("\r", "\ufffd", "\n", "\ufffd")

// encodeEvent returns the lines of an event: one for each change, one for a problem, and the data.
func encodeEvent(e event) []byte {
	var lines []byte
	for _, c := range e.Changes {
		field := "changed"
		if c.Removed {
			field = "removed"
		}
		lines = fmt.Appendf(lines, "%s: %s\n", field, oneLine.Replace(c.Path))
	}
	if e.Problem != "" {
		lines = fmt.Appendf(lines, "problem: %s\n", oneLine.Replace(e.Problem))
	}
	data, _ := json.Marshal(e)
	return append(append(lines, "data: "...), data...)
}
