//go:build !windows

package confine

import (
	"errors"
	"os"
	"syscall"
)

// isNotEmpty reports whether an error means that a directory is not empty. POSIX allows two codes
// for this error.
func isNotEmpty(err error) bool {
	return errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST)
}

func removeByHandle(*os.Root, string) error { return errors.ErrUnsupported }
