package reflink

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// clone calls ioctl FICLONE; see ioctl_ficlone(2). The file systems btrfs, xfs, bcachefs, overlayfs
// on top of them, NFS 4.2 and SMB support it.
func clone(dst, src *os.File) error {
	to, err := dst.SyscallConn()
	if err != nil {
		return err
	}
	from, err := src.SyscallConn()
	if err != nil {
		return err
	}
	// Control prevents the file from being closed concurrently.
	var inner, result error
	err = to.Control(func(dstFD uintptr) {
		inner = from.Control(func(srcFD uintptr) {
			result = unix.IoctlFileClone(int(dstFD), int(srcFD))
		})
	})
	if err := errors.Join(err, inner); err != nil {
		return err
	}
	switch result {
	case unix.EOPNOTSUPP, unix.EXDEV, unix.EINVAL, unix.ENOTTY, unix.ENOSYS:
		return fmt.Errorf("%w: %w", errors.ErrUnsupported, result)
	}
	return result
}
