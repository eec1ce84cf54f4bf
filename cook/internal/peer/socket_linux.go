package peer

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// shortAddress returns a path through an open descriptor of the directory.
func shortAddress(dir, name string) (short string, release func(), err error) {
	d, err := os.Open(dir)
	if err != nil {
		return "", nil, err
	}
	through := fmt.Sprintf("/proc/self/fd/%d", d.Fd())
	if _, err := os.Stat(through); err != nil {
		d.Close()
		return "", nil, longAddress(name)
	}
	return through + "/" + socketName, func() { d.Close() }, nil
}

func socketPeer(fd int) (peer, error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return peer{}, err
	}
	return peer{user: int(cred.Uid), pid: int(cred.Pid)}, nil
}
