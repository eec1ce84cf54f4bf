package peer

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func shortAddress(dir, name string) (short string, release func(), err error) {
	return "", nil, longAddress(name)
}

// openSocket returns a stream socket that does not block and that no child gets.
func openSocket() (fd int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err = unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
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

func socketPeer(fd int) (peer, error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return peer{}, err
	}
	pid, err := unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	return peer{user: int(cred.Uid), pid: pid}, err
}
