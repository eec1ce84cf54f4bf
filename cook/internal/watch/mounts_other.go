//go:build !linux

package watch

// mounts returns nothing, because there is no list of mounts on this system.
func mounts() string { return "" }

// allLocal returns false, so that the watcher scans everything every minute. On Windows, no event
// reports a write through another hard link, or a rename of the asset directory.
func allLocal(_, _ string) bool { return false }
