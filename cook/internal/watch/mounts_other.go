//go:build !linux

package watch

// mounts returns nothing, because this system lists no mounts.
func mounts() string { return "" }

// allLocal reports false, so the watcher looks at everything every minute. On Windows, no event
// shows a write through another name of a file, or a new name of the asset directory.
func allLocal(_, _ string) bool { return false }
