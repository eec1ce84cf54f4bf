package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/assetcook/assetcook/profile/events"
)

// A Server serves a feed at an address.
type Server struct {
	listener net.Listener
	http     http.Server
	done     chan error
}

// Listen serves a feed over HTTP until Shutdown. The path /stream is the raw stream for
// [events.Read], and /events is server-sent events for an EventSource.
//
// An address is "host:port", ":port" or "port"; port 0 selects a free port. The default host is
// 127.0.0.1, which other machines cannot reach. All machines can reach "0.0.0.0:7070". A server at
// a loopback address refuses requests whose Host is neither an IP address nor localhost, so that no
// web page can send requests to it.
func Listen(addr string, f *events.Feed) (*Server, error) {
	l, err := net.Listen("tcp", complete(addr))
	if err != nil {
		return nil, fmt.Errorf("live feed: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/stream", streamHandler(f))
	mux.Handle("/events", Handler(f))
	mux.Handle("/{$}", onGet("text/plain; charset=utf-8", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, page)
	}))
	s := &Server{listener: l, done: make(chan error, 1)}
	s.http = http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 10 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.New(io.Discard, "", 0), // Messages about misbehaving viewers are discarded.
	}
	if ip, err := netip.ParseAddrPort(l.Addr().String()); err == nil && ip.Addr().IsLoopback() {
		s.http.Handler = byAddress(mux)
	}
	go func() { s.done <- s.http.Serve(l) }()
	return s, nil
}

const page = `A recording of events, live. Viewers never slow it.

/stream  the recording itself, from now on: events.Read(body), curl -s ... > run.events
/events  server-sent events with JSON: new EventSource("/events"), curl -N ...
`

// complete adds the missing host or colon to an address.
func complete(addr string) string {
	if !strings.Contains(addr, ":") {
		addr = ":" + addr
	}
	if strings.HasPrefix(addr, ":") {
		addr = "127.0.0.1" + addr
	}
	return addr
}

// byAddress rejects requests whose Host is a host name. A web page could resolve its own name to
// this machine (DNS rebinding), and so reach a server that is meant for this machine only.
func byAddress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		host := req.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err != nil && host != "localhost" {
			http.Error(w, "events: the Host of the request is a host name; use 127.0.0.1 or localhost", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, req)
	})
}

// Addr returns the listener's address, including the port.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Shutdown accepts no more viewers. It waits until all present viewers have read the whole stream,
// which ends when its recorder is closed. When ctx is done, it closes the remaining connections.
func (s *Server) Shutdown(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if ctx.Err() != nil {
		err = s.http.Close() // Viewers that are still connected when ctx ends are not an error.
	}
	if served := <-s.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
