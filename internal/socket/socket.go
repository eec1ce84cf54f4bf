// Package socket makes sockets by system calls, as files. With package net the linker
// would take libc, and the command would take longer to start.
//
// A socket does not block and no child gets it. As an [os.File] it is waited for by
// Go's poller: it has deadlines, and closing it ends its reads, writes and [Accept].
// On systems other than Linux and macOS the errors wrap [errors.ErrUnsupported].
package socket

import (
	"context"
	"errors"
	"io/fs"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ListenTCP listens at an address: "host:port", ":port" or "port". A host is localhost
// or an IP address, that of IPv6 in brackets; without one it is 127.0.0.1, which other
// machines do not reach. Port 0 is any that is free. The name of the socket is the
// address with its port.
func ListenTCP(addr string) (*os.File, error) {
	at, err := parseAddress(addr)
	if err != nil {
		return nil, &fs.PathError{Op: "listen at", Path: addr, Err: err}
	}
	return listenTCP(at)
}

var errAddress = errors.New("want a port, or host:port with localhost or an IP address as host (IPv6 in brackets)")

func parseAddress(addr string) (at netip.AddrPort, err error) {
	host, port := "", addr
	if colon := strings.LastIndexByte(addr, ':'); colon >= 0 {
		host, port = addr[:colon], addr[colon+1:]
	}
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	inner, opened := strings.CutPrefix(host, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	ip, err := netip.ParseAddr(inner)
	// A zone would have to be looked up.
	if err != nil || ip.Is6() != opened || opened != closed || ip.Zone() != "" {
		return at, errAddress
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return at, errAddress
	}
	return netip.AddrPortFrom(ip.Unmap(), uint16(n)), nil
}

// acceptPause is how long to wait for descriptors to become free.
const acceptPause = 50 * time.Millisecond

// Accept waits for a client until the socket is closed; then the error wraps
// [fs.ErrClosed]. If the system lacks descriptors or memory it tries again until ctx
// ends, with the error of ctx.
func Accept(ctx context.Context, listening *os.File) (*os.File, error) {
	for {
		conn, err := accept(listening)
		switch {
		case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE),
			errors.Is(err, syscall.ENOBUFS), errors.Is(err, syscall.ENOMEM):
			select {
			case <-time.After(acceptPause):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		case errors.Is(err, syscall.ECONNABORTED):
		default:
			return conn, err
		}
	}
}
