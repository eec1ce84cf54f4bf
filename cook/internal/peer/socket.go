package peer

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// socketName is the socket's name in its folder.
const socketName = "socket"

// maxAddress is how many bytes a socket's address may have: 107 on Linux, with
// a zero after them.
const maxAddress = len(syscall.RawSockaddrUnix{}.Path) - 1

// address returns the socket of a folder as a path that fits into a socket
// address. It is good until release is called.
func address(dir string) (name string, release func(), err error) {
	dir, err = filepath.Abs(dir) // a leading @ would mean another name space
	if err != nil {
		return "", nil, err
	}
	name = filepath.Join(dir, socketName)
	if len(name) <= maxAddress {
		return name, func() {}, nil
	}
	return shortAddress(dir, name)
}

// longAddress is the error where a long path cannot be made short.
func longAddress(name string) error {
	return fmt.Errorf("path of the socket %s has %d bytes, at most %d are possible: choose a shorter output folder",
		name, len(name), maxAddress)
}

// checkUser returns an error unless the peer's user is ours.
func checkUser(peer, our int) error {
	if peer != our {
		return fmt.Errorf("%w: the other side runs as user %d, this as user %d", os.ErrPermission, peer, our)
	}
	return nil
}
