package reapi

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/cook/internal/remote/remotetest"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
)

// startProxy starts a proxy that opens tunnels for one user. It may send the first bytes of the
// server together with its own answer, as real proxies do.
func startProxy(t *testing.T) *url.URL {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || r.Header.Get("Proxy-Authorization") != "Basic dXNlcjpzZWNyZXQ=" {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		server, err := net.Dial("tcp", r.Host)
		if err != nil {
			t.Error(err)
			return
		}
		defer server.Close()
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		first := make([]byte, 9)
		if _, err := io.ReadFull(server, first); err != nil {
			t.Error(err)
		}
		conn.Write(append([]byte("HTTP/1.1 200 OK\r\n\r\n"), first...))
		go io.Copy(server, buffered)
		io.Copy(conn, server)
	}))
	t.Cleanup(proxy.Close)
	u, _ := url.Parse(proxy.URL)
	return u
}

// askThrough asks a server for its capabilities through a proxy.
func askThrough(t *testing.T, proxy *url.URL, address string) (*messages.ServerCapabilities, error) {
	over := newTransport(nil, http.Header{}, nil)
	over.DialContext = dialer{func(*http.Request) (*url.URL, error) { return proxy, nil }}.dialProxied
	t.Cleanup(over.CloseIdleConnections)
	return callServer(t.Context(), newCalls(over, strings.Replace(address, "grpc:", "http:", 1)).getCapabilities, &messages.GetCapabilitiesRequest{})
}

func TestServerIsReachedThroughProxy(t *testing.T) {
	server := &remotetest.Server{BLAKE3: true}
	address := server.Start(t)
	proxy := startProxy(t)
	proxy.User = url.UserPassword("user", "secret")
	got, err := askThrough(t, proxy, address)
	if err != nil || len(got.Cache.DigestFunctions) != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRefusingProxyIsNamedWithoutPassword(t *testing.T) {
	proxy := startProxy(t)
	proxy.User = url.UserPassword("user", "wrong")
	closed := httptest.NewServer(nil)
	closed.Close()
	gone, _ := url.Parse(closed.URL)
	socks := &url.URL{Scheme: "socks5", Host: "proxy", User: proxy.User}
	for _, tt := range []struct {
		proxy *url.URL
		want  string
	}{
		{proxy, "the proxy " + proxy.Host + ": the proxy answers 407 Proxy Authentication Required"},
		{gone, "the proxy: dial tcp " + gone.Host},
		{socks, "the proxy socks5://user:xxxxx@proxy is not an http:// address"},
	} {
		_, err := askThrough(t, tt.proxy, "grpc://server.example:1")
		if !errors.Is(err, share.ErrUnavailable) || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "wrong") {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}

// TestServerWithoutHTTP2GetsNoRequest connects to a TLS server without HTTP/2, which must not get a
// request.
func TestServerWithoutHTTP2GetsNoRequest(t *testing.T) {
	certified := httptest.NewTLSServer(nil)
	defer certified.Close()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: certified.TLS.Certificates})
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{
		Handler:  http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the server got a request") }),
		ErrorLog: log.New(io.Discard, "", 0),
	}
	go server.Serve(listener)
	defer server.Close()
	pool := x509.NewCertPool()
	pool.AddCert(certified.Certificate())
	address := &url.URL{Scheme: "grpcs", Host: listener.Addr().String()}
	_, err = Open(t.Context(), address, Options{TLS: &tls.Config{RootCAs: pool}})
	if !errors.Is(err, share.ErrUnavailable) || !strings.HasSuffix(err.Error(), "does not offer HTTP/2, which gRPC needs") {
		t.Errorf("%v", err)
	}
}
