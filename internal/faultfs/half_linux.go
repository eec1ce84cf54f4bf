//go:build amd64 || arm64

package faultfs

import (
	"errors"
	"io"
	"syscall"

	"golang.org/x/sys/unix"
)

// half makes half of a transfer in the caller's place. ENOTSUP means that the transfer cannot be
// halved.
func half(n *notice, what transfer) (moved int, errno syscall.Errno) {
	if what == none {
		return 0, unix.ENOTSUP
	}
	fd, err := n.borrow(n.args[0])
	if err != nil {
		return 0, unix.ENOTSUP
	}
	defer unix.Close(fd)
	switch what {
	case writes:
		moved, err = n.halfWrite(fd)
	case reads:
		moved, err = n.halfRead(fd)
	case copies:
		moved, err = n.halfCopy(fd)
	}
	if err != nil && !errors.As(err, &errno) {
		errno = unix.EIO
	}
	return moved, errno
}

func (n *notice) halfWrite(fd int) (int, error) {
	if n.args[2] < 2 {
		return 0, unix.ENOTSUP
	}
	b := make([]byte, min(n.args[2]/2, 1<<30))
	if err := n.read(b, n.args[1]); err != nil {
		return 0, err
	}
	if n.number == unix.SYS_PWRITE64 {
		return unix.Pwrite(fd, b, int64(n.args[3]))
	}
	return unix.Write(fd, b)
}

// halfRead returns half of the bytes that a full read would return, because programs mostly ask for
// more than the file has.
func (n *notice) halfRead(fd int) (int, error) {
	b := make([]byte, min(n.args[2], 1<<20))
	at := int64(n.args[3])
	if n.number == unix.SYS_READ {
		var err error
		if at, err = unix.Seek(fd, 0, io.SeekCurrent); err != nil {
			return 0, unix.ENOTSUP
		}
	}
	have, err := unix.Pread(fd, b, at)
	if err != nil {
		return 0, err
	}
	if have < 2 {
		return 0, unix.ENOTSUP
	}
	b = b[:have/2]
	if err := n.write(b, n.args[1]); err != nil {
		return 0, err
	}
	if n.number == unix.SYS_READ {
		if _, err := unix.Seek(fd, int64(len(b)), io.SeekCurrent); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// halfCopy makes half of a copy_file_range that uses both files' own offsets.
func (n *notice) halfCopy(from int) (int, error) {
	var st unix.Stat_t
	at, err := unix.Seek(from, 0, io.SeekCurrent)
	if err != nil || n.args[1] != 0 || n.args[3] != 0 || unix.Fstat(from, &st) != nil {
		return 0, unix.ENOTSUP
	}
	size := min(st.Size-at, int64(n.args[4])) / 2
	if size < 1 {
		return 0, unix.ENOTSUP
	}
	to, err := n.borrow(n.args[2])
	if err != nil {
		return 0, unix.ENOTSUP
	}
	defer unix.Close(to)
	return unix.CopyFileRange(from, nil, to, nil, int(size), 0)
}

// borrow opens the caller's file in this process, sharing its offset.
func (n *notice) borrow(fd uint64) (int, error) {
	process, err := unix.PidfdOpen(processOf(n.pid), 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(process)
	return unix.PidfdGetfd(process, int(int32(fd)), 0)
}
