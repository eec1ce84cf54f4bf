//go:build unix

package regular

import (
	"os"
	"syscall"
)

// NoWait is a flag of os.OpenFile that makes opening a pipe return at once: successfully for
// reading, with an error for writing. It has no effect on regular files.
const NoWait = syscall.O_NONBLOCK

func openShared(name string) (*os.File, error) { return os.OpenFile(name, os.O_RDONLY|NoWait, 0) }
