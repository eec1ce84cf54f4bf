//go:build linux || darwin

package scan

import (
	"io/fs"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// openFlags keep an open from waiting for the writer of a FIFO that took the
// place of a file since it was stat'ed.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK

// unixFolder asks for entries by descriptor. That saves the system the walk
// along the path, and us a FileInfo per entry.
type unixFolder struct {
	*os.File
	fd   int
	name []byte // of the last lstat, with its NUL
}

func openFolder(root *os.Root, rel string) (folder, error) {
	f, err := root.OpenFile(rel, os.O_RDONLY|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	return &unixFolder{File: f, fd: int(f.Fd()), name: make([]byte, 0, 256)}, nil
}

func (f *unixFolder) lstat(name string) (Stamp, error) {
	if strings.IndexByte(name, 0) >= 0 {
		return Stamp{}, syscall.EINVAL
	}
	f.name = append(append(f.name[:0], name...), 0)
	var st unix.Stat_t
	err := lstatAt(f.fd, f.name, &st)
	for err == unix.EINTR {
		err = lstatAt(f.fd, f.name, &st)
	}
	if err != nil {
		return Stamp{}, err
	}
	return stampOf(&st), nil
}

func (f *unixFolder) stat() (Stamp, error) {
	var st unix.Stat_t
	err := unix.Fstat(f.fd, &st)
	for err == unix.EINTR {
		err = unix.Fstat(f.fd, &st)
	}
	if err != nil {
		return Stamp{}, err
	}
	return stampOf(&st), nil
}

// stampOf is StampOf for the system's own record.
func stampOf(st *unix.Stat_t) Stamp {
	return Stamp{
		Size:   st.Size,
		MTime:  st.Mtim.Nano(),
		CTime:  st.Ctim.Nano(),
		Inode:  st.Ino,
		Device: uint64(st.Dev),
		Mode:   uint32(fileMode(uint32(st.Mode))),
	}
}

// fileMode turns st_mode into what package os makes of it.
func fileMode(bits uint32) fs.FileMode {
	mode := fs.FileMode(bits & 0o777)
	switch bits & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		mode |= fs.ModeSocket
	case unix.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFBLK:
		mode |= fs.ModeDevice
	default:
		mode |= fs.ModeIrregular
	}
	if bits&unix.S_ISUID != 0 {
		mode |= fs.ModeSetuid
	}
	if bits&unix.S_ISGID != 0 {
		mode |= fs.ModeSetgid
	}
	if bits&unix.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}
