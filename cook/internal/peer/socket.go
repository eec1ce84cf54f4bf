package peer

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// socketName is the name of the socket in its directory.
const socketName = "socket"

// maxAddress is the maximum length of a socket's address: 107 on Linux, plus a zero.
const maxAddress = len(syscall.RawSockaddrUnix{}.Path) - 1

// address returns the path of the socket in a directory, short enough for a socket address. It is
// valid until the call of release.
func address(dir string) (name string, release func(), err error) {
	dir, err = filepath.Abs(dir) // a leading @ means another name space
	if err != nil {
		return "", nil, err
	}
	name = filepath.Join(dir, socketName)
	if len(name) <= maxAddress {
		return name, func() {}, nil
	}
	return shortAddress(dir, name)
}

// longAddress says that a long path cannot be made short.
func longAddress(name string) error {
	return fmt.Errorf("path of the socket %s has %d bytes, at most %d are possible: choose a shorter output directory",
		name, len(name), maxAddress)
}

// checkUser returns an error unless the peer belongs to this user.
func checkUser(peer, our int) error {
	if peer != our {
		return fmt.Errorf("%w: the other side runs as user %d, this as user %d", os.ErrPermission, peer, our)
	}
	return nil
}
