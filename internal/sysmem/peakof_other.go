//go:build !linux

package sysmem

// PeakRSSOf returns 0: the peak of other processes is known only on Linux.
func PeakRSSOf(int) int64 { return 0 }
