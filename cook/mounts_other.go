//go:build !linux

package cook

// mounts is not asked where nothing can be watched.
func mounts() string { return "" }
