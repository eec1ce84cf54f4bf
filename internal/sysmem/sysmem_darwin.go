package sysmem

import "golang.org/x/sys/unix"

// Total returns the bytes of physical memory, 0 if unknown.
func Total() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(n)
}
