package socket

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Open returns a stream socket of an address family that does not block and that no
// child gets.
func Open(family int) (fd int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err = unix.Socket(family, unix.SOCK_STREAM, 0)
	if err != nil {
		return -1, os.NewSyscallError("socket", err)
	}
	return quieten(fd)
}

// acceptSocket returns a client of a listening socket, which does not block, or
// EAGAIN.
func acceptSocket(listening int) (fd int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, _, err = unix.Accept(listening)
	if err != nil {
		return -1, err
	}
	return quieten(fd)
}

// quieten makes a descriptor not block and be no child's, or closes it. The
// system cannot do it in the same call that makes one, so children must wait.
func quieten(fd int) (int, error) {
	unix.CloseOnExec(fd)
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return -1, os.NewSyscallError("fcntl", err)
	}
	return fd, nil
}
