package reapi

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote/share"
)

// connectTime limits the time to connect. A connection may be established after its request has
// ended.
const connectTime = 10 * time.Second

// A transport sends requests over HTTP/2, each with the same headers. It opens another connection
// when the server accepts no more requests on the first.
type transport struct {
	*http.Transport
	headers http.Header
}

// newTransport returns a transport. If secure is nil, it speaks HTTP/2 without TLS.
func newTransport(secure *tls.Config, headers http.Header, meter *share.Meter) *transport {
	if secure != nil {
		secure = secure.Clone()
		secure.VerifyConnection = requireHTTP2
	}
	t := &http.Transport{
		// http.Transport uses a tunnel through a proxy for TLS only, but unencrypted connections
		// need one too.
		DialContext:     meter.Dial(dialer{http.ProxyFromEnvironment}.dialProxied),
		TLSClientConfig: secure, TLSHandshakeTimeout: connectTime,
		Protocols:          new(http.Protocols),
		DisableCompression: true,
		HTTP2:              &http.HTTP2Config{MaxReceiveBufferPerStream: 1 << 20, MaxReceiveBufferPerConnection: 4<<20 - 1},
	}
	t.Protocols.SetUnencryptedHTTP2(secure == nil)
	t.Protocols.SetHTTP2(secure != nil)
	return &transport{t, headers}
}

// requireHTTP2 refuses servers that would make http.Transport use HTTP/1.1.
func requireHTTP2(c tls.ConnectionState) error {
	if c.NegotiatedProtocol != "h2" {
		return errors.New("the server does not offer HTTP/2, which gRPC needs")
	}
	return nil
}

// Do sends a request. It does not follow redirects, because another server must not get the
// credentials.
func (t *transport) Do(r *http.Request) (*http.Response, error) {
	for key, values := range t.headers {
		r.Header[key] = values
	}
	return t.RoundTrip(r)
}

// A dialer connects to servers, through the HTTP proxy that proxy returns, if any.
type dialer struct {
	proxy func(*http.Request) (*url.URL, error)
}

func (d dialer) dialProxied(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	var direct net.Dialer
	proxy, err := d.proxy(&http.Request{URL: &url.URL{Scheme: "https", Host: address}})
	switch {
	case err != nil:
		return nil, err
	case proxy == nil:
		return direct.DialContext(ctx, network, address)
	case proxy.Scheme != "http":
		return nil, fmt.Errorf("the proxy %s is not an http:// address", proxy.Redacted())
	}
	host := proxy.Host
	if proxy.Port() == "" {
		host = net.JoinHostPort(proxy.Hostname(), "80")
	}
	conn, err := direct.DialContext(ctx, network, host)
	if err != nil {
		return nil, fmt.Errorf("the proxy: %w", err)
	}
	tunnel, err := openTunnel(ctx, conn, proxy.User, address)
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("the proxy %s: %w", host, err)
	}
	return tunnel, nil
}

// openTunnel asks a proxy to connect to an address, and returns that connection.
func openTunnel(ctx context.Context, conn net.Conn, user *url.Userinfo, address string) (net.Conn, error) {
	request := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: address}, Host: address, Header: http.Header{}}
	if password, _ := user.Password(); user != nil {
		request.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)))
	}
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if err := request.Write(conn); err != nil {
		return nil, err
	}
	from := bufio.NewReader(conn)
	answer, err := http.ReadResponse(from, request)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	case answer.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the proxy answers %s", answer.Status)
	}
	return &tunnel{conn, from}, nil
}

// A tunnel is a connection through a proxy. The proxy's answer may already include the server's
// first bytes.
type tunnel struct {
	net.Conn
	from *bufio.Reader
}

func (t *tunnel) Read(p []byte) (int, error) { return t.from.Read(p) }
