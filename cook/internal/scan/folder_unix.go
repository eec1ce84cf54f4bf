//go:build linux || darwin

package scan

import (
	"os"
	"syscall"

	"github.com/assetcook/assetcook/internal/dirfd"
)

// openFlags prevent a hang if a FIFO has replaced the file after its stat.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK

// unixFolder implements lstat with the descriptor of the directory. The system then need not walk
// along the path, and no FileInfo is allocated.
type unixFolder struct {
	*os.File
	fd   int
	name []byte // name for lstat, with a NUL at the end
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
