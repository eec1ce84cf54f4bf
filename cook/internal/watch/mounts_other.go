//go:build !linux

package watch

// mounts and allLocal are not asked where nothing can be watched.
func mounts() string { return "" }

func allLocal(_, _ string) bool { return false }
