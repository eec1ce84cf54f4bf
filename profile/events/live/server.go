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

// Listen serves a feed over HTTP from now until Shutdown: /stream is the stream itself,
// for [events.Read], and /events server-sent events, for an EventSource.
//
// An address is "host:port", ":port" or "port", where port 0 is any that is free. Without
// a host it is 127.0.0.1, which other machines do not reach; "0.0.0.0:7070" is for all of
// them. On a loopback address requests are refused that came by another name than an
// address or localhost, so that no page of the web can have them sent.
func Listen(addr string, f *events.Feed) (*Server, error) {
	l, err := net.Listen("tcp", complete(addr))
	if err != nil {
		return nil, fmt.Errorf("live feed: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/stream", Stream(f))
	mux.Handle("/events", Handler(f))
	mux.Handle("/{$}", onGet("text/plain; charset=utf-8", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, page)
	}))
	s := &Server{listener: l, done: make(chan error, 1)}
	s.http = http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 10 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.New(io.Discard, "", 0), // of viewers that misbehave
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

// complete adds to an address what it leaves out.
func complete(addr string) string {
	if !strings.Contains(addr, ":") {
		addr = ":" + addr
	}
	if strings.HasPrefix(addr, ":") {
		addr = "127.0.0.1" + addr
	}
	return addr
}

// byAddress refuses requests to names: a name that the web resolves to this machine is
// how a foreign page gets at what is only for it.
func byAddress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		host := req.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err != nil && host != "localhost" {
			http.Error(w, "events: ask for 127.0.0.1 or localhost", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, req)
	})
}

// Addr is the address that is listened on, with its port.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Shutdown accepts no more viewers and waits until those that there are have all of the
// stream, which ends when its recorder is closed. When ctx is done it hangs up on the
// rest.
func (s *Server) Shutdown(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if ctx.Err() != nil {
		err = s.http.Close() // that some are late is what ctx is for
	}
	if served := <-s.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
