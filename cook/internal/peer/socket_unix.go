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
)

// Sockets are used by system calls and not through package net, with which the
// linker would take libc and the command would take longer to start. As files
// whose descriptors do not block they are still waited for by Go's poller.

// identifiesPeers says that the system knows the process at the other end of a socket.
const identifiesPeers = true

// dialPause is how long to wait before trying again to connect.
const dialPause = 2 * time.Millisecond

// bind makes a socket at name and listens. path is what errors call it.
func bind(name, path string) (*os.File, error) {
	fd, err := openSocket()
	if err != nil {
		return nil, err
	}
	if err := again(func() error { return unix.Bind(fd, &unix.SockaddrUnix{Name: name}) }); err != nil {
		unix.Close(fd)
		return nil, &fs.PathError{Op: "bind", Path: path, Err: err}
	}
	if err := unix.Listen(fd, unix.SOMAXCONN); err != nil {
		unix.Close(fd)
		return nil, &fs.PathError{Op: "listen at", Path: path, Err: err}
	}
	return asFile(fd, path)
}

// accept waits for a client until the socket is closed. Then the error wraps
// [fs.ErrClosed].
func accept(socket *os.File) (*os.File, error) {
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil, err
	}
	var fd int
	var result error
	err = raw.Read(func(listening uintptr) (done bool) {
		result = again(func() error {
			var err error
			fd, err = acceptSocket(int(listening))
			return err
		})
		return !errors.Is(result, unix.EAGAIN)
	})
	switch {
	case err != nil: // there is no other reason, the socket having no deadline
		return nil, &fs.PathError{Op: "accept", Path: socket.Name(), Err: fs.ErrClosed}
	case result != nil:
		return nil, &fs.PathError{Op: "accept", Path: socket.Name(), Err: result}
	}
	return asFile(fd, socket.Name())
}

// connect connects to the socket at name, and fails if it cannot until ctx ends
// or dialTimeout is over. path is what errors call the socket.
func connect(ctx context.Context, name, path string) (*os.File, error) {
	// Mostly there is no listener, which is cheaper to see without a socket.
	var there unix.Stat_t
	if err := again(func() error { return unix.Stat(name, &there) }); err != nil {
		return nil, &fs.PathError{Op: "connect to", Path: path, Err: err}
	}
	fd, err := openSocket()
	if err != nil {
		return nil, err
	}
	if err := connectSocket(ctx, fd, name); err != nil {
		unix.Close(fd)
		return nil, &fs.PathError{Op: "connect to", Path: path, Err: err}
	}
	return asFile(fd, path)
}

// connectSocket tries again while too many others wait to be accepted, which
// no descriptor becomes ready when that ends.
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

// asFile makes a file of a descriptor that does not block, or closes it.
func asFile(fd int, name string) (*os.File, error) {
	f := os.NewFile(uintptr(fd), name)
	// A file that the poller does not know has no deadlines either.
	if err := f.SetDeadline(time.Time{}); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// again calls f until no signal interrupts it.
func again(f func() error) error {
	for {
		if err := f(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// peerOf returns the process that connected or, on the other side, that listens.
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
