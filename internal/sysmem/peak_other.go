//go:build !linux && !darwin

package sysmem

// PeakRSS returns the most bytes of physical memory that the process has held at once
// since it began, files that it has mapped included; 0 if that is not known.
func PeakRSS() int64 { return 0 }
