package dirfd

import (
	"io/fs"
	"syscall"
)

// notRegular returns the error for a file that is to be read, nil if it is a
// regular one: what Linux says when such a file is opened and read at an offset.
func notRegular(mode fs.FileMode) error {
	switch mode.Type() {
	case 0:
		return nil
	case fs.ModeSymlink:
		return syscall.ELOOP
	case fs.ModeDir:
		return syscall.EISDIR
	case fs.ModeNamedPipe:
		return syscall.ESPIPE
	}
	return syscall.ENXIO
}
