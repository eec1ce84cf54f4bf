//go:build linux && (amd64 || arm64)

package dirfd

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fstatat makes the system call; name ends in NUL. A network file system may take seconds, so the
// scheduler is notified and can run other goroutines meanwhile. The notification takes a tenth of
// the call's time, so it is omitted for prompt file systems.
func fstatat(fd int, name []byte, st *unix.Stat_t, flags int, prompt bool) syscall.Errno {
	for {
		var errno syscall.Errno
		if prompt {
			_, _, errno = syscall.RawSyscall6(unix.SYS_NEWFSTATAT, uintptr(fd), uintptr(unsafe.Pointer(&name[0])),
				uintptr(unsafe.Pointer(st)), uintptr(flags), 0, 0)
		} else {
			_, _, errno = syscall.Syscall6(unix.SYS_NEWFSTATAT, uintptr(fd), uintptr(unsafe.Pointer(&name[0])),
				uintptr(unsafe.Pointer(st)), uintptr(flags), 0, 0)
		}
		if errno != syscall.EINTR {
			return errno
		}
	}
}

// fstat makes the system call.
func fstat(fd int, st *unix.Stat_t, prompt bool) syscall.Errno {
	for {
		var errno syscall.Errno
		if prompt {
			_, _, errno = syscall.RawSyscall(unix.SYS_FSTAT, uintptr(fd), uintptr(unsafe.Pointer(st)), 0)
		} else {
			_, _, errno = syscall.Syscall(unix.SYS_FSTAT, uintptr(fd), uintptr(unsafe.Pointer(st)), 0)
		}
		if errno != syscall.EINTR {
			return errno
		}
	}
}
