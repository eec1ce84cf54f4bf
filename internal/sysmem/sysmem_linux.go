package sysmem

import (
	"os"

	"golang.org/x/sys/unix"
)

// Total returns the size of the physical memory in bytes, or the limit of the process's control
// group if this is less. It returns 0 if both are unknown.
func Total() int64 {
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
