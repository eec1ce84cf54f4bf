//go:build !unix

package frontend

import (
	"errors"
	"os"
	"syscall"
)

// writeTo writes to a file.
func writeTo(file *os.File, b []byte) (n int, err error) { return file.Write(b) }

// These are Windows errors for a pipe without a reader.
const (
	errBrokenPipe = syscall.Errno(109)
	errNoData     = syscall.Errno(232)
)

func isClosedPipe(err error) bool {
	return errors.Is(err, errBrokenPipe) || errors.Is(err, errNoData) || errors.Is(err, syscall.EPIPE)
}
