package dirfd

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// openBeneath opens a path; the system refuses symbolic links and paths that lead out.
func openBeneath(fd int, path []byte) (descriptor, syscall.Errno) {
	how := unix.OpenHow{
		Flags:   folderFlags,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	for {
		n, _, errno := syscall.Syscall6(unix.SYS_OPENAT2, uintptr(fd), uintptr(unsafe.Pointer(&path[0])),
			uintptr(unsafe.Pointer(&how)), unsafe.Sizeof(how), 0, 0)
		switch errno {
		case 0:
			return descriptor(n + 1), 0
		case syscall.EINTR:
		default:
			return 0, errno
		}
	}
}

// stepwise reports whether a path that could not be opened at once may be opened name by name.
// Reasons are a kernel older than openat2 (5.6), a sandbox that forbids unknown calls, or a path
// longer than any call accepts.
func stepwise(errno syscall.Errno) bool {
	return errno == syscall.ENOSYS || errno == syscall.EPERM || errno == syscall.ENAMETOOLONG
}

// steps is Sub name by name. The path is already checked.
func (f fdFolder) steps(path []byte, beneath bool) (fdFolder, error) {
	at := f
	var name [unix.PathMax]byte
	for rest := path[:len(path)-1]; len(rest) > 0; {
		var next []byte
		if next, rest = nextName(rest); next == nil {
			continue
		}
		if len(next) >= len(name) {
			return at.leave(f, syscall.ENAMETOOLONG)
		}
		name[copy(name[:], next)] = 0
		d, errno := at.step(name[:len(next)+1], beneath)
		if errno != 0 {
			return at.leave(f, errno)
		}
		if at != f {
			at.Close()
		}
		at = fdFolder{d, f.prompt}
	}
	if at == f { // the path was "." or similar
		return f.Sub([]byte{0}, beneath)
	}
	return at, nil
}

// step opens a directory in f.
func (f fdFolder) step(name []byte, beneath bool) (descriptor, syscall.Errno) {
	if !beneath {
		return openat(f.fd(), name, folderFlags)
	}
	d, errno := openat(f.fd(), name, folderFlags|unix.O_NOFOLLOW)
	if errno == syscall.ENOTDIR {
		// A symbolic link is ELOOP, as with openat2, not ENOTDIR.
		var st unix.Stat_t
		if fstatat(f.fd(), name, &st, unix.AT_SYMLINK_NOFOLLOW, f.prompt) == 0 && st.Mode&unix.S_IFMT == unix.S_IFLNK {
			errno = syscall.ELOOP
		}
	}
	return d, errno
}

// leave closes a directory below top after an error on the way down.
func (f fdFolder) leave(top fdFolder, errno syscall.Errno) (fdFolder, error) {
	if f != top {
		f.Close()
	}
	return fdFolder{}, errno
}
