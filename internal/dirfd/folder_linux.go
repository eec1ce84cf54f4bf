package dirfd

import (
	"io/fs"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

type (
	folder = fdFolder
	file   = fdFile
)

// A descriptor is the system's number plus one, so that the zero value is not open.
type descriptor int

// fd returns the system's number. It is -1 if the file is not open; every system call on -1 fails
// with EBADF.
func (d descriptor) fd() int { return int(d) - 1 }

func (d *descriptor) Close() error {
	fd := d.fd()
	*d = 0
	// The descriptor is closed even after a signal; closing it again could close another file.
	if err := unix.Close(fd); err != unix.EINTR {
		return err
	}
	return nil
}

// fdFolder makes system calls by itself, because packages os, syscall and unix take names as
// strings, which they copy to add a NUL.
type fdFolder struct {
	descriptor
	prompt bool // see Open
}

// folderFlags request the right to look up names in a directory but not to list it, which costs
// less and needs fewer permissions.
const folderFlags = unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC

func openFolder(name string) (fdFolder, error) {
	for {
		fd, err := unix.Open(name, folderFlags, 0)
		if err == nil {
			return fdFolder{descriptor(fd + 1), isPrompt(fd)}, nil
		}
		if err != unix.EINTR {
			return fdFolder{}, &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
}

// isPrompt reports whether a directory is on a file system in memory or on a local disk.
func isPrompt(fd int) bool {
	var st unix.Statfs_t
	if unix.Fstatfs(fd, &st) != nil {
		return false
	}
	switch uint32(st.Type) {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC,
		unix.TMPFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC:
		return true
	}
	return false
}

func (f fdFolder) Sub(path []byte, beneath bool) (fdFolder, error) {
	if err := checkPath(path); err != nil {
		return fdFolder{}, err
	}
	if len(path) == 1 {
		fd, err := unix.FcntlInt(uintptr(f.fd()), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			return fdFolder{}, err
		}
		return fdFolder{descriptor(fd + 1), f.prompt}, nil
	}
	var d descriptor
	var errno syscall.Errno
	if beneath {
		d, errno = openBeneath(f.fd(), path)
	} else {
		d, errno = openat(f.fd(), path, folderFlags)
	}
	if stepwise(errno) {
		return f.steps(path, beneath)
	}
	if errno != 0 {
		return fdFolder{}, errno
	}
	return fdFolder{d, f.prompt}, nil
}

func (f fdFolder) Info(into *Info) error {
	return into.ofFile(f.fd(), f.prompt)
}

func (f fdFolder) Stat(name []byte, follow bool, into *Info) error {
	flags := unix.AT_SYMLINK_NOFOLLOW
	if follow {
		flags = 0
	}
	return into.ofName(f.fd(), name, flags, f.prompt)
}

// openat is the system call. The path ends in NUL.
func openat(fd int, path []byte, flags int) (descriptor, syscall.Errno) {
	for {
		n, _, errno := syscall.Syscall6(unix.SYS_OPENAT, uintptr(fd), uintptr(unsafe.Pointer(&path[0])), uintptr(flags), 0, 0, 0)
		switch errno {
		case 0:
			return descriptor(n + 1), 0
		case syscall.EINTR:
		default:
			return 0, errno
		}
	}
}
