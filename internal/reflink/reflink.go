// Package reflink copies a file by sharing its blocks, where the file system
// can: the copy costs no time and no space, and writing to either file leaves the
// other as it is.
package reflink

import (
	"fmt"
	"os"
)

// Clone gives dst, which must be open for writing, the content of src. The
// offsets of both stay where they are.
//
// Where the system, the file system or this pair of files cannot do it, nothing
// is changed and the error wraps [errors.ErrUnsupported]: copy the bytes instead.
func Clone(dst, src *os.File) error {
	if err := clone(dst, src); err != nil {
		return fmt.Errorf("reflink %s to %s: %w", src.Name(), dst.Name(), err)
	}
	return nil
}
