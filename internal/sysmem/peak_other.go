//go:build !linux && !darwin

package sysmem

// PeakRSS returns 0: the peak is unknown on this system.
func PeakRSS() int64 { return 0 }
