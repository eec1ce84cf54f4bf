//go:build unix

package regular

import (
	"os"
	"syscall"
)

// NoWait is a flag of os.OpenFile that makes opening a pipe return at once: for reading with the
// pipe, for writing with an error. It has no effect on regular files.
const NoWait = syscall.O_NONBLOCK

func openShared(name string) (*os.File, error) { return os.OpenFile(name, os.O_RDONLY|NoWait, 0) }
