package process

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote/share"
)

// openServer is like connectToServer. If the address has the wrong scheme for the port, the error
// names the right scheme.
func (w *way) openServer(ctx context.Context, meter *share.Meter) (share.Server, error) {
	server, err := w.connectToServer(ctx, meter)
	if err == nil || ctx.Err() != nil {
		return server, err
	}
	address, parseErr := url.Parse(w.url)
	if parseErr != nil {
		return nil, err
	}
	plain, secure, ok := schemesOf(address.Scheme)
	if !ok {
		return nil, err
	}
	switch port := askForTLS(ctx, address); {
	case port == speaksTLS && address.Scheme == plain:
		return nil, fmt.Errorf("%w; the port speaks TLS, so the address begins with %s://", err, secure)
	case port == speaksPlain && address.Scheme == secure:
		return nil, fmt.Errorf("%w; the port does not speak TLS, so the address begins with %s://", err, plain)
	}
	return nil, err
}

// schemesOf returns the schemes of a protocol without and with TLS. ok is false if the scheme names
// a directory or a bucket, whose address has no port.
func schemesOf(scheme string) (plain, secure string, ok bool) {
	switch scheme {
	case "grpc", "grpcs":
		return "grpc", "grpcs", true
	case "http", "https":
		return "http", "https", true
	}
	return "", "", false
}

// A portKind is the answer of a port to a TLS handshake.
type portKind uint8

const (
	unknownPort portKind = iota
	speaksTLS
	speaksPlain
)

// probeTime limits how long a port may take to answer a handshake.
const probeTime = 2 * time.Second

// askForTLS begins a TLS handshake with a port. It sends no credentials.
func askForTLS(ctx context.Context, address *url.URL) (kind portKind) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	port := address.Port()
	switch {
	case port != "":
	case address.Scheme == "http":
		port = "80"
	default:
		port = "443"
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(address.Hostname(), port))
	if err != nil {
		return unknownPort
	}
	defer conn.Close()
	err = tls.Client(conn, &tls.Config{
		ServerName:         address.Hostname(),
		NextProtos:         []string{"h2", "http/1.1"},
		InsecureSkipVerify: true, // nothing is sent over the connection
		VerifyConnection: func(tls.ConnectionState) error { // the server has answered, even if it refuses the client later
			kind = speaksTLS
			return nil
		},
	}).HandshakeContext(ctx)
	var notTLS tls.RecordHeaderError
	if errors.As(err, &notTLS) {
		return speaksPlain
	}
	return kind
}
