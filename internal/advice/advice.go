// Package advice adds advice to operating system errors.
package advice

import (
	"errors"
	"syscall"
)

// For adds advice to err if the cause is known and the advice is not obvious. Otherwise it returns
// err unchanged.
func For(err error) error {
	if err == nil {
		return nil
	}
	var given *advised
	if errors.As(err, &given) {
		return err
	}
	for _, known := range [...]struct {
		errno  syscall.Errno
		advice string
	}{
		{syscall.ENOSPC, "free some disk space and run cook again"},
		{syscall.EDQUOT, "free some disk space and run cook again"},
		{syscall.EMFILE, "allow more open files or use fewer workers"},
		{syscall.ENFILE, "raise the system's limit of open files, or close other programs"},
		{syscall.EROFS, "choose writable directories"},
		{syscall.EIO, "check the disk for damage and run cook again"},
	} {
		if errors.Is(err, known.errno) {
			return &advised{err, known.advice}
		}
	}
	return err
}

// Known reports whether err means that a system resource is exhausted or broken, regardless of the
// operation.
func Known(err error) bool { return For(err) != err }

type advised struct {
	error
	advice string
}

func (e *advised) Error() string { return e.error.Error() + "; " + e.advice }
func (e *advised) Unwrap() error { return e.error }
