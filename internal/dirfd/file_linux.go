package dirfd

import (
	"io"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/assetcook/assetcook/internal/lease"
)

// fileFlags open a file for reading: no symbolic link, no waiting for a pipe's writer, and no
// terminal that would become the controlling terminal.
const fileFlags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC | unix.O_LARGEFILE

// openFile opens a file without updating its access time, which costs more than reading the file.
// Only the file's owner may ask for that.
func openFile(fd int, name []byte) (descriptor, syscall.Errno) {
	d, errno := openat(fd, name, fileFlags|unix.O_NOATIME)
	if errno == unix.EPERM {
		d, errno = openat(fd, name, fileFlags)
	}
	return d, errno
}

func (f fdFolder) Read(name []byte, want int64, ask bool, buf []byte) (n int, end, busy bool, err error) {
	if err := checkName(name); err != nil {
		return 0, false, false, err
	}
	d, errno := openFile(f.fd(), name)
	if errno != 0 {
		return 0, false, false, errno
	}
	busy = ask && lease.Ask(d.fd()) == lease.Busy
	n, end, err = readFrom(d.fd(), want, buf)
	d.Close() // nothing was written, so a failure loses nothing
	return n, end, busy, err
}

// readFrom reads at offsets, which the system refuses for a pipe, so that no other call need test
// for pipes. A short read at the size from stat is the end of the file; after any other short read
// it reads again.
func readFrom(fd int, want int64, buf []byte) (n int, end bool, err error) {
	for {
		m, err := unix.Pread(fd, buf[n:], int64(n))
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return n, false, err
		}
		n += m
		switch {
		case n == len(buf):
			return n, false, nil
		case m == 0, int64(n) == want:
			return n, true, nil
		}
	}
}

func (f fdFolder) OpenFile(name []byte, into *Info) (fdFile, error) {
	if err := checkName(name); err != nil {
		return fdFile{}, err
	}
	d, errno := openFile(f.fd(), name)
	if errno != 0 {
		return fdFile{}, errno
	}
	var st unix.Stat_t
	var err error
	if errno := fstat(d.fd(), &st, f.prompt); errno != 0 {
		err = errno
	} else {
		err = notRegular(fileMode(st.Mode))
	}
	if err != nil {
		d.Close()
		return fdFile{}, err
	}
	into.fill(&st)
	return fdFile{d}, nil
}

// fdFile is an open regular file. An os.File would test with several system calls whether the file
// can be polled, which is never so.
type fdFile struct{ descriptor }

func (f fdFile) Busy() bool { return lease.Ask(f.fd()) == lease.Busy }

func (f fdFile) Read(buf []byte) (int, error) {
	for {
		n, err := unix.Read(f.fd(), buf)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return 0, err
		case n == 0 && len(buf) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

func (f fdFile) ReadAt(buf []byte, offset int64) (int, error) {
	for n := 0; ; {
		m, err := unix.Pread(f.fd(), buf[n:], offset+int64(n))
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return n, err
		}
		n += m
		switch {
		case n == len(buf):
			return n, nil
		case m == 0:
			return n, io.EOF
		}
	}
}
