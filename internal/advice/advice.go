// Package advice adds remedies to errors of the system.
package advice

import (
	"errors"
	"syscall"
)

// For returns err with the remedy, if one is known, and err itself otherwise.
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
		{syscall.ENOSPC, "make room and run cook again"},
		{syscall.EDQUOT, "make room and run cook again"},
		{syscall.EMFILE, "allow more open files or use fewer workers"},
		{syscall.ENFILE, "allow the system more open files, or run less beside cook"},
		{syscall.EROFS, "choose folders that can be written to"},
		{syscall.EIO, "see whether the disk is damaged and run cook again"},
	} {
		if errors.Is(err, known.errno) {
			return &advised{err, known.advice}
		}
	}
	return err
}

// Known reports whether a resource of the system is used up or broken. Such an error says nothing
// about the operation that failed.
func Known(err error) bool { return For(err) != err }

type advised struct {
	error
	advice string
}

func (e *advised) Error() string { return e.error.Error() + "; " + e.advice }
func (e *advised) Unwrap() error { return e.error }
