//go:build unix

package frontend

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// writeTo is like file.Write, but returns an error for a pipe without a reader on all files.
// File.Write would end the process if the file is standard output or standard error and SIGPIPE is
// not handled. Handling it takes a thread, and child processes would inherit the ignored signal.
func writeTo(file *os.File, b []byte) (n int, err error) {
	conn, err := file.SyscallConn()
	if err != nil {
		return 0, err
	}
	for n < len(b) && err == nil {
		var wrote int
		var failed error
		err = conn.Write(func(fd uintptr) (done bool) {
			wrote, failed = syscall.Write(int(fd), b[n:])
			return failed != syscall.EAGAIN // false waits until the pipe is writable
		})
		n += max(wrote, 0)
		switch {
		case err != nil, failed == syscall.EINTR:
		case failed != nil:
			err = &os.PathError{Op: "write", Path: file.Name(), Err: failed}
		case wrote == 0:
			err = io.ErrUnexpectedEOF
		}
	}
	return n, err
}

func isClosedPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
