//go:build unix

package frontend

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// writeTo is like file.Write, but returns an error for every pipe without a reader. For standard
// output and standard error, File.Write would end the process unless SIGPIPE is handled. Handling
// it takes a thread, and child processes would inherit the ignored signal.
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
			return failed != syscall.EAGAIN // if false, RawConn.Write waits until the pipe is writable
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
