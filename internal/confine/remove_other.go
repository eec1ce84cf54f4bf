//go:build !windows

package confine

import (
	"errors"
	"os"
	"syscall"
)

// isNotEmpty reports whether an error means "not empty"; POSIX allows two codes for that.
func isNotEmpty(err error) bool {
	return errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST)
}

func removeByHandle(*os.Root, string) error { return errors.ErrUnsupported }
