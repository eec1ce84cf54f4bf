//go:build !windows

package confine

import (
	"errors"
	"os"
	"syscall"
)

// isNotEmpty reports what POSIX lets a system say in two ways.
func isNotEmpty(err error) bool {
	return errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST)
}

func removeByHandle(*os.Root, string) error { return errors.ErrUnsupported }
