package machine

import (
	"os"

	"golang.org/x/sys/unix"
)

// Memory returns the bytes of physical memory, 0 if they are not known.
func Memory() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(n)
}

// SyncsFS says that SyncFS waits until everything is on the disk.
const SyncsFS = false

// SyncFS asks for everything written so far to be put on the disk. The system
// has no such call for one file system.
func SyncFS(*os.File) error { return unix.Sync() }
