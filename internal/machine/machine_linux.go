package machine

import (
	"os"

	"golang.org/x/sys/unix"
)

// Memory returns the bytes of physical memory or, if that is less, what the
// control group of the process may use; 0 if neither is known.
func Memory() int64 {
	var total int64
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) == nil {
		total = int64(info.Totalram) * int64(info.Unit)
	}
	groups, _ := os.ReadFile("/proc/self/cgroup")
	if n := groupMemory("/sys/fs/cgroup", string(groups)); n > 0 && (total == 0 || n < total) {
		return n
	}
	return total
}

// SyncsFS says that SyncFS waits until everything is on the disk.
const SyncsFS = true

// SyncFS waits until everything written to the file system that holds f is on
// the disk. One call costs a third to half of syncing each file.
func SyncFS(f *os.File) error {
	for {
		if err := unix.Syncfs(int(f.Fd())); err != unix.EINTR {
			return err
		}
	}
}
