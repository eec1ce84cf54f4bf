package remotetest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assetcook/assetcook/internal/faultlink"
)

// An Address says how a machine reaches a server.
type Address struct {
	URL string
	// Authorization is the credentials that the machine sends; "" for none.
	Authorization string
	// TLS is the encryption; nil for none. It has the machine's clock.
	TLS *tls.Config
	// CA is the certificate that signed the server's, in PEM; nil for none.
	CA []byte
}

// Troubles returns the kinds of trouble for [StartTroubled].
func Troubles() []string {
	return append(faultlink.Kinds(), "full", "auth", "evicting", "clock")
}

// A Troubled is a server with a fault, or a fault on the way to it or on the client machine.
type Troubled struct {
	*Server
	// Address is the faulty way to the server.
	Address
	// Direct is a good way to the server. While Calm is set, the server has no fault there.
	Direct Address
	Calm   atomic.Bool
}

// StartTroubled starts a server until the test ends. draw chooses the details of the trouble; it
// returns a number below n and may be called concurrently.
func StartTroubled(t Test, kind string, draw func(n int) int) *Troubled {
	s := &Troubled{Server: &Server{BLAKE3: draw(2) == 0, Zstd: draw(2) == 0, NoBatch: draw(4) == 0}}
	shown := ""
	var fault func(context.Context, string) error
	switch kind {
	case "full":
		fault = full(draw)
	case "auth":
		s.Server.Authorization = "Bearer right"
		shown = []string{"", "Bearer wrong", s.Server.Authorization, s.Server.Authorization}[draw(4)]
		fault = revoked(draw)
	case "evicting":
		fault = s.evicting(draw)
	case "clock":
		s.Ahead = anyTime(draw)
	}
	s.Fault = func(ctx context.Context, call string) error {
		if fault == nil || s.Calm.Load() {
			return nil
		}
		return fault(ctx, call)
	}
	s.Direct.Authorization = s.Server.Authorization
	switch draw(4) {
	case 0:
		s.Direct.URL = s.StartHTTP(t)
	case 1:
		s.Direct.URL, s.Direct.CA = s.StartHTTPS(t)
		s.Direct.TLS = &tls.Config{RootCAs: x509.NewCertPool()}
		s.Direct.TLS.RootCAs.AppendCertsFromPEM(s.Direct.CA)
	default:
		s.Direct.URL = s.Start(t)
	}
	s.Address = s.Direct
	s.Address.Authorization = shown
	if kind == "clock" && s.TLS != nil && draw(2) == 0 {
		wrong := anyTime(draw)
		s.TLS = s.TLS.Clone()
		s.TLS.Time = func() time.Time { return time.Now().Add(wrong) }
	}
	if slices.Contains(faultlink.Kinds(), kind) {
		s.URL = Over(t, s.URL, faultlink.Draw(kind, draw))
	}
	return s
}

// Over opens a link to a server until the test ends, and returns the address at its other end.
func Over(t Test, address string, opt faultlink.Options) string {
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	l, err := faultlink.Open(u.Host, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	u.Host = l.Addr()
	return u.String()
}

// writes reports whether a call uploads something.
func writes(call string) bool {
	return strings.HasPrefix(call, "PUT ") || call == "BatchUpdateBlobs" || call == "Write" || call == "UpdateActionResult"
}

// full returns the fault of a server that runs out of space after some writes.
func full(draw func(int) int) func(context.Context, string) error {
	often := 1 + draw(8)
	return func(_ context.Context, call string) error {
		if writes(call) && draw(often) == 0 {
			return status.Error(codes.ResourceExhausted, "no space left")
		}
		return nil
	}
}

// revoked returns the fault of a server that stops accepting credentials, sometimes only for
// writing.
func revoked(draw func(int) int) func(context.Context, string) error {
	often, onlyWrites := 1+draw(20), draw(2) == 0
	code := []codes.Code{codes.Unauthenticated, codes.PermissionDenied}[draw(2)]
	return func(_ context.Context, call string) error {
		if draw(often) > 0 || onlyWrites && !writes(call) {
			return nil
		}
		return status.Error(code, "the token has expired")
	}
}

// anyTime draws the error of a clock: from seconds to centuries.
func anyTime(draw func(int) int) time.Duration {
	d := time.Duration(1) << (30 + draw(33))
	return d * time.Duration(1-2*draw(2))
}

// evicting returns the fault of a server that loses entries while it is used.
func (s *Server) evicting(draw func(int) int) func(context.Context, string) error {
	often := 1 + draw(30) // one request in this number loses an entry
	return func(context.Context, string) error {
		if draw(often) == 0 {
			s.evict(draw)
		}
		return nil
	}
}

// evict removes a blob or a result.
func (s *Server) evict(draw func(int) int) {
	s.Change(func(blobs map[string][]byte, results map[string]*repb.ActionResult) {
		n := draw(max(1, len(blobs)+len(results)))
		for hash := range blobs {
			if n--; n < 0 {
				delete(blobs, hash)
				return
			}
		}
		for hash := range results {
			if n--; n < 0 {
				delete(results, hash)
				return
			}
		}
	})
}

// StartHTTPS is StartHTTP with TLS. It also returns the server's certificate in PEM.
func (s *Server) StartHTTPS(t Test) (string, []byte) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(s.serveHTTP))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL + "/cache", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
}

// stamp sets the times of a result by the server's clock.
func (s *Server) stamp(r *repb.ActionResult) *repb.ActionResult {
	if s.Ahead != 0 && r.ExecutionMetadata != nil {
		at := timestamppb.New(time.Now().Add(s.Ahead))
		r.ExecutionMetadata.ExecutionStartTimestamp, r.ExecutionMetadata.ExecutionCompletedTimestamp = at, at
	}
	return r
}
