//go:build !linux

package sysmem

// RSS returns 0, because the memory of the process is unknown on this system.
func RSS() int64 { return 0 }

// PeakRSSOf returns 0, because the peak of other processes is known only on Linux.
func PeakRSSOf(int) int64 { return 0 }
