//go:build linux || darwin

package hashing

import (
	"io"
	"io/fs"

	"golang.org/x/sys/unix"
)

// A regularFile is a source that uses system calls directly. Package os makes five more calls for
// each file to find out whether it supports polling. Regular files never support polling, and the
// calls double the cost of a small file.
type regularFile struct {
	fd   int
	name string
}

func stampAt(name string) (stamp, error) {
	var st unix.Stat_t
	err := retrySignaled(func() error { return unix.Stat(name, &st) })
	if err != nil {
		return stamp{}, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return stampOfStat(&st), nil
}

func stampOfStat(st *unix.Stat_t) stamp {
	s := stamp{size: st.Size, mtime: st.Mtim.Nano()}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		s.kind = regular
	case unix.S_IFDIR:
		s.kind = folder
	case unix.S_IFIFO:
		s.kind = pipe
	}
	return s
}

// openRegular opens a file that was regular when its stamp was taken. If the file was replaced with
// a pipe, openRegular does not wait for a writer.
func openRegular(name string) (source, error) {
	f := &regularFile{name: name}
	err := retrySignaled(func() (err error) {
		f.fd, err = unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		return err
	})
	if err != nil {
		return nil, f.error("open", err)
	}
	return f, nil
}

func (f *regularFile) Read(p []byte) (n int, err error) {
	err = retrySignaled(func() (err error) {
		n, err = unix.Read(f.fd, p)
		return err
	})
	return f.result(n, p, err)
}

// ReadAt reads until p is full or the file ends.
func (f *regularFile) ReadAt(p []byte, offset int64) (int, error) {
	done := 0
	for done < len(p) {
		n := 0
		err := retrySignaled(func() (err error) {
			n, err = unix.Pread(f.fd, p[done:], offset+int64(done))
			return err
		})
		if n, err = f.result(n, p[done:], err); err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}

func (f *regularFile) result(n int, p []byte, err error) (int, error) {
	switch {
	case err != nil:
		return 0, f.error("read", err)
	case n == 0 && len(p) > 0:
		return 0, io.EOF
	}
	return n, nil
}

func (f *regularFile) Close() error {
	if err := unix.Close(f.fd); err != nil {
		return f.error("close", err)
	}
	return nil
}

func (f *regularFile) stamp() (stamp, error) {
	var st unix.Stat_t
	if err := retrySignaled(func() error { return unix.Fstat(f.fd, &st) }); err != nil {
		return stamp{}, f.error("stat", err)
	}
	return stampOfStat(&st), nil
}

func (f *regularFile) error(op string, err error) error {
	return &fs.PathError{Op: op, Path: f.name, Err: err}
}

// retrySignaled repeats a system call while signals interrupt it.
func retrySignaled(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}
