package run

import (
	"errors"
	"syscall"
)

// isNotDir reports whether a path leads through a file.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
