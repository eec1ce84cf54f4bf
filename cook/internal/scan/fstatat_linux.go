//go:build amd64 || arm64

package scan

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// lstatAt is unix.Fstatat that follows no link, without its copy of the name.
// name ends in NUL.
func lstatAt(fd int, name []byte, st *unix.Stat_t) error {
	_, _, errno := unix.Syscall6(sysFstatat, uintptr(fd),
		uintptr(unsafe.Pointer(unsafe.SliceData(name))), uintptr(unsafe.Pointer(st)),
		unix.AT_SYMLINK_NOFOLLOW, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
