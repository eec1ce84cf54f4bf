//go:build linux || darwin

package dirfd

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// fileMode converts st_mode to the mode of package os.
func fileMode(st uint32) fs.FileMode {
	mode := fs.FileMode(st) & fs.ModePerm
	if st&unix.S_ISUID != 0 {
		mode |= fs.ModeSetuid
	}
	if st&unix.S_ISGID != 0 {
		mode |= fs.ModeSetgid
	}
	if st&unix.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return mode | kind(st)
}

// kind returns the type bits. Files of unknown type are not regular.
func kind(st uint32) fs.FileMode {
	switch st & unix.S_IFMT {
	case unix.S_IFREG:
		return 0
	case unix.S_IFDIR:
		return fs.ModeDir
	case unix.S_IFLNK:
		return fs.ModeSymlink
	case unix.S_IFIFO:
		return fs.ModeNamedPipe
	case unix.S_IFSOCK:
		return fs.ModeSocket
	case unix.S_IFCHR:
		return fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFBLK:
		return fs.ModeDevice
	}
	return fs.ModeIrregular
}
