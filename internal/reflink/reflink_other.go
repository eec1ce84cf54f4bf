//go:build !linux

package reflink

import (
	"errors"
	"os"
)

// clone is not to be had between two open files: macOS clones to a new name
// only, Windows only on ReFS and by cluster ranges.
func clone(dst, src *os.File) error { return errors.ErrUnsupported }
