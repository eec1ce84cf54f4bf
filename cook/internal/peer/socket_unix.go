//go:build linux || darwin

package peer

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assetcook/assetcook/internal/socket"
)

// identifiesPeers is set if the system identifies the process at the other end of a socket.
const identifiesPeers = true

// dialPause is the pause between attempts to connect.
const dialPause = 2 * time.Millisecond

// bind creates a socket at name and listens. Its errors show path as the name of the socket.
func bind(name, path string) (*os.File, error) {
	fd, err := socket.Open(unix.AF_UNIX)
	if err != nil {
		return nil, err
	}
	return socket.Listen(fd, &unix.SockaddrUnix{Name: name}, path)
}

// connectTo connects to the socket at name. It fails when ctx ends or after dialTimeout. Its errors
// show path as the name of the socket.
func connectTo(ctx context.Context, name, path string) (*os.File, error) {
	// Usually there is no listener. Checking for the file is cheaper than creating a socket.
	var there unix.Stat_t
	if err := socket.Again(func() error { return unix.Stat(name, &there) }); err != nil {
		return nil, &fs.PathError{Op: "connect to", Path: path, Err: err}
	}
	fd, err := socket.Open(unix.AF_UNIX)
	if err != nil {
		return nil, err
	}
	if err := connectSocket(ctx, fd, name); err != nil {
		unix.Close(fd)
		return nil, &fs.PathError{Op: "connect to", Path: path, Err: err}
	}
	return socket.File(fd, path)
}

// connectSocket retries while too many clients wait. It must poll, because no descriptor becomes
// ready when there is room again.
func connectSocket(ctx context.Context, fd int, name string) error {
	var late <-chan time.Time
	for {
		err := unix.Connect(fd, &unix.SockaddrUnix{Name: name})
		switch {
		case err == nil, errors.Is(err, unix.EISCONN):
			return nil
		case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR),
			errors.Is(err, unix.EINPROGRESS), errors.Is(err, unix.EALREADY):
		default:
			return err
		}
		if late == nil {
			timer := time.NewTimer(dialTimeout)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case <-time.After(dialPause):
		case <-late:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// peerOf returns the process at the other end of a connection.
func peerOf(conn syscall.Conn) (peer, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return peer{}, err
	}
	var p peer
	var result error
	err = raw.Control(func(fd uintptr) { p, result = socketPeer(int(fd)) })
	if err == nil {
		err = os.NewSyscallError("getsockopt", result)
	}
	return p, err
}
