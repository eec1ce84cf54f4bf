//go:build linux || darwin

package scan

import (
	"os"
	"syscall"

	"github.com/assetcook/assetcook/internal/dirfd"
)

// openFlags prevent an open from waiting for the writer of a FIFO that replaced a file after its
// stat.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK

// unixFolder calls lstat by descriptor. This avoids a walk along the path in the system, and the
// allocation of a FileInfo.
type unixFolder struct {
	*os.File
	fd   int
	name []byte // argument of the last lstat, with its NUL
}

func openFolder(root *os.Root, rel string) (folder, error) {
	f, err := root.OpenFile(rel, os.O_RDONLY|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	return &unixFolder{File: f, fd: int(f.Fd()), name: make([]byte, 0, 256)}, nil
}

func (f *unixFolder) lstat(name string) (Stamp, error) {
	f.name = append(append(f.name[:0], name...), 0)
	var info dirfd.Info
	if err := dirfd.StatAt(f.fd, f.name, &info); err != nil {
		return Stamp{}, err
	}
	return StampOfInfo(&info), nil
}

func (f *unixFolder) stat() (Stamp, error) {
	var info dirfd.Info
	if err := dirfd.StatFd(f.fd, &info); err != nil {
		return Stamp{}, err
	}
	return StampOfInfo(&info), nil
}
