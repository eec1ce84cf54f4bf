// Package live serves an [events.Feed] to viewers: over HTTP as the raw stream and as server-sent
// events ([Listen]), or over bare TCP as the raw stream ([Serve]). It is separate from package
// events, so that a program that records without viewers does not link a web server.
//
//	server, err := live.Listen(":7070", feed) // address 127.0.0.1, as no host is named
//	...
//	rec.Close()          // viewers get the end of the stream
//	server.Shutdown(ctx) // and can read it until ctx is done
//
// Endpoints and their readers:
//
//	GET /stream  the stream, as in a file   events.Read(response.Body), or
//	                                        curl -s URL/stream > run.events
//	GET /events  server-sent events, JSON   new EventSource("/events") in a page, or
//	                                        curl -N URL/events
//	GET /        this table as text         a browser, curl
//	bare TCP     the stream, by Serve       events.Read(conn), or nc HOST PORT > run.events
//
// "cook -feed" serves as Serve does: bare TCP, no HTTP.
//
// A viewer never slows the recorder: a viewer that does not keep up loses whole blocks and gets
// the number of lost records. A stream saved by a viewer can be read as a recording that begins
// when the viewer joined.
//
// There is neither encryption nor a password: everyone who can reach the listener sees all names.
// Name a host only if its whole network may see them.
package live

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"

	"github.com/assetcook/assetcook/profile/events"
)

// Serve accepts connections of l, and writes the stream to each until the stream ends or the viewer
// hangs up. The reader is [events.Read], or nc to save the stream; a browser cannot read it. Serve
// returns after closing all remaining connections. The error is nil if l was closed, or the error
// of Accept.
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

// Handler serves the stream as [events.Feed.WriteSSE] writes it, for an EventSource in a page. For
// events.Read see [Listen]. A viewer is served until the recording ends. So close the recorder
// before shutting down the server, or close the viewers' connections. A server with a WriteTimeout
// hangs up after that time, and EventSource reconnects by itself.
func Handler(f *events.Feed) http.Handler {
	return onGet("text/event-stream", func(w http.ResponseWriter, req *http.Request) {
		// An error means that the viewer has disconnected, or that the feed's Write has already
		// returned the error.
		f.WriteSSE(req.Context(), w, http.NewResponseController(w).Flush)
	})
}

// streamHandler serves the raw stream over HTTP. [events.Read] reads the body of the response, and
// curl saves it as a recording. An EventSource cannot read it. A viewer is served until the
// recording ends.
func streamHandler(f *events.Feed) http.Handler {
	return onGet("application/octet-stream", func(w http.ResponseWriter, req *http.Request) {
		f.WriteStream(req.Context(), flushing{w, http.NewResponseController(w)})
	})
}

// A flushing is a writer that flushes the HTTP response after each write.
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

// onGet returns a handler that answers GET requests with serve, using the given content type.
func onGet(contentType string, serve http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method != http.MethodGet {
			w.Header().Set("Allow", http.MethodGet)
			http.Error(w, "events: the method is not allowed; use GET", http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		serve(w, req)
	})
}
