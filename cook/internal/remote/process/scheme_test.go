package process

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/remote/remotetest"
)

// TestErrorNamesRightScheme tries each scheme with a port that speaks TLS, and with a port that
// does not. Only the error of a wrong scheme may name another scheme.
func TestErrorNamesRightScheme(t *testing.T) {
	fails := func(prepare func(*httptest.Server)) string {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		prepare(s)
		t.Cleanup(s.Close)
		return s.Listener.Addr().String()
	}
	plain := fails((*httptest.Server).Start)
	secure := fails(func(s *httptest.Server) { s.EnableHTTP2 = true; s.StartTLS() })
	mutual := fails(func(s *httptest.Server) {
		s.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12}
		s.StartTLS()
	})
	grpc := strings.TrimPrefix(new(remotetest.Server).Start(t), "grpc://")
	for _, tc := range []struct{ address, want string }{
		{"http://" + secure, "the port speaks TLS, so the address begins with https://"},
		{"grpc://" + secure, "the port speaks TLS, so the address begins with grpcs://"},
		{"http://" + mutual, "the port speaks TLS, so the address begins with https://"},
		{"https://" + plain, "the port does not speak TLS, so the address begins with http://"},
		{"grpcs://" + plain, "the port does not speak TLS, so the address begins with grpc://"},
		{"grpcs://" + grpc, "the port does not speak TLS, so the address begins with grpc://"},
		{"http://" + plain, ""},
		{"grpc://" + plain, ""},
		{"https://" + secure, ""}, // the certificate is not trusted
		{"grpcs://" + secure, ""},
		{"http://127.0.0.1:1", ""},
		{"grpcs://127.0.0.1:1", ""},
	} {
		err := Check(context.Background(), []string{"-url", tc.address}, false, io.Discard)
		if err == nil {
			t.Errorf("%s: no error", tc.address)
			continue
		}
		if got := err.Error(); tc.want == "" && strings.Contains(got, "the address begins") || !strings.HasSuffix(got, tc.want) {
			t.Errorf("%s: %s; want %q", tc.address, got, tc.want)
		}
	}
}

func TestOnlyAddressesWithPortsHaveAnotherScheme(t *testing.T) {
	for scheme, want := range map[string]bool{"grpc": true, "grpcs": true, "http": true, "https": true, "file": false, "s3": false, "gs": false} {
		if plain, secure, ok := schemesOf(scheme); ok != want || ok && scheme != plain && scheme != secure {
			t.Errorf("%s: %q, %q, %v", scheme, plain, secure, ok)
		}
	}
}
