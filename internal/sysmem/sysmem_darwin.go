package sysmem

import "golang.org/x/sys/unix"

// Total returns the size of the physical memory in bytes, or 0 if unknown.
func Total() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(n)
}

// PeakRSS returns the peak resident set size of the process in bytes, or 0 if it is unknown. This
// is the maximum of its physical memory since its start, including mapped files.
func PeakRSS() int64 {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return usage.Maxrss // macOS returns bytes, unlike other systems
}
