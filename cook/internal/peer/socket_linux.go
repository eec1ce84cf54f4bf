package peer

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// shortAddress goes through an open descriptor of the folder.
func shortAddress(dir, name string) (short string, release func(), err error) {
	d, err := os.Open(dir)
	if err != nil {
		return "", nil, err
	}
	through := fmt.Sprintf("/proc/self/fd/%d", d.Fd())
	if _, err := os.Stat(through); err != nil { // there is no /proc
		d.Close()
		return "", nil, longAddress(name)
	}
	return through + "/" + socketName, func() { d.Close() }, nil
}

// openSocket returns a stream socket that does not block and that no child gets.
func openSocket() (fd int, err error) {
	fd, err = unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	return fd, os.NewSyscallError("socket", err)
}

// acceptSocket returns a client of a listening socket, or EAGAIN.
func acceptSocket(listening int) (fd int, err error) {
	fd, _, err = unix.Accept4(listening, unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK)
	return fd, err
}

func socketPeer(fd int) (peer, error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return peer{}, err
	}
	return peer{user: int(cred.Uid), pid: int(cred.Pid)}, nil
}
