// Package socket creates sockets with system calls, as files. Package net would make the linker use
// libc, which slows down the start of the command.
//
// Sockets are nonblocking and not inherited by child processes. As an [os.File] a socket uses Go's
// poller. It supports deadlines, and closing it ends its reads, writes and [Accept]. On systems
// other than Linux and macOS the errors wrap [errors.ErrUnsupported].
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

// ListenTCP listens on an address: "host:port", ":port" or "port". The host is localhost or an IP
// address, with brackets for IPv6. Without a host it is 127.0.0.1, which other machines cannot
// reach. Port 0 selects a free port. The name of the returned file is the address with the selected
// port.
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
	// Addresses with a zone are refused, because a zone would require a lookup.
	if err != nil || ip.Is6() != opened || opened != closed || ip.Zone() != "" {
		return at, errAddress
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return at, errAddress
	}
	return netip.AddrPortFrom(ip.Unmap(), uint16(n)), nil
}

// acceptPause is the time between two attempts of Accept while there are no free file descriptors.
const acceptPause = 50 * time.Millisecond

// Accept waits for a client until the socket is closed. Then the error wraps [fs.ErrClosed]. If the
// system lacks descriptors or memory, Accept retries until ctx is canceled, and then returns the
// error of ctx.
func Accept(ctx context.Context, listening *os.File) (*os.File, error) {
	for {
		conn, err := acceptOn(listening)
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
