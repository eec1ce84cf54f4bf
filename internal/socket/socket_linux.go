package socket

import (
	"os"

	"golang.org/x/sys/unix"
)

// Open returns a stream socket of an address family that is nonblocking and not inherited by child
// processes.
func Open(family int) (fd int, err error) {
	fd, err = unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	return fd, os.NewSyscallError("socket", err)
}

// acceptSocket accepts a client of a listening socket. It returns a descriptor, or EAGAIN if no
// client waits.
func acceptSocket(listening int) (fd int, err error) {
	fd, _, err = unix.Accept4(listening, unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK)
	return fd, err
}
