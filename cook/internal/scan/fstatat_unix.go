//go:build darwin || (linux && !amd64 && !arm64)

package scan

import "golang.org/x/sys/unix"

// lstatAt is unix.Fstatat that follows no link. name ends in NUL.
func lstatAt(fd int, name []byte, st *unix.Stat_t) error {
	return unix.Fstatat(fd, string(name[:len(name)-1]), st, unix.AT_SYMLINK_NOFOLLOW)
}
