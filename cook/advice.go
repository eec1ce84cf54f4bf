package cook

import (
	"errors"
	"syscall"
)

// advised adds to an error of the system what can be done about it, where that is
// not plain.
func advised(err error) error {
	if err == nil {
		return nil
	}
	for _, known := range [...]struct {
		errno  syscall.Errno
		advice string
	}{
		{syscall.ENOSPC, "make room and run cook again"},
		{syscall.EDQUOT, "make room and run cook again"},
		{syscall.EMFILE, "allow more open files (ulimit -n) or use fewer workers (-j)"},
		{syscall.ENFILE, "allow the system more open files, or run less beside cook"},
		{syscall.EROFS, "choose folders that can be written to with -out and -cache"},
		{syscall.EIO, "see whether the disk is damaged and run cook again"},
	} {
		if errors.Is(err, known.errno) {
			return &adviceError{err, known.advice}
		}
	}
	return err
}

// An adviceError is an error with what to do about it.
type adviceError struct {
	error
	advice string
}

func (e *adviceError) Error() string { return e.error.Error() + "; " + e.advice }
func (e *adviceError) Unwrap() error { return e.error }
