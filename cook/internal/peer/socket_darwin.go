package peer

import (
	"golang.org/x/sys/unix"
)

func shortAddress(dir, name string) (short string, release func(), err error) {
	return "", nil, longAddress(name)
}

func socketPeer(fd int) (peer, error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return peer{}, err
	}
	pid, err := unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	return peer{user: int(cred.Uid), pid: pid}, err
}
