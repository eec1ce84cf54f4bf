package pathname

import (
	"errors"
	"io/fs"
	"syscall"
)

// IsAbsent reports whether an error says that nothing has a name: there is no such
// file, the name leads through a file, or it is longer than any can be.
func IsAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG)
}
