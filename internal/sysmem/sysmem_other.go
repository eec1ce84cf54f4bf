//go:build !linux && !darwin

package sysmem

// Total returns the bytes of physical memory, 0 if they are not known.
func Total() int64 { return 0 }
