// Package reflink copies a file by sharing its blocks, if the file system supports it: the copy
// takes almost no time and space, and writing to either file does not change the other.
package reflink

import (
	"fmt"
	"os"
)

// Clone replaces the content of dst, which must be open for writing, by the content of src. The
// offsets of both files do not change.
//
// If the system, the file system or this pair of files does not support it, Clone changes nothing
// and the error wraps [errors.ErrUnsupported]; copy the bytes then.
func Clone(dst, src *os.File) error {
	if err := clone(dst, src); err != nil {
		return fmt.Errorf("reflink %s to %s: %w", src.Name(), dst.Name(), err)
	}
	return nil
}
