//go:build darwin || (linux && !amd64 && !arm64)

package dirfd

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// fstatat calls package unix, which supports all systems and processors but needs a string. name
// ends in NUL.
func fstatat(fd int, name []byte, st *unix.Stat_t, flags int, _ bool) syscall.Errno {
	path := string(name[:len(name)-1])
	return repeatWhileInterrupted(func() error { return unix.Fstatat(fd, path, st, flags) })
}

func fstat(fd int, st *unix.Stat_t, _ bool) syscall.Errno {
	return repeatWhileInterrupted(func() error { return unix.Fstat(fd, st) })
}

// repeatWhileInterrupted repeats a system call while signals interrupt it.
func repeatWhileInterrupted(call func() error) syscall.Errno {
	for {
		switch err := call().(type) {
		case nil:
			return 0
		case syscall.Errno:
			if err != syscall.EINTR {
				return err
			}
		default: // impossible: package unix returns no other type of error
			return syscall.EIO
		}
	}
}
