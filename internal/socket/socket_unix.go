//go:build linux || darwin

package socket

import (
	"errors"
	"io/fs"
	"net/netip"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Listen binds a descriptor returned by [Open] to an address and listens. On failure it closes the
// descriptor. name is the name of the socket in errors.
func Listen(fd int, at unix.Sockaddr, name string) (*os.File, error) {
	if err := listenOn(fd, at, name); err != nil {
		return nil, err
	}
	return File(fd, name)
}

func listenOn(fd int, at unix.Sockaddr, name string) error {
	err := Again(func() error { return unix.Bind(fd, at) })
	if err == nil {
		err = unix.Listen(fd, unix.SOMAXCONN)
	}
	if err != nil {
		unix.Close(fd)
		return &fs.PathError{Op: "listen at", Path: name, Err: err}
	}
	return nil
}

func listenTCP(at netip.AddrPort) (*os.File, error) {
	name := at.String()
	family, address := unix.AF_INET6, unix.Sockaddr(&unix.SockaddrInet6{Port: int(at.Port()), Addr: at.Addr().As16()})
	if at.Addr().Is4() {
		family, address = unix.AF_INET, &unix.SockaddrInet4{Port: int(at.Port()), Addr: at.Addr().As4()}
	}
	fd, err := Open(family)
	if err != nil {
		return nil, &fs.PathError{Op: "listen at", Path: name, Err: err}
	}
	for _, option := range [][2]int{
		{unix.SOL_SOCKET, unix.SO_REUSEADDR}, // connections of an earlier process may still block the port
		{unix.IPPROTO_TCP, unix.TCP_NODELAY}, // accepted sockets inherit the option
	} {
		if err := unix.SetsockoptInt(fd, option[0], option[1], 1); err != nil {
			unix.Close(fd)
			return nil, &fs.PathError{Op: "listen at", Path: name, Err: os.NewSyscallError("setsockopt", err)}
		}
	}
	if err := listenOn(fd, address, name); err != nil {
		return nil, err
	}
	if at.Port() == 0 {
		if name, err = boundTo(fd, at.Addr()); err != nil {
			unix.Close(fd)
			return nil, os.NewSyscallError("getsockname", err)
		}
	}
	return File(fd, name)
}

// boundTo returns the address of a socket with the port that the system selected.
func boundTo(fd int, host netip.Addr) (string, error) {
	address, err := unix.Getsockname(fd)
	port := 0
	switch a := address.(type) {
	case *unix.SockaddrInet4:
		port = a.Port
	case *unix.SockaddrInet6:
		port = a.Port
	}
	return netip.AddrPortFrom(host, uint16(port)).String(), err
}

// acceptOn accepts a client of a listening socket.
func acceptOn(listening *os.File) (*os.File, error) {
	raw, err := listening.SyscallConn()
	if err != nil {
		return nil, err
	}
	var fd int
	var result error
	err = raw.Read(func(listening uintptr) (done bool) {
		result = Again(func() error {
			var err error
			fd, err = acceptSocket(int(listening))
			return err
		})
		return !errors.Is(result, unix.EAGAIN)
	})
	switch {
	case err != nil: // impossible: without a deadline there is no other error
		return nil, &fs.PathError{Op: "accept", Path: listening.Name(), Err: fs.ErrClosed}
	case result != nil:
		return nil, &fs.PathError{Op: "accept", Path: listening.Name(), Err: result}
	}
	return File(fd, listening.Name())
}

// File converts a nonblocking descriptor to a file. On failure it closes the descriptor.
func File(fd int, name string) (*os.File, error) {
	f := os.NewFile(uintptr(fd), name)
	// If the poller does not support the file, setting a deadline fails.
	if err := f.SetDeadline(time.Time{}); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Again calls f until no signal interrupts it.
func Again(f func() error) error {
	for {
		if err := f(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
