//go:build unix

package regular

import (
	"os"
	"syscall"
)

// NoWait is a flag of os.OpenFile that prevents opening a pipe from blocking. Opening for reading
// succeeds, and opening for writing fails. NoWait has no effect on regular files.
const NoWait = syscall.O_NONBLOCK

func openShared(name string) (*os.File, error) { return os.OpenFile(name, os.O_RDONLY|NoWait, 0) }
