package remotetest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/assetcook/assetcook/internal/faultlink"
)

// An Address has everything that a machine needs to reach a server.
type Address struct {
	URL string
	// Authorization has the credentials that the machine sends; "" for none.
	Authorization string
	// TLS configures encryption, with the machine's clock; nil for none.
	TLS *tls.Config
	// CA is the certificate, in PEM, that signed the server's certificate; nil for none.
	CA []byte
}

// Troubles returns the kinds of faults for [StartTroubled].
func Troubles() []string {
	return append(faultlink.Kinds(), "full", "auth", "evicting", "clock")
}

// A Troubled is a server with a simulated fault, either in the server, in the network, or in the
// client machine.
type Troubled struct {
	Server *Server
	// Faulty is the address that shows the server with the fault.
	Faulty Address
	// Direct is the address that avoids faults of the network and the client. The server also has
	// no fault while Calm is true.
	Direct Address
	Calm   atomic.Bool
}

// StartTroubled starts a server that runs until the test ends. The random function draw chooses
// details of the fault: it returns a number below n, and may be called concurrently.
func StartTroubled(t Test, kind string, draw func(n int) int) *Troubled {
	troubled := &Troubled{Server: &Server{BLAKE3: draw(2) == 0, Zstd: draw(2) == 0, NoBatch: draw(4) == 0}}
	credentials := ""
	var fault func(context.Context, string) error
	switch kind {
	case "full":
		fault = full(draw)
	case "auth":
		troubled.Server.Authorization = "Bearer right"
		credentials = []string{"", "Bearer wrong", troubled.Server.Authorization, troubled.Server.Authorization}[draw(4)]
		fault = revoked(draw)
	case "evicting":
		fault = troubled.Server.evicting(draw)
	case "clock":
		troubled.Server.Ahead = anyTime(draw)
	}
	troubled.Server.Fault = func(ctx context.Context, call string) error {
		if fault == nil || troubled.Calm.Load() {
			return nil
		}
		return fault(ctx, call)
	}
	troubled.Direct.Authorization = troubled.Server.Authorization
	switch draw(4) {
	case 0:
		troubled.Direct.URL = troubled.Server.StartHTTP(t)
	case 1:
		troubled.Direct.URL, troubled.Direct.CA = troubled.Server.StartHTTPS(t)
		troubled.Direct.TLS = &tls.Config{RootCAs: x509.NewCertPool()}
		troubled.Direct.TLS.RootCAs.AppendCertsFromPEM(troubled.Direct.CA)
	default:
		troubled.Direct.URL = troubled.Server.Start(t)
	}
	troubled.Faulty = troubled.Direct
	troubled.Faulty.Authorization = credentials
	if kind == "clock" && troubled.Faulty.TLS != nil && draw(2) == 0 {
		wrong := anyTime(draw)
		troubled.Faulty.TLS = troubled.Faulty.TLS.Clone()
		troubled.Faulty.TLS.Time = func() time.Time { return time.Now().Add(wrong) }
	}
	if slices.Contains(faultlink.Kinds(), kind) {
		troubled.Faulty.URL = Over(t, troubled.Faulty.URL, faultlink.Draw(kind, draw))
	}
	return troubled
}

// Over opens a simulated network link to a server until the test ends, and returns the address of
// the client's side.
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

// writes reports whether a call is an upload.
func writes(call string) bool {
	return strings.HasPrefix(call, "PUT ") || call == "BatchUpdateBlobs" || call == "Write" || call == "UpdateActionResult"
}

// full returns the fault of a server that has no space left after some writes.
func full(draw func(int) int) func(context.Context, string) error {
	often := 1 + draw(8)
	return func(_ context.Context, call string) error {
		if writes(call) && draw(often) == 0 {
			return status.Error(codes.ResourceExhausted, "no space left")
		}
		return nil
	}
}

// revoked returns the fault of a server that stops accepting the credentials, sometimes for writing
// only.
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

// anyTime returns a random clock error, between seconds and centuries.
func anyTime(draw func(int) int) time.Duration {
	d := time.Duration(1) << (30 + draw(33))
	return d * time.Duration(1-2*draw(2))
}

// evicting returns the fault of a server that loses blobs and results while it is used.
func (s *Server) evicting(draw func(int) int) func(context.Context, string) error {
	often := 1 + draw(30) // number of requests per lost entry, on average
	return func(context.Context, string) error {
		if draw(often) == 0 {
			s.evictOne(draw)
		}
		return nil
	}
}

// evictOne removes a blob or a result.
func (s *Server) evictOne(draw func(int) int) {
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
