package socket

import (
	"os"

	"golang.org/x/sys/unix"
)

// Open returns a stream socket of an address family that is nonblocking and not inherited by
// children.
func Open(family int) (fd int, err error) {
	fd, err = unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	return fd, os.NewSyscallError("socket", err)
}

// acceptSocket returns a client of a listening socket, or EAGAIN.
func acceptSocket(listening int) (fd int, err error) {
	fd, _, err = unix.Accept4(listening, unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK)
	return fd, err
}
