package socket

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Open returns a stream socket of an address family that is nonblocking and not inherited by child
// processes.
func Open(family int) (fd int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err = unix.Socket(family, unix.SOCK_STREAM, 0)
	if err != nil {
		return -1, os.NewSyscallError("socket", err)
	}
	return quieten(fd)
}

// acceptSocket accepts a client of a listening socket. It returns a nonblocking descriptor, or
// EAGAIN if no client waits.
func acceptSocket(listening int) (fd int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, _, err = unix.Accept(listening)
	if err != nil {
		return -1, err
	}
	return quieten(fd)
}

// quieten makes a descriptor nonblocking and not inherited. On failure it closes the descriptor.
// The system cannot set both when it creates the descriptor, so callers must hold ForkLock.
func quieten(fd int) (int, error) {
	unix.CloseOnExec(fd)
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return -1, os.NewSyscallError("fcntl", err)
	}
	return fd, nil
}
