// Package reflink copies a file by sharing its blocks, if the file system supports this. The copy
// takes almost no time and space. Writing to either file does not change the other.
package reflink

import (
	"fmt"
	"os"
)

// Clone replaces the content of dst, which must be open for writing, by the content of src. The
// offsets of both files do not change.
//
// If the system, the file system or this pair of files does not support cloning, Clone changes
// nothing and the error wraps [errors.ErrUnsupported]. In this case, copy the bytes.
func Clone(dst, src *os.File) error {
	if err := clone(dst, src); err != nil {
		return fmt.Errorf("reflink %s to %s: %w", src.Name(), dst.Name(), err)
	}
	return nil
}
