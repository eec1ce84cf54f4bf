// Package eventstream sends changes of artifacts to browsers and other programs, as server-sent
// events. Package cook/reload documents the events.
//
// A [Stream] keeps the last events. A client that reconnects gets the events that it has missed.
package eventstream

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/feed"
)

//go:embed reload.js
var script []byte

// beat is the interval of keep-alive messages in an idle stream. patience limits the duration of a
// write to a browser.
const (
	beat     = 15 * time.Second
	patience = 10 * time.Second
)

// ServeScript serves the JavaScript module that calls functions for events.
func ServeScript(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	w.Write(script)
}

// A Stream sends events to all connected clients.
type Stream struct {
	history *feed.History // the most recent events
}

// New returns a stream without events.
func New() *Stream { return &Stream{feed.NewHistory()} }

// SendChanges sends an event with changes.
func (s *Stream) SendChanges(changes []Change) {
	s.history.Add(encodeEvent(event{Changes: changesOf(changes)}))
}

// SendProblem sends an event with the message of an error.
func (s *Stream) SendProblem(text string) { s.history.Add(encodeEvent(event{Problem: text})) }

// ServeHTTP sends events until the client disconnects.
func (s *Stream) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	c := client{w, http.NewResponseController(w)}
	at, known := parseID(req.Header.Get("Last-Event-ID"))
	if !known {
		at = s.history.Now()
		if !c.sendEvent("retry: 500\nid: %s\nevent: hello\ndata: {}\n\n", eventID(at)) {
			return
		}
	} else if !c.sendEvent("retry: 500\n\n") {
		return
	}
	for {
		wait, cancel := context.WithTimeout(req.Context(), beat)
		now, texts, err := s.history.After(wait, at)
		cancel()
		switch {
		case req.Context().Err() != nil || errors.Is(err, feed.ErrBusy):
			return
		case err != nil:
			if !c.sendEvent(":\n\n") {
				return
			}
			continue
		case len(texts) == 0:
			if !c.sendEvent("id: %s\nevent: compare\ndata: {}\n\n", eventID(now)) {
				return
			}
		}
		for i, text := range texts {
			was := feed.Position{Teller: now.Teller, Number: now.Number - int64(len(texts)-1-i)}
			if !c.sendEvent("id: %s\n%s\n\n", eventID(was), text) {
				return
			}
		}
		at = now
	}
}

// A client is the open connection to one browser.
type client struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// sendEvent sends an event and reports whether the write succeeded.
func (c client) sendEvent(format string, args ...any) bool {
	_ = c.control.SetWriteDeadline(time.Now().Add(patience)) // some writers do not support deadlines
	_, err := fmt.Fprintf(c.w, format, args...)
	return err == nil && c.control.Flush() == nil
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
