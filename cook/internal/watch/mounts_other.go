//go:build !linux

package watch

// mounts returns nothing: no mounts are listed here.
func mounts() string { return "" }

// allLocal reports false, so the watcher looks at everything every minute. It is
// asked on Windows only, where no event shows a write through another name of a file, or
// that somebody has renamed the asset folder.
func allLocal(_, _ string) bool { return false }
