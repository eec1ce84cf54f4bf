// Package live serves an [events.Feed] to viewers: over HTTP as the stream itself and
// as server-sent events ([Listen]), or over bare TCP as the stream ([Serve]). It is apart
// from package events because a program that records without viewers should not load a
// web server.
//
//	server, err := live.Listen(":7070", feed) // on 127.0.0.1, as no host is named
//	...
//	rec.Close()          // viewers get the end of the stream
//	server.Shutdown(ctx) // and have until ctx is done to take it
//
// Which reader fits which endpoint:
//
//	GET /stream  the stream, as in a file   events.Read(response.Body), or
//	                                        curl -s URL/stream > run.events
//	GET /events  server-sent events, JSON   new EventSource("/events") in a page, or
//	                                        curl -N URL/events
//	GET /        a text that says this      a browser, curl
//	bare TCP     the stream, by Serve       events.Read(conn), or nc HOST PORT > run.events
//
// "cook -feed" serves as Serve does: bare TCP, no HTTP.
//
// A viewer never slows the recorder: one that does not keep up loses whole blocks, and is
// told how many records were in them. What a viewer saves can be read as a recording, and
// begins where the viewer came.
//
// There is neither encryption nor a password: everyone who can reach the listener sees
// all names. Name a host only if its network may know.
package live

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"

	"github.com/assetcook/assetcook/profile/events"
)

// Serve accepts connections of l and writes the stream to each until it ends or
// the viewer hangs up; [events.Read] reads it, nc saves it, a browser does not. It returns when l has been closed, then
// with nil, or accepts no more, after it has hung up on the viewers it still had.
func Serve(l net.Listener, f *events.Feed) error {
	ctx, cancel := context.WithCancel(context.Background())
	var viewers sync.WaitGroup
	defer viewers.Wait()
	defer cancel()
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		viewers.Go(func() { f.ServeConn(ctx, conn) })
	}
}

// Handler serves the stream as [events.Feed.WriteSSE] writes it, for an EventSource in a
// page; events.Read does not read it: see [Stream]. A viewer is served
// until the recording ends: close the recorder before the server is shut down, or close
// the viewers' connections. A server with a WriteTimeout hangs up when that has passed,
// and EventSource comes back by itself.
func Handler(f *events.Feed) http.Handler {
	return onGet("text/event-stream", func(w http.ResponseWriter, req *http.Request) {
		// An error is a viewer that has gone, or a feed that was given no stream, of
		// which its writer knows.
		f.WriteSSE(req.Context(), w, http.NewResponseController(w).Flush)
	})
}

// Stream serves the stream itself over HTTP: [events.Read] reads the body of the
// response, and curl saves it as a recording. An EventSource does not take it. A viewer
// is served as long as by Handler.
func Stream(f *events.Feed) http.Handler {
	return onGet("application/octet-stream", func(w http.ResponseWriter, req *http.Request) {
		f.WriteStream(req.Context(), flushing{w, http.NewResponseController(w)})
	})
}

// A flushing writes each part of a response at once.
type flushing struct {
	to      http.ResponseWriter
	control *http.ResponseController
}

func (f flushing) Write(p []byte) (int, error) {
	n, err := f.to.Write(p)
	if err == nil {
		err = f.control.Flush()
	}
	return n, err
}

// onGet answers GET with what serve writes, of the given type.
func onGet(contentType string, serve http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method != http.MethodGet {
			w.Header().Set("Allow", http.MethodGet)
			http.Error(w, "events: use GET", http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		serve(w, req)
	})
}
