//go:build !linux

package reflink

import (
	"errors"
	"os"
)

// clone returns ErrUnsupported, because this system cannot clone between two open files. macOS
// clones only to a new name. Windows clones only on ReFS and by cluster ranges.
func clone(dst, src *os.File) error { return errors.ErrUnsupported }
