// Package live serves an [events.Feed] to viewers: over TCP as the stream itself, over
// HTTP as server-sent events. It is apart from package events because a program that
// records without viewers should not load a web server.
//
// There is neither encryption nor a password: everyone who can reach the listener sees
// all names. Listen on "localhost:0" unless the network may know.
package live

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"

	"github.com/assetcook/assetcook/profile/events"
)

// Serve accepts connections of l and writes the stream to each until it ends or
// the viewer hangs up; [events.Read] reads it. It returns when l has been closed, then
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
		viewers.Go(func() { serveConn(ctx, conn, f) })
	}
}

// serveConn writes the stream to a connection, and closes it.
func serveConn(ctx context.Context, conn net.Conn, f *events.Feed) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { conn.Close() }) // ends a write that blocks
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		defer cancel() // a viewer has nothing to say: when reading ends, it has gone
		io.Copy(io.Discard, conn)
	}()
	f.WriteStream(ctx, conn) // an error is a viewer that has gone
	stop()
	conn.Close()
	<-gone
}

// Handler serves the stream as [events.Feed.WriteSSE] writes it. A viewer is served
// until the recording ends: close the recorder before the server is shut down, or close
// the viewers' connections. A server with a WriteTimeout hangs up when that has passed,
// and EventSource comes back by itself.
func Handler(f *events.Feed) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method != http.MethodGet {
			w.Header().Set("Allow", http.MethodGet)
			http.Error(w, "events: use GET", http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-store")
		// An error is a viewer that has gone, or a feed that was given no stream, of
		// which its writer knows.
		f.WriteSSE(req.Context(), w, http.NewResponseController(w).Flush)
	})
}
