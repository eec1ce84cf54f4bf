//go:build !linux && !darwin

package sysmem

// Total returns 0, because the physical memory is unknown on this system.
func Total() int64 { return 0 }

// PeakRSS returns 0, because the peak is unknown on this system.
func PeakRSS() int64 { return 0 }
